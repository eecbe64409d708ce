// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client.Answer;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.WebSocketHandler;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Routes with {@code files-first}, over real sockets. */
@ParameterizedClass
@EnumSource(
        value = TransportKind.class,
        names = {"IO_URING", "NIO"})
@Timeout(60)
class FilesFirstTest {
    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Server upstream;
    private Running running;

    @BeforeAll
    static void loadTheEngine() throws Exception {
        ScriptEngine.load();
    }

    @BeforeEach
    void start() throws IOException {
        upstream =
                Server.start(
                        config -> config.port(0).loops(1),
                        routes ->
                                routes.any(
                                                "/*",
                                                r ->
                                                        Response.text(
                                                                r.method()
                                                                        + " "
                                                                        + r.target()
                                                                        + " "
                                                                        + r.body().text()))
                                        .get("/socket", r -> echo()));
        write("public/a.txt", "the file");
        write("public/docs/index.html", "the index");
        write("public/images/a.svg", "<svg/>");
        write("public/.secret", "hidden");
        write("public/closed/a.txt", "closed");
    }

    @AfterEach
    void stop() {
        if (running != null) running.close();
        upstream.stop(Duration.ZERO);
    }

    private static Response echo() {
        return Response.webSocket(
                (WebSocketHandler)
                        socket -> {
                            while (socket.receive()
                                    instanceof io.sirocco.http.WebSocket.Text(String text)) {
                                socket.send(text);
                            }
                        });
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void serve(String routes) throws Exception {
        running =
                Running.of(
                        folder,
                        transport,
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        [[upstream]]
                        name = "app"
                        servers = ["http://127.0.0.1:%d"]
                        [[site]]
                        root = "public"
                        cache-check = "0s"
                        """
                                        .formatted(upstream.port())
                                + routes);
    }

    private static final String ALL =
            """
            [[site.route]]
            path = "/*"
            files-first = true
            proxy = "app"
            """;

    private String ask(String method, String target, String body) throws IOException {
        try (var client = new Client(running.port())) {
            client.send(
                    method
                            + " "
                            + target
                            + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                            + (body.isEmpty() ? "" : "Content-Length: " + body.length() + "\r\n")
                            + "\r\n"
                            + body);
            Answer answer = client.last();
            return answer.status() + " " + answer.body();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /a.txt, 200 the file",
        "GET, /a.txt?x=1, 200 the file",
        "GET, /%61.txt, 200 the file",
        "GET, /a.txt/, 200 GET /a.txt/",
        "GET, /b.txt?x=%20, 200 GET /b.txt?x=%20",
        "GET, /docs/, 200 the index",
        "GET, /docs, '301 '",
        "GET, /images/, 200 GET /images/",
        "GET, /images, 200 GET /images",
        "GET, /.secret, 200 GET /.secret",
        "GET, /, 200 GET /",
        "HEAD, /a.txt, '200 '",
        "POST, /a.txt, 200 POST /a.txt text",
        "DELETE, /a.txt, 200 DELETE /a.txt",
        "OPTIONS, /a.txt, 200 OPTIONS /a.txt",
        "GET, /%2e%2e/sirocco.toml, 400 The path must not contain the segments . and ..",
        "GET, /../sirocco.toml, 400 The path must not contain the segments . and ..",
    })
    void aFileIsServedAndAllElseIsForwarded(String method, String target, String expected)
            throws Exception {
        serve(ALL);
        String response = ask(method, target, method.equals("POST") ? "text" : "");
        assertEquals(expected.strip(), response.strip());
    }

    @Test
    void aFileThatAppearsShadowsTheServerUntilItIsRemoved() throws Exception {
        serve(ALL);
        try (var client = new Client(running.port())) {
            assertEquals("GET /logo.png ", client.ask("GET", "/logo.png").body());
            write("public/logo.png", "a copy");
            assertEquals("a copy", client.ask("GET", "/logo.png").body());
            Answer part = client.ask("GET", "/logo.png", "Range: bytes=2-5");
            assertEquals("206 copy", part.status() + " " + part.body());
            upstream.stop(Duration.ZERO);
            assertEquals("a copy", client.ask("GET", "/logo.png").body());
            Files.delete(folder.resolve("public/logo.png"));
            assertEquals(502, client.ask("GET", "/logo.png").status());
        }
    }

    @Test
    void aWebSocketIsForwarded() throws Exception {
        serve(ALL);
        var received = new CompletableFuture<String>();
        var listener =
                new WebSocket.Listener() {
                    @Override
                    public CompletionStage<?> onText(
                            WebSocket socket, CharSequence data, boolean last) {
                        received.complete(data.toString());
                        return null;
                    }
                };
        try (HttpClient http = HttpClient.newHttpClient()) {
            URI uri = URI.create("ws://127.0.0.1:" + running.port() + "/socket");
            WebSocket socket = http.newWebSocketBuilder().buildAsync(uri, listener).join();
            socket.sendText("hello", true).join();
            assertEquals("hello", received.join());
            socket.abort();
        }
    }

    @Test
    void aRouteHasARootAndAPrefixOfItsOwn() throws Exception {
        write("assets/b.txt", "an asset");
        serve(
                """
                [[site.route]]
                path = "/static/*"
                files-first = true
                root = "assets"
                strip = "/static"
                proxy = { to = "app", strip = "/static", prefix = "/v2" }
                """);
        assertEquals("200 an asset", ask("GET", "/static/b.txt", ""));
        assertEquals("200 GET /v2/c.txt ", ask("GET", "/static/c.txt", ""));
        assertEquals("200 the file", ask("GET", "/a.txt", ""));
        assertEquals("404 Not Found", ask("GET", "/c.txt", ""));
    }

    /** PokerFace: an existing file beats a script and a target, for GET and HEAD only. */
    @Test
    void aFileGoesBeforeAScript() throws Exception {
        write("scripts/a.txt.js", "export const generateResponse = () => ({ body: 'scripted' });");
        write("scripts/b.txt.js", "export const generateResponse = () => ({ body: 'scripted' });");
        serve(
                ALL
                        + "script = { folder = \"scripts\", setup-timeout = \"60s\", timeout = \"60s\" }\n");
        assertEquals("200 the file", ask("GET", "/a.txt", ""));
        assertEquals("200 scripted", ask("POST", "/a.txt", "text"));
        assertEquals("200 scripted", ask("GET", "/b.txt", ""));
        assertEquals("200 GET /c.txt ", ask("GET", "/c.txt", ""));
    }

    @Test
    void theAccessRulesOfAFileHold() throws Exception {
        serve(
                ALL
                        + """
                        [[site.route]]
                        path = "/closed/*"
                        deny = ["127.0.0.1"]
                        files-first = true
                        proxy = "app"
                        [[site.route]]
                        path = "/again/*"
                        strip = "/again"
                        root = "public"
                        files-first = true
                        proxy = "app"
                        """);
        assertEquals("403 Forbidden", ask("GET", "/closed/a.txt", ""));
        assertEquals("403 Forbidden", ask("GET", "/closed/b.txt", ""));
        assertEquals("403 Forbidden", ask("GET", "/again/closed/a.txt", ""));
        assertEquals("200 the file", ask("GET", "/again/a.txt", ""));
        assertTrue(ask("GET", "//closed/a.txt", "").startsWith("400 "));
    }

    @Test
    void aRedirectCanComeBehindFiles() throws Exception {
        serve(
                """
                [[site.route]]
                path = "/*"
                files-first = true
                redirect = { to = "https://example.org/{*}" }
                """);
        assertEquals("200 the file", ask("GET", "/a.txt", ""));
        assertEquals("308", ask("GET", "/b.txt", "").substring(0, 3));
    }
}
