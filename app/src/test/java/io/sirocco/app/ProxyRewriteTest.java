// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.app.Client.Answer;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Routes with {@code rewrite} and {@code proxy}, over real sockets. */
@Timeout(60)
class ProxyRewriteTest {
    private static final String SITE =
            """
            [[listen]]
            address = "127.0.0.1:0"
            [cache]
            [[upstream]]
            name = "app"
            servers = ["http://127.0.0.1:%d"]
            [[site]]
            [[site.route]]
            path = "/item/{id}"
            rewrite = "/item.php?id={id}"
            proxy = "app"
            [[site.route]]
            path = "/shop/{lang}/*"
            rewrite = "/{lang}/shop/{*}"
            proxy = "app"
            [[site.route]]
            path = "/*.html"
            rewrite = "/{*}"
            proxy = "app"
            [[site.route]]
            path = "/dots/*"
            rewrite = "/{*}"
            proxy = { to = "app", allow-dot-segments = true }
            [[site.route]]
            path = "/news/*"
            rewrite = "/feed"
            proxy = "app"
            cache = { default-ttl = { 200 = "1h" } }
            [[site.route]]
            path = "/scripted/*"
            rewrite = "/plain/{*}"
            proxy = "app"
            script = { folder = "scripts", setup-timeout = "60s", timeout = "60s" }
            """;

    @TempDir static Path folder;
    private static Server upstream;
    private static Running running;

    @BeforeAll
    static void start() throws Exception {
        ScriptEngine.load();
        upstream =
                Server.start(
                        config -> config.port(0).loops(1),
                        routes ->
                                routes.any(
                                        "/*",
                                        r -> Response.text(r.target() + " " + r.body().text())));
        Path scripts = Files.createDirectories(folder.resolve("scripts/scripted"));
        Files.writeString(
                scripts.resolve("_.js"),
                """
                export function inspectRequest(request) {
                    if (request.path.endsWith("/other")) {
                        request.path = "/chosen";
                        request.upstream = "app";
                    }
                    return request;
                }
                """);
        running = Running.of(folder, TransportKind.AUTO, SITE.formatted(upstream.port()));
    }

    @AfterAll
    static void stop() {
        if (running != null) running.close();
        upstream.stop(Duration.ZERO);
    }

    @ParameterizedTest
    @CsvSource({
        "/item/7, /item.php?id=7",
        "/item/7?x=1&y=2, /item.php?id=7&x=1&y=2",
        "/item/7?, /item.php?id=7",
        "/item/a%26id=8%23b, /item.php?id=a%26id%3D8%23b",
        "/item/a%2Fb%3Fc, /item.php?id=a%2Fb%3Fc",
        "/item/a%0D%0AX:%20b, /item.php?id=a%0D%0AX%3A%20b",
        "/shop/de/a/b%20c, /de/shop/a/b%20c",
        "/shop/de/, /de/shop/",
        "/shop/de/a%3Fb?c, /de/shop/a%3Fb?c",
        "/a/b.html?x, /a/b?x",
        "/scripted/a?x, /plain/a?x",
        "/scripted/other, /chosen",
    })
    void thePathIsReplaced(String target, String expected) throws Exception {
        Answer answer = Client.get(running.port(), target);
        assertEquals("200 " + expected + " ", answer.status() + " " + answer.body());
    }

    /** A suffix that is removed can leave dots alone in their segment. */
    @ParameterizedTest
    @CsvSource({
        "/a/...html, 400",
        "/a/..%2e/x.html, 200",
        "/a/...html/b.html, 200",
        "/item/.., 400",
        "/item/%2e%2e, 400",
        "/shop/../x, 400",
        "/dots/a/../b, 200",
    })
    void neitherPathHasDotSegments(String target, int status) throws Exception {
        assertEquals(status, Client.get(running.port(), target).status());
    }

    @Test
    void theBodyIsForwarded() throws Exception {
        try (var client = new Client(running.port())) {
            client.send(
                    "POST /item/7 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + "4\r\ntext\r\n0\r\n\r\n");
            assertEquals("/item.php?id=7 text", client.next(false).body());
        }
    }

    /** The key of the cache is what the client has requested. */
    @Test
    void twoPathsAreTwoEntriesOfTheCache() throws Exception {
        for (String path : new String[] {"/news/a", "/news/b"}) {
            Answer first = Client.get(running.port(), path);
            assertEquals("/feed ", first.body());
            assertEquals(
                    "sirocco; fwd=uri-miss; fwd-status=200",
                    first.field("Cache-Status").split("; ttl")[0]);
            Answer second = Client.get(running.port(), path);
            assertEquals("sirocco; hit", second.field("Cache-Status").split("; ttl")[0]);
        }
    }
}
