// SPDX-License-Identifier: Apache-2.0
import io.sirocco.http.h1.Head;
import io.sirocco.http.h1.Parsed;
import io.sirocco.http.message.HeadLimits;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Nanoseconds to parse one head, the median and the best of 15 rounds. A source-file program; from
 * the root of the repository, after {@code mvn -q -pl http -am compile}:
 *
 * <pre>
 * taskset -c 1 java -XX:+UseSerialGC -cp http/target/classes http/src/jmh/java/io/sirocco/http/h1/HeadBench.java
 * </pre>
 */
final class HeadBench {
    private static final int OPERATIONS = 2_000_000;

    private static final String SMALL =
            """
            GET /plaintext HTTP/1.1
            Host: 127.0.0.1:8080

            """;

    private static final String BROWSER =
            """
            GET /plaintext HTTP/1.1
            Host: www.example.com
            User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
            Chrome/131.0.0.0 Safari/537.36
            Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8
            Accept-Language: en-US,en;q=0.5
            Accept-Encoding: gzip, deflate, br
            Connection: keep-alive
            Cookie: sid=0123456789abcdef0123456789abcdef; theme=dark
            Upgrade-Insecure-Requests: 1

            """;

    private static final String POST =
            """
            POST /api/orders?draft=1 HTTP/1.1
            Host: api.example.com
            Content-Type: application/json
            Content-Length: 118
            Accept: */*

            """;

    private final Head head = new Head();
    private long sink;

    public static void main(String[] arguments) {
        HeadBench bench = new HeadBench();
        // Twice: the first pass shows the compiler all shapes of input.
        for (int pass = 0; pass < 2; pass++) {
            bench.run("small", SMALL, pass == 1);
            bench.run("post", POST, pass == 1);
            bench.run("browser", BROWSER, pass == 1);
        }
        System.out.println("sink " + bench.sink);
    }

    private void run(String name, String text, boolean print) {
        byte[] wire = text.replace("\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
        byte[] slab = Arrays.copyOf(wire, 65536);
        double[] nanos = new double[15];
        for (int round = 0; round < nanos.length; round++) {
            long start = System.nanoTime();
            sink += loop(slab, wire.length);
            nanos[round] = (System.nanoTime() - start) / (double) OPERATIONS;
        }
        Arrays.sort(nanos);
        if (print) {
            System.out.printf(
                    "%-8s %4d B  median %6.1f ns  best %6.1f ns%n",
                    name, wire.length, nanos[7], nanos[0]);
        }
    }

    private long loop(byte[] slab, int length) {
        long sum = 0;
        for (int i = 0; i < OPERATIONS; i++) {
            if (head.parse(slab, 0, length, HeadLimits.DEFAULT) != Parsed.COMPLETE) {
                throw new AssertionError("the head of " + length + " bytes is not complete");
            }
            sum += head.end() + head.count();
        }
        return sum;
    }
}
