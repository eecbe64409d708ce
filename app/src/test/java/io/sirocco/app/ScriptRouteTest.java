// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client.Answer;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Routes with {@code script}, over real sockets. */
@Timeout(120)
class ScriptRouteTest {
    private static final String BEGIN =
            """
            [[listen]]
            address = "127.0.0.1:0"
            """;

    @TempDir Path folder;
    private final List<Server> servers = new ArrayList<>();
    private Running running;

    @BeforeAll
    static void loadTheEngine() throws Exception {
        ScriptEngine.load();
    }

    @AfterEach
    void stop() {
        if (running != null) running.close();
        servers.forEach(server -> server.stop(Duration.ZERO));
    }

    private void script(String name, String text) throws IOException {
        Path file = folder.resolve("scripts").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** Responds with its name, the method, the target, the headers that matter, and the body. */
    private String upstream(String name) {
        Server server =
                Server.start(
                        config -> config.port(0).loops(1),
                        routes ->
                                routes.any(
                                        "/*",
                                        request ->
                                                Response.text(
                                                        "%s %s %s %s %s"
                                                                .formatted(
                                                                        name,
                                                                        request.method(),
                                                                        request.target(),
                                                                        request.header(
                                                                                        "X-Forwarded-For")
                                                                                .orElse("-"),
                                                                        request.body().text()))));
        servers.add(server);
        return "http://127.0.0.1:" + server.port();
    }

    private static String refusing() {
        return "http://127.0.0.1:" + FreePort.tcp();
    }

    private static String table(String name, String... urls) {
        return """
        [[upstream]]
        name = "%s"
        servers = ["%s"]
        """
                .formatted(name, String.join("\", \"", urls));
    }

    private void serve(String toml) throws Exception {
        running = Running.of(folder, TransportKind.AUTO, BEGIN + toml);
    }

    private String get(String path) throws IOException {
        Answer answer = Client.get(running.port(), path);
        assertEquals(200, answer.status(), answer.body());
        return answer.body();
    }

    private Answer post(String path, String body) throws IOException {
        try (var client = new Client(running.port())) {
            client.send(
                    "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                            .formatted(path, body.length(), body));
            return client.last();
        }
    }

    @Test
    void aScriptRespondsOrLetsTheRequestPassToFiles() throws Exception {
        script(
                "hello.js",
                """
                let greeting;
                export function setup(context) { greeting = context.config.greeting; }
                export async function generateResponse(request) {
                    const name = request.method === "POST" ? (await request.json()).name : "you";
                    return { body: `${greeting}, ${name}` };
                }
                """);
        Files.writeString(Files.createDirectory(folder.resolve("site")).resolve("a.txt"), "a file");
        serve(
                """
                [[site]]
                root = "site"
                headers = { "X-Site" = "1" }
                [[site.route]]
                path = "/*"
                script = { folder = "scripts", timeout = "60s", config = { greeting = "Hello" } }
                """);
        Answer hello = Client.get(running.port(), "/hello");
        assertEquals("Hello, you", hello.body());
        assertEquals("1", hello.field("X-Site"), "rules of the route apply");
        assertEquals("Hello, Ada", post("/hello", "{\"name\": \"Ada\"}").body());
        assertEquals("a file", get("/a.txt"));
        assertEquals(404, Client.get(running.port(), "/none").status());
        assertEquals(405, post("/a.txt", "").status());
    }

    @Test
    void scriptsReachUpstreamsByNameThroughTheProxy() throws Exception {
        script(
                "_.js",
                """
                export async function inspectRequest(request) {
                    switch (request.query.get("do")) {
                        case "forward": return "http://api/v1" + request.path + "?q=1";
                        case "choose": request.upstream = "other"; return request;
                        case "fetch": {
                            const response = await fetch("api", "/fetched", { method: "PUT", body: "b" });
                            return { body: response.status + " " + await response.text() };
                        }
                        case "unknown": return "http://nowhere/";
                        case "any": return "http://127.0.0.1:1/";
                        default: return request;
                    }
                }
                export function inspectResponse(request, response) {
                    response.headers.set("X-Inspected", response.status);
                }
                """);
        serve(
                table("api", refusing(), upstream("api"))
                        + "max-failures = 0\n"
                        + table("other", upstream("other"))
                        + """
                        [[site]]
                        [[site.route]]
                        path = "/*"
                        proxy = "other"
                        cache = true
                        script = { folder = "scripts", timeout = "60s" }
                        """);
        for (int i = 0; i < 4; i++) { // each second one is tried again
            assertEquals("api POST /v1/a?q=1 127.0.0.1 body", post("/a?do=forward", "body").body());
            assertEquals("200 api PUT /fetched - b", get("/a?do=fetch"));
        }
        assertEquals("other POST /b?do=choose 127.0.0.1 body", post("/b?do=choose", "body").body());
        Answer passed = Client.get(running.port(), "/c");
        assertEquals("other GET /c 127.0.0.1 ", passed.body());
        assertEquals("200", passed.field("X-Inspected"));
        assertTrue(passed.field("Cache-Status").startsWith("sirocco; fwd="), passed.head());
        assertEquals(500, Client.get(running.port(), "/?do=unknown").status());
        assertEquals(500, Client.get(running.port(), "/?do=any").status());
        assertEquals(8, running.upstream("api").requests());
        assertTrue(running.upstream("api").retries() >= 2, running.upstream("api").toString());
    }

    @Test
    void otherOriginsNeedThePermissionOfTheOperator() throws Exception {
        String url = upstream("far");
        script("forward.js", "export default () => \"%s/f\";".formatted(url));
        script(
                "fetch.js",
                "export default async () => ({ body: await (await fetch(\"%s\", \"/g\")).text() });"
                        .formatted(url));
        serve(
                """
                [[site]]
                [[site.route]]
                path = "/*"
                script = { folder = "scripts", timeout = "60s", any-upstream = true }
                """);
        assertTrue(get("/forward").startsWith("far GET /f "));
        assertTrue(get("/fetch").startsWith("far GET /g "));
    }

    @Test
    void aReloadKeepsScriptsThatItDoesNotChange() throws Exception {
        script(
                "count.js",
                """
                export function generateResponse() {
                    return { body: kv.increment("requests") + " " + (kv.get("completed") ?? 0) };
                }
                export function responseCompleted(request, outcome) {
                    if (outcome.complete) kv.increment("completed");
                }
                """);
        script("far.js", "export default () => \"http://later/\";");
        script(
                "up.js",
                """
                let fetched;
                export async function setup() {
                    try {
                        fetched = await (await fetch("later", "/setup")).text();
                    } catch (e) {
                        fetched = "none";
                    }
                }
                export default () => ({ body: fetched });
                """);
        String route =
                """
                [[site]]
                [[site.route]]
                path = "/*"
                script = { folder = "scripts", timeout = "60s" }
                """;
        serve(route);
        assertEquals("1 0", get("/count"));
        Eventually.await("responseCompleted", () -> !get("/count").endsWith(" 0"));
        assertEquals(500, Client.get(running.port(), "/far").status());
        long before = Long.parseLong(get("/count").split(" ")[0]);
        running.reload(BEGIN + table("later", upstream("later")) + route);
        assertTrue(get("/far").startsWith("later GET / "));
        assertEquals(before + 1, Long.parseLong(get("/count").split(" ")[0]));
        String refused = running.refuses(BEGIN + route.replace("\"scripts\"", "\"nowhere\""));
        assertTrue(refused.contains("does not exist"), refused);
        assertEquals(before + 2, Long.parseLong(get("/count").split(" ")[0]));
        assertEquals("none", get("/up"));
        running.reload(BEGIN + table("later", upstream("later")) + route.replace("60s", "61s"));
        assertEquals("later GET /setup - ", get("/up"));
        assertTrue(get("/count").startsWith("1 "), "other scripts");
        running.reload(BEGIN + route.replaceFirst("script = .*", ""));
        assertEquals(404, Client.get(running.port(), "/count").status());
    }

    /** Headers of an upstream pass a script as the bytes that they are, unless it sets them. */
    @Test
    void headersOfAnUpstreamPassAsBytes() throws Exception {
        String location = "/caf\u00c3\u00a9?a=%20";
        Server server =
                Server.start(
                        config -> config.port(0).loops(1),
                        routes ->
                                routes.any(
                                        "/*",
                                        request ->
                                                Response.forwarded(
                                                        301,
                                                        Headers.of(
                                                                "Location",
                                                                location,
                                                                "Trailer",
                                                                "Digest",
                                                                "X-Bytes",
                                                                "\u0080\u00ff"),
                                                        "moved".getBytes(UTF_8))));
        servers.add(server);
        script(
                "_.js",
                """
                export function inspectRequest(request) {
                    switch (request.query.get("do")) {
                        case "named": return "http://api/x";
                        case "other": return "%s/x";
                    }
                    return request;
                }
                export async function inspectResponse(request, response) {
                    switch (request.query.get("then")) {
                        case "set": response.headers.set("X-Own", "1"); break;
                        case "read": await response.text(); break;
                        case "replace": response.body = await response.text(); break;
                        case "body": response.body = "moved";
                    }
                }
                """
                        .formatted("http://127.0.0.1:" + server.port()));
        running =
                Running.of(
                        folder,
                        TransportKind.AUTO,
                        BEGIN
                                + """
                                [[upstream]]
                                name = "api"
                                servers = ["http://127.0.0.1:%d"]
                                [[site]]
                                [[site.route]]
                                path = "/*"
                                script = { folder = "scripts", any-upstream = true }
                                proxy = "api"
                                """
                                        .formatted(server.port()));
        for (String how : List.of("let", "named", "other")) {
            for (String then : List.of("none", "set", "read", "replace", "body")) {
                Answer answer = Client.get(running.port(), "/?do=" + how + "&then=" + then);
                String what = how + " " + then + ": " + answer.head();
                assertEquals(301, answer.status(), what);
                assertEquals(location, answer.field("Location"), what);
                assertEquals("\u0080\u00ff", answer.field("X-Bytes"), what);
                assertTrue(answer.body().contains("moved"), what);
            }
        }
    }
}
