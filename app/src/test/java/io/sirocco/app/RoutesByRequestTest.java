// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.app.Client.Answer;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Routes by suffix, method and header: the order of docs/configuration.md, over sockets. */
@Timeout(60)
class RoutesByRequestTest {
    @TempDir Path folder;
    private Running running;

    @BeforeEach
    void serve() throws Exception {
        Files.createDirectories(folder.resolve("site/admin"));
        Files.writeString(folder.resolve("site/admin/plan.html"), "plan");
        running =
                Running.of(
                        folder,
                        TransportKind.AUTO,
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        [[site]]
                        root = "site"
                        [[site.route]]
                        path = "/*.png"
                        respond = { text = "png" }
                        [[site.route]]
                        path = "/*.min.png"
                        redirect = { to = "/full/{*}.png" }
                        [[site.route]]
                        path = "/api/*"
                        match-headers = { "X-Canary" = "1" }
                        respond = { text = "canary" }
                        [[site.route]]
                        path = "/api/*"
                        respond = { text = "api" }
                        [[site.route]]
                        path = "/api/*"
                        methods = ["POST", "PUT"]
                        respond = { text = "post" }
                        [[site.route]]
                        path = "/api/*"
                        methods = ["GET"]
                        match-headers = { "X-Canary" = ["1", "2"], "X-Team" = "*" }
                        respond = { text = "team" }
                        [[site.route]]
                        path = "/only"
                        methods = ["POST"]
                        respond = { text = "only" }
                        [[site.route]]
                        path = "/admin/*"
                        deny = ["127.0.0.0/8"]
                        [[site.route]]
                        path = "/admin/*"
                        match-headers = { "X-Team" = "a" }
                        deny = []
                        [[site.route]]
                        path = "/plan"
                        rewrite = "/admin/plan.html"
                        """);
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private Answer ask(String method, String target, String... fields) throws IOException {
        return ask(running, method, target, fields);
    }

    private static Answer ask(Running server, String method, String target, String... fields)
            throws IOException {
        try (var client = new Client(server.port())) {
            return client.ask(method, target, fields);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET,  /a/b.png,   X-None: 1,   png",
        "GET,  /a/b%2Epng, X-None: 1,   png",
        "GET,  /api/b.png, X-None: 1,   api",
        "GET,  /api/a,     X-Canary: 2, api",
        "GET,  /api/a,     x-canary: 1, canary",
        "POST, /api/a,     X-Canary: 1, post",
        "DELETE, /api/a,   X-Canary: 1, canary",
        "POST, /only,      X-None: 1,   only",
    })
    void theMostSpecificRouteServes(String method, String target, String field, String text)
            throws IOException {
        assertEquals(text, ask(method, target, field).body());
    }

    @Test
    void allHeadersOfARouteCount() throws IOException {
        assertEquals("team", ask("GET", "/api/a", "X-Canary: 2", "X-Team: b").body());
        assertEquals("team", ask("GET", "/api/a", "X-Canary: 1", "X-Team: ").body());
        assertEquals("canary", ask("PATCH", "/api/a", "X-Canary: 1", "X-Team: b").body());
    }

    @Test
    void theWildcardIsThePartBeforeTheSuffix() throws IOException {
        Answer answer = ask("GET", "/a/b.min.png?x=1");
        assertEquals(308, answer.status());
        assertEquals("/full/a/b.png?x=1", answer.field("Location"));
    }

    @Test
    void aMethodThatNoRouteServesIsLeftToTheFiles() throws IOException {
        assertEquals(404, ask("GET", "/only").status());
        assertEquals(405, ask("PUT", "/only").status());
    }

    /** The rules of the file's own path are those of the route that would serve this request. */
    @Test
    void aSiteWithoutFilesNamesTheMethodsOfAPath() throws Exception {
        try (Running routes =
                Running.of(
                        Files.createDirectory(folder.resolve("routes")),
                        TransportKind.AUTO,
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        [[site]]
                        [[site.route]]
                        path = "/a"
                        methods = ["GET"]
                        respond = { text = "a" }
                        [[site.route]]
                        path = "/a"
                        methods = ["PUT"]
                        respond = { text = "put" }
                        """)) {
            Answer refused = ask(routes, "POST", "/a");
            assertEquals(405, refused.status());
            assertEquals("GET, HEAD, OPTIONS, PUT", refused.field("Allow"));
            assertEquals(204, ask(routes, "OPTIONS", "/a").status());
            assertEquals(404, ask(routes, "POST", "/b").status());
            assertEquals(404, ask(routes, "OPTIONS", "/b").status());
        }
    }

    @Test
    void aRewriteAsksForTheRulesOfTheSameRequest() throws IOException {
        assertEquals(403, ask("GET", "/admin/plan.html").status());
        assertEquals(403, ask("GET", "/plan").status());
        assertEquals(403, ask("GET", "/plan", "X-Team: b").status());
        assertEquals("plan", ask("GET", "/plan", "X-Team: a").body());
        assertEquals("plan", ask("GET", "/admin/plan.html", "X-Team: a").body());
        assertEquals(403, ask("HEAD", "/plan").status());
    }
}
