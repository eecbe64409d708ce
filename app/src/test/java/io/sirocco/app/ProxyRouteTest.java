// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client.Answer;
import io.sirocco.app.pokerface.Authority;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.Tls;
import io.sirocco.net.TlsSettings.ClientCertificates;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import io.sirocco.web.proxy.UpstreamStats;
import io.sirocco.web.proxy.UpstreamStats.ServerStats;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Routes with the action {@code proxy}, to upstream servers over real sockets. */
@Timeout(60)
class ProxyRouteTest {
    private static final String BEGIN =
            """
            [[listen]]
            address = "127.0.0.1:0"
            """;

    @TempDir Path folder;
    private final List<Server> servers = new ArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private Running running;

    @BeforeAll
    static void loadTheEngine() throws Exception {
        ScriptEngine.load();
    }

    @AfterEach
    void stop() {
        release.countDown();
        if (running != null) running.close();
        servers.forEach(server -> server.stop(Duration.ZERO));
    }

    private Server upstream(Consumer<Routes> routes) {
        Server server = Server.start(config -> config.port(0).loops(1), routes);
        servers.add(server);
        return server;
    }

    /** One that responds with its name, and the path as it came. */
    private Server named(String name) {
        return upstream(
                routes -> routes.get("/*", request -> Response.text(name + request.path())));
    }

    private static String url(Server server) {
        return "http://127.0.0.1:" + server.port();
    }

    private void serve(String toml) throws Exception {
        running = Running.of(folder, TransportKind.AUTO, BEGIN + toml);
    }

    private Answer get(String path, String... fields) throws IOException {
        return Client.get(running.port(), path, fields);
    }

    private static String table(String name, Server... servers) {
        var urls = new ArrayList<String>();
        for (Server server : servers) urls.add('"' + url(server) + '"');
        return """
        [[upstream]]
        name = "%s"
        servers = [%s]
        """
                .formatted(name, String.join(", ", urls));
    }

    @Test
    void twoServersTakeTurnsAndOneThatIsKilledIsEjected() throws Exception {
        Server a = named("a");
        Server b = named("b");
        serve(
                table("api", a, b)
                        + """
                        [admin]
                        address = "127.0.0.1:0"
                        [[site]]
                        [[site.route]]
                        path = "/api/*"
                        proxy = { to = "api", strip = "/api", prefix = "/v2" }
                        """);
        try (var client = new Client(running.port())) { // one connection: one loop
            Map<String, Integer> times = new HashMap<>();
            for (int i = 0; i < 10; i++) {
                times.merge(client.ask("GET", "/api/x?y=1").body(), 1, Integer::sum);
            }
            assertEquals(Map.of("a/v2/x", 5, "b/v2/x", 5), times);
            b.stop(Duration.ZERO);
            for (int i = 0; i < 20; i++) {
                Answer answer = client.ask("GET", "/api/x");
                assertEquals("200 a/v2/x", answer.status() + " " + answer.body());
            }
        }
        String name = "{upstream=\"api\",server=\"" + url(a) + "\"} ";
        String metrics = Client.get(running.adminPort(), "/metrics").body();
        assertTrue(
                metrics.contains("sirocco_upstream_requests_total{upstream=\"api\"} 30\n"),
                metrics);
        assertTrue(metrics.contains("sirocco_upstream_server_up" + name + "1\n"), metrics);
        assertTrue(
                metrics.contains("Without health-path, 1 does not mean that it responds."),
                metrics);
        UpstreamStats stats = running.upstream("api");
        assertEquals(
                List.of("up", "ejected"),
                stats.servers().stream().map(ServerStats::state).toList());
        assertEquals(30, stats.requests());
        assertTrue(stats.retries() >= 3, stats.toString());
        assertEquals(404, get("/elsewhere").status());
    }

    @Test
    void aReloadKeepsStreamsTunnelsAndCounters() throws Exception {
        Server server =
                upstream(
                        routes ->
                                routes.get("/stream", request -> Response.stream(this::slowly))
                                        .get("/socket", request -> echo()));
        String upstream = table("api", server);
        String route =
                """
                [[site]]
                [[site.route]]
                path = "/*"
                proxy = "api"
                """;
        serve(upstream + route);
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        try (HttpClient http = HttpClient.newHttpClient();
                var stream = new Client(running.port())) {
            WebSocket socket = open(http, "/socket", received);
            socket.sendText("one", true).join();
            assertEquals("one", received.take());
            stream.send("GET /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            assertEquals('H', stream.in().read());
            UpstreamStats before = running.upstream("api");
            assertEquals(2, before.requests());

            String more = "headers = { \"X-More\" = \"yes\" }\n";
            running.reload(BEGIN + upstream + route + more);
            socket.sendText("two", true).join();
            assertEquals("two", received.take());
            UpstreamStats kept = running.upstream("api");
            assertEquals(2, kept.requests());
            assertEquals(2, kept.inProgress());
            assertEquals(1, kept.servers().getFirst().tunnels());

            running.reload(BEGIN + route.replace("\"api\"", '"' + url(named("other")) + '"'));
            assertEquals("other/x", get("/x").body());
            socket.sendText("three", true).join();
            assertEquals("three", received.take(), "the upstream has gone, its tunnel stays");
            release.countDown();
            String rest = new String(stream.in().readAllBytes());
            assertTrue(rest.contains("first") && rest.contains("second"), rest);
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
            assertEquals("closed", received.take());
        }
        Eventually.await(
                "the connections of the upstream that was dropped are closed",
                () -> server.stats().stream().allMatch(loop -> loop.net().connections() == 0));
    }

    private void slowly(java.io.OutputStream out) throws IOException {
        out.write("first".getBytes());
        out.flush();
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        out.write("second".getBytes());
    }

    private static Response echo() {
        return Response.webSocket(
                (io.sirocco.http.WebSocketHandler)
                        socket -> {
                            while (socket.receive()
                                    instanceof io.sirocco.http.WebSocket.Text(String text)) {
                                socket.send(text);
                            }
                        });
    }

    private WebSocket open(HttpClient http, String path, BlockingQueue<String> received) {
        var listener =
                new WebSocket.Listener() {
                    @Override
                    public CompletionStage<?> onText(
                            WebSocket socket, CharSequence data, boolean last) {
                        received.add(data.toString());
                        socket.request(1);
                        return null;
                    }

                    @Override
                    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
                        received.add("closed");
                        return null;
                    }
                };
        URI uri = URI.create("ws://127.0.0.1:" + running.port() + path);
        return http.newWebSocketBuilder().buildAsync(uri, listener).join();
    }

    /** Before, the first took the place of a request for ever. */
    @Test
    void aWebSocketPassesScriptsOrIsForwardedByThem() throws Exception {
        Server server = upstream(routes -> routes.get("/socket", request -> echo()));
        Path scripts = Files.createDirectory(folder.resolve("scripts"));
        Files.writeString(
                scripts.resolve("_.js"),
                """
                export const inspectRequest = request =>
                    request.path === "/elsewhere" ? "http://api/socket" : request;
                export function inspectResponse(request, response) {
                    response.headers.set("X-Inspected", "yes");
                }
                """);
        serve(
                table("api", server)
                        + """
                        [[site]]
                        [[site.route]]
                        path = "/*"
                        proxy = "api"
                        script = { folder = "scripts", setup-timeout = "1m", timeout = "30s", contexts = 1, requests-per-context = 1 }
                        """);
        var received = new LinkedBlockingQueue<String>();
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (String path : List.of("/socket", "/elsewhere")) {
                WebSocket socket = open(http, path, received);
                socket.sendText("to " + path, true).join();
                assertEquals("to " + path, received.take());
                assertEquals(1, running.upstream("api").servers().getFirst().tunnels());
                socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
                assertEquals("closed", received.take());
                Eventually.await(
                        "the tunnel is closed", () -> running.upstream("api").inProgress() == 0);
            }
        }
    }

    @Test
    void rulesAndLimitsApplyAsToFiles() throws Exception {
        Server server =
                upstream(
                        routes ->
                                routes.post("/*", r -> Response.text(r.body().text()))
                                        .get("/*", r -> Response.text("open")));
        serve(
                """
                [limits]
                max-body-bytes = "1KiB"
                [[site]]
                [[site.route]]
                path = "/*"
                proxy = "%1$s"
                headers = { "X-Own" = "site" }
                [[site.route]]
                path = "/closed/*"
                proxy = "%1$s"
                deny = ["127.0.0.1"]
                """
                        .formatted(url(server)));
        Answer answer = get("/a");
        assertEquals("open", answer.body());
        assertEquals("site", answer.field("X-Own"));
        assertEquals("nosniff", answer.field("X-Content-Type-Options"));
        assertEquals(403, get("/closed/a").status());
        assertEquals(400, get("/a/../closed/a").status());
        assertEquals("b".repeat(1000), post("b".repeat(1000)).body());
        assertEquals(413, post("b".repeat(1025)).status());
        assertEquals(2, running.upstream(url(server)).requests());
    }

    private Answer post(String body) throws IOException {
        try (var client = new Client(running.port())) {
            client.send(
                    "POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: "
                            + body.length()
                            + "\r\n\r\n"
                            + body);
            return client.last();
        }
    }

    @Tag("peers")
    @Test
    void serversWithTlsAreVerifiedAndAskForACertificate() throws Exception {
        Authority authority = Authority.in(folder);
        authority.signs("backend.test");
        authority.signs("client");
        Tls tls =
                Tls.of(
                        settings ->
                                settings.certificate(
                                                folder.resolve("backend.test.pem"),
                                                folder.resolve("backend.test.key"))
                                        .clientCertificates(
                                                ClientCertificates.NEEDED,
                                                folder.resolve("authority.pem")));
        Server server =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", 0), tls).loops(1),
                        routes -> routes.get("/*", request -> Response.text("over TLS")));
        servers.add(server);
        String toml =
                """
                [[upstream]]
                name = "secure"
                servers = ["https://127.0.0.1:%d"]
                retries = 0
                [upstream.tls]
                authorities = "authority.pem"
                server-name = "backend.test"
                chain = "client.pem"
                key = "client.key"
                [[site]]
                [[site.route]]
                path = "/*"
                proxy = "secure"
                """
                        .formatted(server.port());
        serve(toml);
        assertEquals("over TLS", get("/").body());
        running.reload(BEGIN + toml.replace("backend.test\"", "other.test\""));
        assertEquals(502, get("/").status());
        String said = running.refuses(BEGIN + toml.replace("client.key", "client.pem"));
        assertTrue(said.contains("sirocco.toml:7:11: error: "), said);
        assertTrue(said.contains("client.pem"), said);
    }

    @Test
    void aSocketFileIsRelativeToTheConfiguration() throws Exception {
        Path file = folder.resolve("app.sock");
        servers.add(
                Server.start(
                        config -> config.unixSocket(file).loops(1),
                        routes -> routes.get("/*", request -> Response.text("by a file"))));
        serve(
                """
                [[site]]
                [[site.route]]
                path = "/*"
                proxy = "unix:app.sock"
                """);
        assertEquals("by a file", get("/").body());
        assertEquals(1, running.upstream("unix:" + file).requests());
    }

    @Test
    void anUpstreamWithHealthChecksIsAskedBeforeTheFirstRequest() throws Exception {
        var asked = new CountDownLatch(1);
        Server server =
                upstream(
                        routes ->
                                routes.get(
                                        "/health",
                                        request -> {
                                            asked.countDown();
                                            return Response.text("well");
                                        }));
        serve(
                table("api", server)
                        + """
                        health-path = "/health"
                        health-interval = "1ms"
                        [[site]]
                        [[site.route]]
                        path = "/*"
                        proxy = "api"
                        """);
        asked.await();
        assertEquals(0, running.upstream("api").requests());
    }

    /** Servers that read paths in other ways serve for them what another route protects. */
    @Test
    void noOtherWayToWriteAPathLeadsAroundItsRules() throws Exception {
        serve(
                table("app", named(""))
                        + """
                        [[site]]
                        [[site.route]]
                        path = "/*"
                        proxy = "app"
                        [[site.route]]
                        path = "/admin/*"
                        proxy = "app"
                        allow = ["192.0.2.1"]
                        [[site.route]]
                        path = "/*.php"
                        proxy = "app"
                        allow = ["192.0.2.1"]
                        [[site.route]]
                        path = "/v1.0/*"
                        proxy = "app"
                        allow = ["127.0.0.1"]
                        """);
        for (String path : List.of("/admin/x", "/a.php", "/x/a.php")) {
            assertEquals(403, get(path).status(), path);
        }
        for (String path :
                List.of(
                        "//admin/x",
                        "/admin%2Fx",
                        "/admin%2fx",
                        "/admin%5Cx",
                        "/admin;a/x",
                        "/admin;/x",
                        "/%2Fadmin//x",
                        "/x/a.php/",
                        "/x/a.php/y",
                        "/x/a.php;b",
                        "/x/a.php;b/c.d/e",
                        "/x/a.php%3Bb",
                        "/x/a.php%00",
                        "/x/a.php%2Fy")) {
            assertEquals(400, get(path).status(), path);
        }
        for (String path :
                List.of(
                        "/",
                        "/x%2Fy",
                        "//x",
                        "/x;y/z",
                        "/v1.0/",
                        "/v1.0/a%2Fb",
                        "/v1.0//c",
                        "/b.d/")) {
            Answer answer = get(path);
            assertEquals("200 " + path, answer.status() + " " + answer.body());
        }
    }
}
