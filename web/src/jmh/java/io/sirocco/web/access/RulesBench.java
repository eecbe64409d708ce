// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.net.limit.TokenBuckets;

import com.sun.management.ThreadMXBean;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import io.sirocco.net.Clock;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * What a rule costs a request: nanoseconds and bytes of garbage per call, the median of 15 rounds.
 * From the root of the repository, after {@code mvn -q -pl web -am compile}:
 *
 * <pre>
 * CP=net/target/classes:http/target/classes:web/target/classes
 * javac -d web/target/jmh -cp $CP web/src/jmh/java/io/sirocco/web/access/RulesBench.java
 * taskset -c 1 java -XX:+UseSerialGC -cp $CP:web/target/jmh io.sirocco.web.access.RulesBench
 * </pre>
 */
final class RulesBench {
    private static final int OPERATIONS = 1_000_000;
    private static final ThreadMXBean THREADS =
            (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final Random RANDOM = new Random(4);
    private static final SocketAddress[] V4 = peers(4);
    private static final SocketAddress[] V6 = peers(16);

    private static SocketAddress[] peers(int bytes) {
        return IntStream.range(0, 1 << 16)
                .mapToObj(
                        i -> {
                            byte[] address = new byte[bytes];
                            RANDOM.nextBytes(address);
                            try {
                                return new InetSocketAddress(InetAddress.getByAddress(address), 1);
                            } catch (UnknownHostException e) {
                                throw new AssertionError(e);
                            }
                        })
                .toArray(SocketAddress[]::new);
    }

    public static void main(String[] arguments) {
        Networks few = Networks.of(List.of("10.0.0.0/8", "192.168.0.0/16", "2001:db8::/32"));
        Networks many =
                Networks.of(
                        IntStream.range(0, 10_000)
                                .mapToObj(i -> i % 223 + 1 + "." + i / 223 + ".0.0/18")
                                .toList());
        var rejections = new Rejections();
        var limit = new ConnectionLimit(1000, 65_536, rejections);
        TokenBuckets one = buckets(1 << 30);
        TokenBuckets all = buckets(1 << 30);
        TokenBuckets small = new TokenBuckets(1, Duration.ofHours(1), 1, 1024, Clock.system());
        one.take(V4[0]);
        FieldChange change =
                FieldChange.of(
                        Headers.of("X-Content-Type-Options", "nosniff", "Referrer-Policy", "x"),
                        Map.of("X-Frame-Options", "DENY"));
        Response kept = Response.text("x");
        var password = new Credentials("ann", "correct horse battery".getBytes());
        for (boolean print : new boolean[] {false, true}) {
            run("3 networks, IPv4", print, i -> few.contains(V4[i & 0xffff]) ? 1 : 0);
            run("3 networks, IPv6", print, i -> few.contains(V6[i & 0xffff]) ? 1 : 0);
            run("10,000 networks, IPv4", print, i -> many.contains(V4[i & 0xffff]) ? 1 : 0);
            run("rate limit, one client", print, i -> (int) one.take(V4[0]));
            run("rate limit, 65,536 clients", print, i -> (int) all.take(V4[i & 0xffff]));
            run("rate limit, flood, 1,024 places", print, i -> (int) small.take(V6[i & 0xffff]));
            run(
                    "connection, opened and closed",
                    print,
                    i -> {
                        SocketAddress peer = V4[i & 0xffff];
                        boolean admitted = limit.admit(peer);
                        limit.gone(peer);
                        return admitted ? 1 : 0;
                    });
            run("header rules, kept response", print, i -> kept.mapOnce(change).status());
            run(
                    "a fresh response by itself",
                    print,
                    i -> Response.text("x").headers().size());
            run(
                    "header rules, fresh response",
                    print,
                    i -> Response.text("x").mapOnce(change).headers().size());
            run("password that is remembered", print, i -> Fingerprint.of(password).hashCode());
        }
    }

    private static TokenBuckets buckets(int burst) {
        return new TokenBuckets(burst, Duration.ofSeconds(1), burst, 65_536, Clock.system());
    }

    private static void run(String name, boolean print, IntUnaryOperator operation) {
        double[] nanos = new double[15];
        long sum = 0;
        long garbage = THREADS.getCurrentThreadAllocatedBytes();
        for (int round = 0; round < nanos.length; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < OPERATIONS; i++) {
                sum += operation.applyAsInt(i);
            }
            nanos[round] = (System.nanoTime() - start) / (double) OPERATIONS;
        }
        double bytes =
                (THREADS.getCurrentThreadAllocatedBytes() - garbage)
                        / ((double) nanos.length * OPERATIONS);
        Arrays.sort(nanos);
        if (print) {
            System.out.printf(
                    "%-32s median %7.1f ns  best %7.1f ns  %5.1f B  (%d)%n",
                    name, nanos[7], nanos[0], bytes, sum % 10);
        }
    }
}
