// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.Tls;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** HTTPS as a client of today speaks it: curl where it is there. */
@Tag("peers")
@Timeout(60)
class HttpsTest {
    private static final InetSocketAddress ANY = new InetSocketAddress("127.0.0.1", 0);
    @TempDir Path folder;
    private Server server;

    @AfterEach
    void stop() {
        if (server != null && server.isRunning()) {
            server.stop(Duration.ZERO);
        }
    }

    private Tls selfSigned(String name) {
        return Tls.of(settings -> settings.selfSigned(folder.resolve(name)));
    }

    private int port(int index) {
        return ((InetSocketAddress) server.addresses().get(index)).getPort();
    }

    private String curl(String... arguments) throws Exception {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(java.io.File.pathSeparator))
                        .anyMatch(each -> Files.isExecutable(Path.of(each, "curl"))),
                "curl is not installed");
        var command = new ArrayList<>(List.of("curl", "-sS", "--max-time", "30"));
        command.addAll(List.of("--cacert", folder.resolve("a/localhost.pem").toString()));
        command.addAll(List.of(arguments));
        Process curl = new ProcessBuilder(command).redirectErrorStream(true).start();
        curl.getOutputStream().close();
        String output =
                new String(curl.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertTrue(curl.waitFor(60, TimeUnit.SECONDS), "curl does not end");
        return output;
    }

    private static Response describe(Request request) {
        return Response.text(
                request.isSecure()
                        + " "
                        + request.scheme()
                        + request.tls()
                                .map(
                                        tls ->
                                                " "
                                                        + tls.version()
                                                        + " "
                                                        + tls.protocol().orElse("-")
                                                        + " "
                                                        + tls.serverName().orElse("-"))
                                .orElse(""));
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportKind.class,
            names = {"IO_URING", "EPOLL"})
    void aRequestKnowsHowItCame(TransportKind transport) throws Exception {
        server =
                Server.start(
                        c -> c.transport(transport).listen(ANY).listen(ANY, selfSigned("a")),
                        r -> {
                            for (ExecutionMode handling : ExecutionMode.values()) {
                                r.route("GET", "/" + handling, HttpsTest::describe)
                                        .executionMode(handling);
                            }
                        });
        for (ExecutionMode handling : ExecutionMode.values()) {
            assertEquals("false http", curl("http://localhost:" + port(0) + "/" + handling));
            assertEquals(
                    "true https TLSv1.3 http/1.1 localhost",
                    curl("https://localhost:" + port(1) + "/" + handling));
            assertEquals(
                    "true https TLSv1.2 - -",
                    curl(
                            "--tls-max",
                            "1.2",
                            "--no-alpn",
                            "https://127.0.0.1:" + port(1) + "/" + handling));
        }
    }

    @Test
    void plainHttpOnThePortOfHttps() throws Exception {
        server =
                Server.start(
                        c -> c.listen(ANY, selfSigned("a")),
                        r -> r.get("/", q -> Response.text("x")));
        String answer = curl("-i", "http://localhost:" + port(0) + "/");
        assertTrue(answer.startsWith("HTTP/1.1 400 Bad Request\r\n"), answer);
        assertTrue(answer.endsWith("\r\n\r\nThis port speaks HTTPS: use https:// in the URL.\n"));
    }

    @Test
    void uploadsAndDownloads() throws Exception {
        var random = new byte[20 << 20];
        new java.util.Random(1).nextBytes(random);
        Path file = Files.write(folder.resolve("random"), random);
        server =
                Server.start(
                        c -> c.listen(ANY, selfSigned("a")).maxBodyBytes(-1),
                        r -> {
                            r.post("/echo", q -> Response.stream(out -> copy(q, out)));
                            r.get("/file", q -> Response.file(file));
                        });
        String base = "https://localhost:" + port(0);
        Path back = folder.resolve("back");
        curl("-o", back.toString(), base + "/file");
        assertEquals(-1, Files.mismatch(file, back));
        curl("-o", back.toString(), "--data-binary", "@" + file, base + "/echo");
        assertEquals(-1, Files.mismatch(file, back));
        curl(
                "-o",
                back.toString(),
                "-H",
                "Transfer-Encoding: chunked",
                "--data-binary",
                "@" + file,
                base + "/echo");
        assertEquals(-1, Files.mismatch(file, back));
    }

    private static void copy(Request request, java.io.OutputStream out) throws IOException {
        try (var in = request.body().inputStream()) {
            in.transferTo(out);
        }
    }

    @Test
    void eventsComeAsTheyAreSent() throws Exception {
        var told = new java.util.concurrent.Semaphore(0);
        server =
                Server.start(
                        c -> c.listen(ANY, selfSigned("a")),
                        r ->
                                r.get(
                                        "/ticks",
                                        q ->
                                                Response.events(
                                                        sink -> {
                                                            sink.send("one");
                                                            told.acquire();
                                                            sink.send("two");
                                                        })));
        var first = new AtomicBoolean();
        Process curl =
                new ProcessBuilder(
                                "curl",
                                "-sSN",
                                "--cacert",
                                folder.resolve("a/localhost.pem").toString(),
                                "https://localhost:" + port(0) + "/ticks")
                        .start();
        try (var lines = curl.inputReader()) {
            for (String line; (line = lines.readLine()) != null; ) {
                if (line.equals("data: one")) {
                    first.set(true);
                    told.release();
                } else if (line.equals("data: two")) {
                    assertTrue(first.get());
                    return;
                }
            }
            throw new AssertionError("the events did not come");
        } finally {
            curl.destroyForcibly();
        }
    }

    @Test
    void certificatesChangeUnderLoadAndNothingFails() throws Exception {
        Tls tls = selfSigned("a");
        selfSigned("b");
        server =
                Server.start(
                        c -> c.loops(2).listen(ANY, tls), r -> r.get("/", q -> Response.text("x")));
        var failures = new AtomicInteger();
        var requests = new AtomicInteger();
        var over = new AtomicBoolean();
        var clients = new ArrayList<Thread>();
        for (int i = 0; i < 4; i++) {
            clients.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (!over.get()) {
                                            failures.addAndGet(askSome());
                                            requests.addAndGet(5);
                                        }
                                    }));
        }
        for (int i = 0; i < 20; i++) {
            int before = requests.get();
            tls.replace(s -> s.selfSigned(folder.resolve(requests.get() % 2 == 0 ? "b" : "a")));
            Path broken = folder.resolve("broken" + i);
            Files.writeString(broken, "");
            assertThrows(
                    IllegalArgumentException.class,
                    () -> tls.replace(s -> s.certificate(broken, broken)));
            Client.await("requests", () -> requests.get() > before, "no more requests");
        }
        over.set(true);
        for (Thread client : clients) {
            client.join();
        }
        assertEquals(0, failures.get(), "of " + requests + " requests");
        assertTrue(requests.get() >= 100);
    }

    /** Five requests on one connection; answers how many failed. */
    private int askSome() {
        int good = 0;
        try (var trusting = new Trusting(port(0))) {
            for (int i = 0; i < 5; i++) {
                good += trusting.get().startsWith("HTTP/1.1 200") ? 1 : 0;
            }
        } catch (IOException e) {
            return 5 - good;
        }
        return 5 - good;
    }

    @Test
    void aReloadBringsOtherCertificates() throws Exception {
        Path a = folder.resolve("a/localhost.pem");
        server =
                Server.start(
                        c -> c.listen(ANY, selfSigned("a")),
                        r -> r.get("/", q -> Response.text("x")));
        assertEquals("x", curl("https://localhost:" + port(0) + "/"));
        int port = port(0);
        server.reload(
                c -> c.listen(ANY, selfSigned("b")), r -> r.get("/", q -> Response.text("y")));
        assertEquals(port, port(0));
        assertTrue(curl("https://localhost:" + port + "/").contains("certificate"));
        Files.copy(
                folder.resolve("b/localhost.pem"),
                a,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertEquals("y", curl("https://localhost:" + port + "/"));
        var refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> server.reload(c -> c.listen(ANY), r -> {}));
        assertTrue(refused.getMessage().contains("cannot change between HTTP and HTTPS"));
        assertEquals("y", curl("https://localhost:" + port + "/"));
    }

    @Test
    void aDrainLetsAResponseEnd() throws Exception {
        var begun = new java.util.concurrent.CountDownLatch(1);
        var go = new java.util.concurrent.CountDownLatch(1);
        server =
                Server.start(
                        c -> c.listen(ANY, selfSigned("a")),
                        r ->
                                r.get(
                                        "/",
                                        q -> {
                                            begun.countDown();
                                            go.await();
                                            return Response.text("the end");
                                        }));
        int port = port(0);
        var answer =
                java.util.concurrent.CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return curl("https://localhost:" + port + "/");
                            } catch (Exception e) {
                                throw new AssertionError(e);
                            }
                        });
        begun.await();
        var stopped =
                java.util.concurrent.CompletableFuture.supplyAsync(
                        () -> server.stop(Duration.ofSeconds(20)));
        go.countDown();
        assertEquals("the end", answer.join());
        assertTrue(stopped.join());
        assertFalse(server.isRunning());
    }

    /** A client that takes any certificate. */
    private static final class Trusting implements AutoCloseable {
        private final javax.net.ssl.SSLSocket socket;

        Trusting(int port) throws IOException {
            try {
                var context = javax.net.ssl.SSLContext.getInstance("TLS");
                context.init(null, new javax.net.ssl.TrustManager[] {new TrustAll()}, null);
                socket =
                        (javax.net.ssl.SSLSocket)
                                context.getSocketFactory().createSocket("127.0.0.1", port);
            } catch (java.security.GeneralSecurityException e) {
                throw new AssertionError(e);
            }
        }

        String get() throws IOException {
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes());
            var all = new StringBuilder();
            var buffer = new byte[4096];
            while (all.indexOf("\r\n\r\nx") < 0) {
                int n = socket.getInputStream().read(buffer);
                if (n < 0) {
                    throw new IOException("ended: " + all);
                }
                all.append(new String(buffer, 0, n, StandardCharsets.ISO_8859_1));
            }
            return all.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static final class TrustAll extends javax.net.ssl.X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] c, String a) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] c, String a) {}

        @Override
        public void checkClientTrusted(
                java.security.cert.X509Certificate[] c, String a, java.net.Socket s) {}

        @Override
        public void checkServerTrusted(
                java.security.cert.X509Certificate[] c, String a, java.net.Socket s) {}

        @Override
        public void checkClientTrusted(
                java.security.cert.X509Certificate[] c, String a, javax.net.ssl.SSLEngine e) {}

        @Override
        public void checkServerTrusted(
                java.security.cert.X509Certificate[] c, String a, javax.net.ssl.SSLEngine e) {}

        @Override
        public java.security.cert.X509Certificate[] getAcceptedIssuers() {
            return new java.security.cert.X509Certificate[0];
        }
    }
}
