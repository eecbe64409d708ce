// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.heavy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.app.heavy.ReloadedProxy.Ports;
import io.sirocco.app.pokerface.Authority;
import io.sirocco.http.client.ClientRequest;
import io.sirocco.http.client.HttpClient;
import io.sirocco.net.Loops;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ten thousand WebSockets with traffic and 500 requests a second through a proxy that is reloaded
 * once a second: none is dropped, and none fails. The properties {@code io.sirocco.reload.seconds},
 * {@code .sockets} and {@code .proxies} (of sirocco, nginx and haproxy) make it a comparison, of
 * which only Sirocco's part asserts anything.
 */
@Tag("heavy")
@Timeout(3600)
final class ReloadUnderTunnelsTest {
    private static final int SECONDS = Integer.getInteger("io.sirocco.reload.seconds", 60);
    private static final int SOCKETS = Integer.getInteger("io.sirocco.reload.sockets", 10_000);
    private static final int IN_PROGRESS = 10_000;

    /** Reloads until the JVM has compiled what runs often: the compiler takes memory, too. */
    private static final int WARM_UP = Math.min(180, SECONDS);

    @TempDir Path folder;

    private final Set<String> reloads = ConcurrentHashMap.newKeySet();
    private final Set<String> certificates = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger requests = new AtomicInteger();
    private final Semaphore inProgress = new Semaphore(IN_PROGRESS);
    private volatile boolean over;

    static Stream<String> proxies() {
        return Stream.of(System.getProperty("io.sirocco.reload.proxies", "sirocco").split(","));
    }

    @ParameterizedTest
    @MethodSource("proxies")
    void nothingIsDropped(String name) throws Exception {
        assumeTrue(name.equals("sirocco") || Files.isExecutable(Path.of("/usr/sbin/" + name)));
        Authority authority = Authority.in(folder);
        authority.signs("even");
        authority.signs("odd");
        SSLContext trust = trust();
        Process one = ReloadUpstream.start();
        Process two = ReloadUpstream.start();
        try {
            var ports =
                    new Ports(
                            FreePort.tcp(),
                            FreePort.tcp(),
                            ReloadUpstream.port(one),
                            ReloadUpstream.port(two));
            var proxy = ReloadedProxy.of(name, folder, ports);
            Process process = proxy.start();
            try (Loops loops = Loops.start(s -> s.loops(1));
                    HttpClient client = HttpClient.on(loops, s -> {})) {
                Eventually.await("the proxy", () -> accepts(ports.tls()) || !process.isAlive());
                TunnelLoad tunnels = new TunnelLoad(ports.plain()).grow(SOCKETS);
                tunnels.start();
                Thread asks = Thread.ofPlatform().start(() -> ask(client, ports.plain()));
                Thread asksAnew = Thread.ofPlatform().start(() -> askAnew(trust, ports.tls()));
                reload(proxy, process, 1, WARM_UP);
                long before = ReloadedProxy.memory(process)[0];
                long[] most = reload(proxy, process, WARM_UP + 1, SECONDS);
                long after = ReloadedProxy.memory(process)[0];
                over = true;
                asks.join();
                asksAnew.join();
                inProgress.acquire(IN_PROGRESS); // all have ended
                tunnels.end();
                System.out.printf(
                        "%s, %d WebSockets, %d s: %d echoes, %d opened, %s; %d requests, %s;"
                                + " %d reloads seen; %d MiB resident, at the end %d MiB"
                                + " (%+.1f %%), at most %d MiB in %d processes%n",
                        name,
                        SOCKETS,
                        SECONDS,
                        tunnels.echoes,
                        tunnels.opened,
                        counted(tunnels.failures),
                        requests.get(),
                        counted(failures),
                        reloads.size(),
                        before >> 10,
                        after >> 10,
                        100.0 * after / before - 100,
                        most[0] >> 10,
                        most[1]);
                if (name.equals("sirocco")) {
                    assertEquals(Map.of(), counted(tunnels.failures));
                    assertEquals(Map.of(), counted(failures));
                    assertEquals(Set.of("CN=even", "CN=odd"), certificates);
                    assertTrue(reloads.size() >= SECONDS / 2, reloads.size() + " reloads");
                }
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
        } finally {
            one.destroyForcibly().waitFor();
            two.destroyForcibly().waitFor();
        }
    }

    /** Once a second; returns the most memory, in KiB, and processes that were seen. */
    private long[] reload(ReloadedProxy proxy, Process process, int first, int times)
            throws Exception {
        long[] most = new long[2];
        long due = System.nanoTime();
        for (int i = 0; i < times; i++) {
            proxy.reload(process, first + i);
            due += 1_000_000_000;
            pauseUntil(due);
            long[] now = ReloadedProxy.memory(process);
            most[0] = Math.max(most[0], now[0]);
            most[1] = Math.max(most[1], now[1]);
        }
        return most;
    }

    private static void pauseUntil(long due) {
        for (long left; (left = due - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
    }

    /** 490 requests a second, on connections that stay open. */
    private void ask(HttpClient client, int port) {
        var page = ClientRequest.get("http://127.0.0.1:" + port + "/page");
        long due = System.nanoTime();
        while (!over) {
            due += 1_000_000_000 / 490;
            pauseUntil(due);
            inProgress.acquireUninterruptibly();
            client.sendAsync(page)
                    .thenCompose(
                            response -> {
                                response.header("X-Reload").ifPresent(reloads::add);
                                return response.body()
                                        .bytesAsync()
                                        .thenApply(body -> response.status() + " " + body.length);
                            })
                    .whenComplete(
                            (seen, thrown) -> {
                                requests.incrementAndGet();
                                if (thrown != null || !seen.equals("200 4")) {
                                    failures.add(thrown == null ? seen : thrown.toString());
                                }
                                inProgress.release();
                            });
        }
    }

    /** Ten requests a second, each on a connection of its own with TLS. */
    private void askAnew(SSLContext trust, int port) {
        long due = System.nanoTime();
        while (!over) {
            due += 100_000_000;
            pauseUntil(due);
            requests.incrementAndGet();
            try (var socket =
                    (SSLSocket)
                            trust.getSocketFactory()
                                    .createSocket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(20_000);
                socket.startHandshake();
                var own = (X509Certificate) socket.getSession().getPeerCertificates()[0];
                certificates.add(own.getSubjectX500Principal().getName());
                socket.getOutputStream()
                        .write(
                                "GET /page HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                                        .getBytes());
                String text = new String(socket.getInputStream().readAllBytes());
                if (!text.startsWith("HTTP/1.1 200 ") || !text.contains("page")) {
                    failures.add(text);
                }
            } catch (IOException e) {
                failures.add("over TLS: " + e);
            }
        }
    }

    private static Map<String, Integer> counted(Iterable<String> failures) {
        var counts = new TreeMap<String, Integer>();
        failures.forEach(failure -> counts.merge(failure, 1, Integer::sum));
        return counts;
    }

    private SSLContext trust() throws Exception {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (var in = Files.newInputStream(folder.resolve("authority.pem"))) {
            store.setCertificateEntry(
                    "a", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        var managers = TrustManagerFactory.getInstance("PKIX");
        managers.init(store);
        SSLContext trust = SSLContext.getInstance("TLS");
        trust.init(null, managers.getTrustManagers(), null);
        return trust;
    }

    private static boolean accepts(int port) {
        try (var _ = new Socket("127.0.0.1", port)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
