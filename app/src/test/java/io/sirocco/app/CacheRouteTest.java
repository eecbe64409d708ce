// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client.Answer;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Routes with {@code proxy} and {@code cache}, over real sockets. */
@Timeout(60)
class CacheRouteTest {
    private static final String BEGIN =
            """
            [[listen]]
            address = "127.0.0.1:0"
            [admin]
            address = "127.0.0.1:0"
            """;

    @TempDir Path folder;
    private final AtomicInteger requests = new AtomicInteger();
    private Server upstream;
    private Running running;

    /** Responds with the number of the request, and a tag that is the first part of the path. */
    @BeforeEach
    void start() {
        upstream =
                Server.start(
                        config -> config.port(0).loops(1),
                        routes ->
                                routes.get(
                                        "/{tag}/*",
                                        request ->
                                                Response.text("n" + requests.incrementAndGet())
                                                        .header("Cache-Control", "max-age=3600")
                                                        .header(
                                                                "Cache-Tag",
                                                                request.param("tag"))));
    }

    @AfterEach
    void stop() {
        if (running != null) running.close();
        upstream.stop(Duration.ZERO);
    }

    private String route(String path, String cache) {
        return """
        [[site.route]]
        path = "%s"
        proxy = "http://127.0.0.1:%d"
        cache = %s
        """
                .formatted(path, upstream.port(), cache);
    }

    private void serve(String toml) throws Exception {
        running = Running.of(folder, TransportKind.AUTO, BEGIN + toml);
    }

    private String get(String path, String... fields) throws IOException {
        Answer answer = Client.get(running.port(), path, fields);
        assertEquals(200, answer.status());
        return answer.body();
    }

    private Answer purge(String json) throws IOException {
        try (var client = new Client(running.adminPort())) {
            client.send(
                    "POST /cache/purge HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                            + json.length()
                            + "\r\n\r\n"
                            + json);
            return client.next(false);
        }
    }

    /** Who is served can purge at once: the admin server is there first. */
    @Test
    void aPurgeRightAfterTheStartIsServed() throws Exception {
        int port = FreePort.tcp();
        int adminPort = FreePort.tcp();
        String toml =
                BEGIN.replaceFirst(":0", ":" + port).replaceFirst(":0", ":" + adminPort)
                        + "[[site]]\n"
                        + route("/*", "true");
        var purged = new FutureTask<>(() -> purgedWhenServed(port, adminPort));
        Thread.ofVirtual().start(purged);
        running = Running.of(folder, TransportKind.AUTO, toml);
        assertEquals("{\"removed\":0,\"caches\":{\"default\":0}}", purged.get());
    }

    private static String purgedWhenServed(int port, int adminPort) throws Exception {
        Eventually.await("the server listens", () -> accepts(port));
        try (var client = new Client(adminPort)) {
            client.send(
                    "POST /cache/purge HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n"
                            + "{\"all\": true}");
            return client.next(false).body();
        }
    }

    private static boolean accepts(int port) {
        try {
            new Client(port).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static String url(String path) {
        return "http://localhost" + path; // as the client names the host
    }

    @Test
    void eachRouteHasItsRules() throws Exception {
        serve(
                "[[site]]\n"
                        + route("/*", "true")
                        + route("/off/*", "false")
                        + route(
                                "/rules/*",
                                "{ ignore-query = [\"utm_*\"], key-cookies = [\"currency\"],"
                                        + " bypass-headers = [\"X-Fresh\"], bypass-cookies ="
                                        + " [\"wp_*\"] }"));
        assertEquals("n1", get("/a/b"));
        assertEquals("n1", get("/a/b"));
        assertEquals("n2", get("/off/b"));
        assertEquals("n3", get("/off/b"));
        assertEquals("n4", get("/rules/b?utm_source=a"));
        assertEquals("n4", get("/rules/b"));
        assertEquals("n5", get("/rules/b", "Cookie: currency=EUR"));
        assertEquals("n6", get("/rules/b", "X-Fresh: 1"));
        assertEquals("n7", get("/rules/b", "Cookie: a=b; wp_login_8f=x"));
        assertEquals("n4", get("/rules/b", "Cookie: a=b"));
        assertEquals("n8", get("/a/b?utm_source=a"));
    }

    @Test
    void aReloadKeepsWhatIsStoredUnlessItChangesTheCache() throws Exception {
        String site = "[[site]]\n" + route("/*", "true");
        serve("[cache]\nmemory = \"2MiB\"\n" + site);
        assertEquals("n1", get("/a/b"));
        running.reload(BEGIN + "[cache]\nmemory = \"2MiB\"\n" + site + route("/off/*", "false"));
        assertEquals("n1", get("/a/b"));
        assertTrue(running.refuses(BEGIN + "[cache]\nmemory = 1\n" + site).contains("too small"));
        assertEquals("n1", get("/a/b"));
        running.reload(BEGIN + "[cache]\nmemory = \"3MiB\"\n" + site + route("/other/*", "false"));
        assertEquals("n2", get("/a/b"));
        running.reload(BEGIN + "[[site]]\n" + route("/*", "false"));
        assertEquals("n3", get("/a/b"));
    }

    @Test
    void theDiskOutlivesTheProcessAndChangesOnlyByARestart() throws Exception {
        String disk =
                """
                [cache]
                disk = { folder = "cache", size = "8MiB" }
                memory-body = 0
                """;
        String site = "[[site]]\n" + route("/*", "true");
        serve(disk + site);
        assertEquals("n1", get("/a/b"));
        running.reload(BEGIN + disk.replace("8MiB", "9MiB") + site);
        assertEquals("n1", get("/a/b"), "it is open already");
        String used = Running.refusal(folder, TransportKind.AUTO, BEGIN + disk + site);
        assertTrue(used.contains("sirocco.toml:6:19: error: ") && used.contains("in use"), used);
        running.close();
        Files.createFile(Files.createDirectory(folder.resolve("full")).resolve("file"));
        String full = disk.replace("\"cache\"", "\"full\"");
        String said = Running.refusal(folder, TransportKind.AUTO, BEGIN + full + site);
        assertTrue(said.contains("files of others"), said);
        serve(disk.replace("8MiB", "9MiB") + site);
        assertEquals("n1", get("/a/b"), "from the disk");
    }

    @Test
    void operatorsPurgeByUrlByTagOrEverything() throws Exception {
        serve(
                "[[cache]]\nname = \"pages\"\n[[cache]]\nname = \"other\"\n[[site]]\n"
                        + route("/*", "\"pages\"")
                        + route("/other/*", "\"other\""));
        for (String path : new String[] {"/a/1", "/a/2", "/b/1", "/other/1"}) get(path);
        assertEquals(4, requests.get());
        Answer one = purge("{\"url\": \"" + url("/a/1") + "\"}");
        assertEquals(200, one.status(), one.body());
        assertEquals("{\"removed\":1,\"caches\":{\"pages\":1,\"other\":0}}", one.body());
        assertEquals("n5", get("/a/1"));
        assertEquals(
                "{\"removed\":0,\"caches\":{\"other\":0}}",
                purge("{\"tag\": \"a\", \"cache\": \"other\"}").body());
        assertEquals(
                "{\"removed\":2,\"caches\":{\"pages\":2,\"other\":0}}",
                purge("{\"tag\": [\"a\", \"none\"]}").body());
        assertEquals("n6", get("/a/1"));
        assertEquals("n3", get("/b/1"));
        assertEquals(
                "{\"removed\":3,\"caches\":{\"pages\":2,\"other\":1}}",
                purge("{\"all\": true}").body());
        assertEquals("n7", get("/b/1"));
        String[] wrong = {
            "",
            "[]",
            "{}",
            "{\"all\": false}",
            "{\"url\": \"/a/1\"}",
            "{\"tag\": 1}",
            "{\"tag\": []}",
            "{\"all\": true, \"tag\": \"a\"}",
            "{\"all\": true, \"cache\": \"none\"}",
            "{\"key\": 1}"
        };
        for (String each : wrong) {
            assertEquals(400, purge(each).status(), each);
        }
        assertEquals("n7", get("/b/1"));
    }

    @Test
    void theMetricsCount() throws Exception {
        serve("[[site]]\n" + route("/*", "true"));
        get("/a/1");
        get("/a/1");
        String metrics = Client.get(running.adminPort(), "/metrics").body();
        for (String line :
                new String[] {
                    "hits_total{cache=\"default\"} 1",
                    "misses_total{cache=\"default\"} 1",
                    "stored_total{cache=\"default\"} 1",
                    "entries{cache=\"default\"} 1",
                    "evicted_total{cache=\"default\"} 0"
                }) {
            assertTrue(metrics.contains("\nsirocco_cache_" + line), line + "\n" + metrics);
        }
    }
}
