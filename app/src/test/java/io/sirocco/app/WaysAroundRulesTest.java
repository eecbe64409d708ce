// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sirocco.app.Client.Answer;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files whose addresses are protected, asked for at other addresses that lead to them: a rewriting,
 * a prefix that is taken off, an index, a fallback, a page of 404, a compressed sibling.
 */
@Timeout(60)
class WaysAroundRulesTest {
    /** "secret", by htpasswd -B -C 5. */
    private static final String HASH =
            "$2y$05$HpqkrF1JN80QFvEGxBpVc.mOv7wf54gKUwbvJFTShM9cSoAAQX196";

    private static final String ANN =
            "Authorization: Basic "
                    + Base64.getEncoder()
                            .encodeToString("ann:secret".getBytes(StandardCharsets.UTF_8));

    @TempDir Path folder;
    private Running running;

    @BeforeEach
    void serve() throws Exception {
        write("users", "ann:" + HASH + "\n");
        write("site/index.html", "home");
        write("site/admin/index.html", "SECRET index");
        write("site/admin/plan.html", "SECRET plan");
        write("site/admin/open/logo.txt", "logo");
        write("site/hidden/a.txt", "SECRET a");
        write("site/page.txt", "SECRET page");
        write("site/page.txt.gz", "SECRET zip");
        write("site/docs/index.html", "SECRET docs");
        write("site/plain/a.html", "plain");
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
                        path = "/admin/*"
                        basic-auth = { users-file = "users" }
                        [[site.route]]
                        path = "/admin/open/*"
                        basic-auth = false
                        [[site.route]]
                        path = "/hidden/*"
                        deny = ["0.0.0.0/0", "::/0"]
                        [[site.route]]
                        path = "/docs/index.html"
                        deny = ["127.0.0.0/8"]
                        [[site.route]]
                        path = "/page.txt"
                        deny = ["127.0.0.0/8"]
                        [[site.route]]
                        path = "/plan"
                        rewrite = "/admin/plan.html"
                        [[site.route]]
                        path = "/start"
                        rewrite = "/admin/"
                        [[site.route]]
                        path = "/start2"
                        rewrite = "/admin"
                        [[site.route]]
                        path = "/logo"
                        rewrite = "/admin/open/logo.txt"
                        [[site.route]]
                        path = "/any/*"
                        rewrite = "/{*}"
                        [[site.route]]
                        path = "/one/{first}/{second}"
                        rewrite = "/{first}/{second}"
                        [[site.route]]
                        path = "/chain/*"
                        rewrite = "/any/{*}"
                        [[site.route]]
                        path = "/loop/*"
                        rewrite = "/loop/{*}"
                        [[site.route]]
                        path = "/v1/*"
                        strip = "/v1"
                        [[site.route]]
                        path = "/app/*"
                        fallback = "/admin/plan.html"
                        [[site.route]]
                        path = "/list/*"
                        listing = true
                        rewrite = "/{*}"
                        [[site.route]]
                        path = "/lost/*"
                        not-found = "/hidden/a.txt"
                        [[site]]
                        hosts = ["b"]
                        root = "site/admin"
                        [[site.route]]
                        path = "/x"
                        rewrite = "/plan.html"
                        [[site.route]]
                        path = "/plan.html"
                        deny = ["127.0.0.0/8"]
                        """);
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private void write(String name, String content) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    private Answer get(String target, String... fields) throws IOException {
        return Client.get(running.port(), target, fields);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/admin/plan.html",
                "/plan",
                "/plan?x=1",
                "/start",
                "/start2",
                "/any/admin/plan.html",
                "/any/admin/",
                "/any/admin",
                "/any/%61dmin/plan.html",
                "/any/admin%2Fplan.html",
                "/admin",
                "/any/admin/plan.html?x=/plain/a.html",
                "/any/admin/absent.html",
                "/one/admin/plan.html",
                "/v1/admin/plan.html",
                "/v1/admin/",
                "/v1/%61dmin/pl%61n.html",
                "/app/nothing",
            })
    void aRewritingAsksForThePasswordOfItsTarget(String target) throws IOException {
        Answer answer = get(target);
        assertEquals(401, answer.status(), answer.head() + answer.body());
        assertFalse(answer.body().contains("SECRET"), answer.body());
    }

    @ParameterizedTest
    @CsvSource({
        "/plan, SECRET plan",
        "/start, SECRET index",
        "/any/admin/, SECRET index",
        "/v1/admin/plan.html, SECRET plan",
        "/app/nothing, SECRET plan",
        "/any/admin/open/logo.txt, logo",
    })
    void withThePasswordItIsServed(String target, String body) throws IOException {
        Answer answer = get(target, ANN);
        assertEquals(200, answer.status(), answer.head() + answer.body());
        assertEquals(body, answer.body());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/hidden/a.txt",
                "/any/hidden/a.txt",
                "/any/hidden/absent",
                "/v1/hidden/a.txt",
                "/docs/index.html",
                "/docs/",
                "/any/docs/",
                "/list/hidden/",
                "/list/hidden",
                "/page.txt",
                "/page.txt.gz",
                "/any/page.txt.gz",
                "/lost/thing",
            })
    void aDeniedFileIsDeniedAtEveryAddress(String target) throws IOException {
        Answer answer = get(target, "Accept-Encoding: gzip");
        assertEquals(403, answer.status(), answer.head() + answer.body());
        assertFalse(answer.body().contains("SECRET"), answer.body());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/any/ADMIN/plan.html",
                "/any//admin/plan.html",
                "/any/plain/../admin/plan.html",
                "/any/plain/%2e%2e/admin/plan.html",
                "/any/./admin/plan.html",
                "/one/admin%2Fopen/..%2Fplan.html",
                "/chain/admin/plan.html",
                "/loop/admin/plan.html",
                "/any/loop/x",
            })
    void noSpellingAndNoChainGoesAround(String target) throws IOException {
        Answer answer = get(target);
        assertEquals(404, answer.status(), answer.head() + answer.body());
        assertFalse(answer.body().contains("SECRET"), answer.body());
    }

    @Test
    void whatTheTargetLiftsIsLifted() throws IOException {
        assertEquals("logo", get("/logo").body());
        assertEquals("logo", get("/any/admin/open/logo.txt").body());
        assertEquals("plain", get("/any/plain/a.html").body());
        assertEquals("home", get("/v1/").body());
        assertEquals("home", get("/").body());
    }

    @Test
    void eachSiteHasItsOwnRules() throws IOException {
        assertEquals(403, of("b", "/x").status());
        assertEquals(403, of("b", "/plan.html").status());
        assertEquals(200, of("b", "/open/logo.txt").status());
        assertEquals(401, of("c", "/plan").status());
    }

    private Answer of(String host, String target) throws IOException {
        try (var client = new Client(running.port())) {
            client.send("GET " + target + " HTTP/1.1\r\nHost: " + host);
            client.send("\r\nConnection: close\r\n\r\n");
            return client.last();
        }
    }

    @Test
    void aLimitOfTheTargetCountsItsRewritings() throws Exception {
        running.reload(
                """
                [[listen]]
                address = "127.0.0.1:0"
                [[site]]
                root = "site"
                [[site.route]]
                path = "/plain/*"
                rate-limit = { requests = 1, per = "1h", burst = 2 }
                [[site.route]]
                path = "/any/*"
                rewrite = "/{*}"
                """);
        assertEquals(200, get("/any/plain/a.html").status());
        assertEquals(200, get("/plain/a.html").status());
        assertEquals(429, get("/any/plain/a.html").status());
        assertEquals(200, get("/any/").status());
    }
}
