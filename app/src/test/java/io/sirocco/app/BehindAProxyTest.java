// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.app.Client.Answer;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A configured server behind proxies: rules, limits, logs and redirects go by the client that a
 * trusted one names, and strangers who play one are taken for what they are. Proxies have the
 * address 127.0.0.2 where they are played; HAProxy and nginx are themselves.
 */
@ParameterizedClass
@EnumSource(
        value = TransportKind.class,
        names = {"AUTO", "NIO"})
@Timeout(120)
class BehindAProxyTest {
    private static final String PROXY = "127.0.0.2";
    private static final String STRANGER = "127.0.0.3";
    private static final String LINE = "PROXY TCP4 192.0.2.7 192.0.2.1 51234 443\r\n";

    @Parameter TransportKind transport;
    @TempDir Path folder;
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) each.close();
    }

    private Running serve(String toml) throws Exception {
        Path site = Files.createDirectories(folder.resolve("site"));
        Files.writeString(site.resolve("index.html"), "home");
        Running running = Running.of(folder, transport, toml);
        open.add(running);
        return running;
    }

    private static Answer ask(int port, String from, String before, String... fields)
            throws IOException {
        var socket = new Socket();
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        try (var client = new Client(socket)) {
            String all = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
            client.send(
                    before
                            + "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n"
                            + all
                            + "\r\n");
            return client.last();
        }
    }

    private static boolean closed(int port, String from, String before) {
        try {
            ask(port, from, before);
            return false;
        } catch (IOException | AssertionError nothingCame) {
            return true;
        }
    }

    private List<String> log(int lines) throws Exception {
        Path log = folder.resolve("access.log");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true) {
            List<String> all = Files.exists(log) ? Files.readAllLines(log) : List.of();
            if (all.size() >= lines) return all;
            assertTrue(System.nanoTime() < end, () -> "lines: " + all);
            LockSupport.parkNanos(200_000);
        }
    }

    private static final String RULES =
            """
            [proxies]
            trusted = ["127.0.0.2"]
            headers = ["x-forwarded-for", "x-forwarded-proto"]
            [access-log]
            file = "access.log"
            [[site]]
            root = "site"
            hsts = "1d"
            deny = ["192.0.2.66", "127.0.0.9"]
            rate-limit = { requests = 1, per = "1h", burst = 2 }
            """;

    private static final String PLAIN =
            """
            [[listen]]
            address = "127.0.0.1:0"
            """;

    @Test
    void rulesAndLimitsAreTheClients() throws Exception {
        int port = serve(PLAIN + RULES).port();
        assertEquals(403, ask(port, PROXY, "", "X-Forwarded-For: 192.0.2.66").status());
        assertEquals(200, ask(port, PROXY, "", "X-Forwarded-For: 192.0.2.7").status());
        assertEquals(200, ask(port, PROXY, "", "X-Forwarded-For: 192.0.2.7").status());
        assertEquals(429, ask(port, PROXY, "", "X-Forwarded-For: 192.0.2.7").status());
        assertEquals(200, ask(port, PROXY, "", "X-Forwarded-For: 192.0.2.8").status());
        assertEquals(400, ask(port, PROXY, "", "X-Forwarded-For: nobody").status());
        String log = String.join("\n", log(6)); // loops write in no common order
        assertTrue(log.contains("\"remote\":\"192.0.2.66\",\"peer\":\"127.0.0.2\""), log);
        assertTrue(log.contains("BAD_FORWARDED"), log);
    }

    @Test
    void aStrangerCannotChooseHisAddress() throws Exception {
        int port = serve(PLAIN + RULES).port();
        for (int i = 0; i < 2; i++) {
            assertEquals(200, ask(port, STRANGER, "", "X-Forwarded-For: 192.0.2." + i).status());
        }
        assertEquals(429, ask(port, STRANGER, "", "X-Forwarded-For: 192.0.2.9").status());
        assertEquals(403, ask(port, "127.0.0.9", "", "X-Forwarded-For: 192.0.2.9").status());
        // nor one behind the proxy, to which the proxy adds the true one
        String injected = "X-Forwarded-For: 192.0.2.50, 192.0.2.66";
        assertEquals(403, ask(port, PROXY, "", injected).status());
        assertEquals(
                403,
                ask(port, PROXY, "", "X-Forwarded-For: 192.0.2.50", "X-Forwarded-For: 192.0.2.66")
                        .status());
        assertTrue(!log(1).getFirst().contains("\"peer\""), log(1).getFirst());
    }

    @Test
    void theSchemeIsTheClients() throws Exception {
        int port = serve(PLAIN + RULES).port();
        String client = "X-Forwarded-For: 192.0.2.7";
        Answer answer = ask(port, PROXY, "", client, "X-Forwarded-Proto: https");
        assertEquals("max-age=86400", answer.field("Strict-Transport-Security"));
        answer = ask(port, PROXY, "", client, "X-Forwarded-Proto: http");
        assertEquals("", answer.field("Strict-Transport-Security"));
        answer = ask(port, STRANGER, "", "X-Forwarded-Proto: https");
        assertEquals("", answer.field("Strict-Transport-Security"));
    }

    @Test
    void redirectsGoWhereTheClientAsked() throws Exception {
        int port = FreePort.tcp();
        serve(
                """
                [[listen]]
                address = "127.0.0.1:%d"
                redirect-to-https = 443
                [proxies]
                trusted = ["127.0.0.2"]
                headers = ["forwarded"]
                [[site]]
                hosts = ["a.test", "b.test", "c.test"]
                canonical-host = "c.test"
                root = "site"
                """
                        .formatted(port));
        Answer plain = ask(port, PROXY, "", "Forwarded: for=192.0.2.7;host=\"b.test:81\"");
        assertEquals("https://b.test/", plain.field("Location"));
        Answer secure =
                ask(port, PROXY, "", "Forwarded: for=192.0.2.7;proto=https;host=\"b.test:81\"");
        assertEquals("https://c.test:81/", secure.field("Location"));
        Answer there = ask(port, PROXY, "", "Forwarded: for=192.0.2.7;proto=https;host=c.test");
        assertEquals(200, there.status());
        Answer stranger =
                ask(port, STRANGER, "", "Forwarded: for=192.0.2.7;proto=https;host=c.test");
        assertEquals("https://a.test/", stranger.field("Location"));
    }

    @Test
    void aProxyOnAUnixSocketIsTrustedByTheWord() throws Exception {
        Running running =
                serve(
                        """
                        [[listen]]
                        address = "unix:a.sock"
                        """
                                + RULES.replace("\"127.0.0.2\"", "\"unix\""));
        assertTrue(running.toString().contains("unix:"));
        var path = UnixDomainSocketAddress.of(folder.resolve("a.sock"));
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(path);
            String request =
                    "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                            + "X-Forwarded-For: 192.0.2.66\r\n\r\n";
            channel.write(ByteBuffer.wrap(request.getBytes(ISO_8859_1)));
            ByteBuffer first = ByteBuffer.allocate(12);
            while (first.hasRemaining() && channel.read(first) >= 0) {
                continue;
            }
            assertEquals("HTTP/1.1 403", new String(first.array(), ISO_8859_1));
        }
    }

    @Test
    void connectionsPerAddressAreThoseOfTheClient() throws Exception {
        String limits = "[limits]\nmax-connections-per-address = 1\n";
        int port = serve(PLAIN + "proxy-protocol = true\n" + limits + RULES).port();
        try (var first = new Socket()) {
            first.bind(new InetSocketAddress(PROXY, 0));
            first.connect(new InetSocketAddress("127.0.0.1", port));
            first.getOutputStream()
                    .write((LINE + "GET / HTTP/1.1\r\nHost: a\r\n\r\n").getBytes(ISO_8859_1));
            assertEquals('H', first.getInputStream().read());
            assertTrue(closed(port, PROXY, LINE), "a second one of the client");
            assertEquals(200, ask(port, PROXY, LINE.replace("2.7", "2.8")).status());
            assertTrue(closed(port, STRANGER, LINE), "a stranger");
        }
    }

    /** Else ten clients would keep a thousand out. */
    @Test
    void connectionsOfAProxyAreNotCountedWhereHeadersNameTheClients() throws Exception {
        String limits = "[limits]\nmax-connections-per-address = 1\n";
        int port = serve(PLAIN + limits + RULES).port();
        try (var first = new Socket()) {
            first.bind(new InetSocketAddress(PROXY, 0));
            first.connect(new InetSocketAddress("127.0.0.1", port));
            first.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1));
            assertEquals('H', first.getInputStream().read());
            assertEquals(200, ask(port, PROXY, "", "X-Forwarded-For: 192.0.2.8").status());
        }
    }

    @Test
    void connectsOfChannelsAreTheClients() throws Exception {
        int port =
                serve(
                                PLAIN
                                        + """
                                        [server]
                                        drain-timeout = "50ms"
                                        [live]
                                        on = true
                                        open = true
                                        connects = 1
                                        connects-per = "1h"
                                        """
                                        + RULES)
                        .port();
        String[] all = {"192.0.2.7", "192.0.2.7", "192.0.2.8"};
        int[] statuses = {200, 429, 200};
        for (int i = 0; i < all.length; i++) {
            assertEquals(statuses[i], connect(port, PROXY, all[i]), all[i]);
        }
        assertEquals(200, connect(port, STRANGER, "192.0.2.9"));
        assertEquals(429, connect(port, STRANGER, "192.0.2.10"));
    }

    private static int connect(int port, String from, String claimed) throws IOException {
        var socket = new Socket();
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        try (var client = new Client(socket)) {
            client.send(
                    "GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: a\r\nConnection: close"
                            + "\r\nX-Forwarded-For: "
                            + claimed
                            + "\r\n\r\n");
            return client.last().status();
        }
    }

    @Test
    void aReloadTrustsOthers() throws Exception {
        Running running = serve(PLAIN + RULES);
        int port = running.port();
        running.reload(PLAIN + RULES.replace("127.0.0.2", STRANGER));
        assertEquals(403, ask(port, STRANGER, "", "X-Forwarded-For: 192.0.2.66").status());
        assertEquals(200, ask(port, PROXY, "", "X-Forwarded-For: 192.0.2.66").status());
        running.reload(PLAIN + "proxy-protocol = true\n" + RULES); // which waits for a start
        assertEquals(403, ask(port, PROXY, "", "X-Forwarded-For: 192.0.2.66").status());
    }

    // ---- true proxies

    private void start(int port, String... command) throws Exception {
        assumeTrue(Files.isExecutable(Path.of(command[0])), command[0] + " is not installed");
        Path log = folder.resolve("proxy.log");
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        open.add(
                () -> {
                    List<ProcessHandle> workers = process.descendants().toList();
                    process.destroyForcibly().onExit().join();
                    workers.forEach(ProcessHandle::destroyForcibly);
                });
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true) {
            try (var _ = new Socket("127.0.0.1", port)) {
                return;
            } catch (IOException notYet) {
                boolean alive = process.isAlive() && System.nanoTime() < end;
                assertTrue(alive, () -> Tail.of(log));
                LockSupport.parkNanos(200_000);
            }
        }
    }

    private interface Tail {
        static String of(Path log) {
            try {
                return Files.readString(log);
            } catch (IOException e) {
                return e.toString();
            }
        }
    }

    private static final String BEHIND_HAPROXY =
            """
            [[listen]]
            address = "127.0.0.1:0"
            proxy-protocol = true
            [[listen]]
            address = "127.0.0.1:0"
            proxy-protocol = true
            tls = true
            [tls]
            self-signed = true
            [proxies]
            trusted = ["127.0.0.1"]
            [[site]]
            root = "site"
            deny = ["127.0.0.9"]
            """;

    @Tag("peers")
    @Test
    void haproxySendsBothVersions() throws Exception {
        List<Integer> ports = serve(BEHIND_HAPROXY).ports();
        int one = FreePort.tcp();
        int two = FreePort.tcp();
        int secure = FreePort.tcp();
        Files.writeString(
                folder.resolve("haproxy.cfg"),
                """
                defaults
                    mode tcp
                    timeout connect 5s
                    timeout client 20s
                    timeout server 20s
                listen one
                    bind 127.0.0.1:%d
                    server a 127.0.0.1:%d send-proxy
                listen two
                    bind 127.0.0.1:%d
                    server a 127.0.0.1:%d send-proxy-v2 proxy-v2-options crc32c,unique-id
                listen secure
                    bind 127.0.0.1:%d
                    server a 127.0.0.1:%d send-proxy-v2 check
                """
                        .formatted(one, ports.get(0), two, ports.get(0), secure, ports.get(1)));
        start(two, "/usr/sbin/haproxy", "-db", "-f", "haproxy.cfg");
        for (int port : new int[] {one, two}) {
            assertEquals(200, ask(port, STRANGER, "").status());
            assertEquals(403, ask(port, "127.0.0.9", "").status());
        }
        assertEquals(200, https(secure, STRANGER));
        assertEquals(403, https(secure, "127.0.0.9"));
        assertTrue(closed(ports.getFirst(), STRANGER, LINE), "not through HAProxy");
    }

    private static int https(int port, String from) throws Exception {
        var context = javax.net.ssl.SSLContext.getInstance("TLS");
        context.init(null, new javax.net.ssl.TrustManager[] {new Anybody()}, null);
        try (var plain = new Socket()) {
            plain.bind(new InetSocketAddress(from, 0));
            plain.connect(new InetSocketAddress("127.0.0.1", port));
            var socket = context.getSocketFactory().createSocket(plain, "localhost", port, true);
            try (var client = new Client(socket)) {
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                return client.last().status();
            }
        }
    }

    private static final class Anybody extends javax.net.ssl.X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] c, String a) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] c, String a) {}

        @Override
        public void checkClientTrusted(
                java.security.cert.X509Certificate[] c, String a, Socket s) {}

        @Override
        public void checkServerTrusted(
                java.security.cert.X509Certificate[] c, String a, Socket s) {}

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

    @Tag("peers")
    @Test
    void nginxNamesItsClientsInHeaders() throws Exception {
        int behind =
                serve(
                                PLAIN
                                        + RULES.replace("127.0.0.2", "127.0.0.1")
                                                .replace("rate-limit", "# rate-limit"))
                        .port();
        int front = FreePort.tcp();
        Files.writeString(
                folder.resolve("nginx.conf"),
                """
                worker_processes 1;
                error_log stderr warn;
                events { worker_connections 64; }
                http {
                    access_log off;
                    client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp;
                    uwsgi_temp_path temp; scgi_temp_path temp;
                    server {
                        listen 127.0.0.1:%d;
                        location / {
                            proxy_pass http://127.0.0.1:%d;
                            proxy_set_header Host $http_host;
                            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                            proxy_set_header X-Forwarded-Proto https;
                        }
                    }
                }
                """
                        .formatted(front, behind));
        start(
                front,
                "/usr/sbin/nginx",
                "-p",
                ".",
                "-g",
                "daemon off; pid nginx.pid;",
                "-c",
                "nginx.conf");
        Answer answer = ask(front, STRANGER, "");
        assertEquals(200, answer.status());
        assertEquals("max-age=86400", answer.field("Strict-Transport-Security"));
        assertEquals(403, ask(front, "127.0.0.9", "").status());
        // whatever he says of himself, in one line or in two
        assertEquals(403, ask(front, "127.0.0.9", "", "X-Forwarded-For: 192.0.2.7").status());
        assertEquals(
                403,
                ask(front, "127.0.0.9", "", "X-Forwarded-For: 192.0.2.7", "X-Forwarded-For: ::1")
                        .status());
        assertEquals(200, ask(front, STRANGER, "", "X-Forwarded-For: 127.0.0.9").status());
    }

    private static final String ANNOUNCING =
            """
            [[listen]]
            address = "127.0.0.1:0"
            [[upstream]]
            name = "one"
            servers = ["http://127.0.0.1:PORT"]
            proxy-protocol = "v1"
            [[upstream]]
            name = "two"
            servers = ["http://127.0.0.1:PORT"]
            proxy-protocol = "v2"
            health-path = "/health"
            [[site]]
            [[site.route]]
            path = "/one"
            proxy = "one"
            [[site.route]]
            path = "/two"
            proxy = "two"
            """;

    /** Both versions, from two addresses, to a server that responds with what it was told. */
    private void assertAnnounced(int behind) throws Exception {
        int port = serve(ANNOUNCING.replace("PORT", Integer.toString(behind))).port();
        for (String target : List.of("/one", "/two", "/one", "/two")) {
            for (String from : List.of("127.0.0.1", "127.0.0.9")) {
                try (var socket = new Socket()) {
                    socket.bind(new InetSocketAddress(from, 0));
                    socket.connect(new InetSocketAddress("127.0.0.1", port));
                    try (var client = new Client(socket)) {
                        for (int i = 0; i < 3; i++) {
                            assertEquals(
                                    from + " " + socket.getLocalPort(),
                                    client.ask("GET", target).body().strip());
                        }
                    }
                }
            }
        }
    }

    @Tag("peers")
    @Test
    void haproxyIsToldTheClient() throws Exception {
        int behind = FreePort.tcp();
        Files.writeString(
                folder.resolve("haproxy.cfg"),
                """
                defaults
                    mode http
                    timeout connect 5s
                    timeout client 20s
                    timeout server 20s
                frontend told
                    bind 127.0.0.1:%d accept-proxy
                    http-request return status 200 content-type text/plain lf-string "%%[src] %%[src_port]"
                """
                        .formatted(behind));
        start(behind, "/usr/sbin/haproxy", "-db", "-f", "haproxy.cfg");
        assertAnnounced(behind);
    }

    @Tag("peers")
    @Test
    void nginxIsToldTheClient() throws Exception {
        int behind = FreePort.tcp();
        Files.writeString(
                folder.resolve("nginx.conf"),
                """
                worker_processes 1;
                error_log stderr warn;
                events { worker_connections 64; }
                http {
                    access_log off;
                    client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp;
                    uwsgi_temp_path temp; scgi_temp_path temp;
                    server {
                        listen 127.0.0.1:%d proxy_protocol;
                        location / { return 200 "$proxy_protocol_addr $proxy_protocol_port"; }
                    }
                }
                """
                        .formatted(behind));
        start(
                behind,
                "/usr/sbin/nginx",
                "-p",
                ".",
                "-g",
                "daemon off; pid nginx.pid;",
                "-c",
                "nginx.conf");
        assertAnnounced(behind);
    }
}
