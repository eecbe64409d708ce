// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client;
import io.sirocco.app.Client.Answer;
import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * In the old server {@code //abs/path} and {@code ....//} read files outside the root. Here a site
 * of a configuration is attacked, and every way in which its routes come to files: the site's own,
 * another root with a prefix taken off, a rewriting, a fallback.
 */
@OnEachTransport
class PathsStayInTheRootTest {
    private static final String[] ROUTES = {
        "/", "/api/", "/api", "/blog/x/", "/blog/", "/deep/er/", "/any/"
    };

    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Running running;

    @BeforeEach
    void serve() throws Exception {
        write("secret.txt", "SECRET");
        write("site/index.html", "home");
        write("site/a b.txt", "blank");
        write("site/a%20b.txt", "percent");
        write("site/articles/one.html", "one");
        write("other/a.json", "{}");
        Files.createSymbolicLink(folder.resolve("site/out"), folder);
        Files.createSymbolicLink(folder.resolve("site/out.txt"), folder.resolve("secret.txt"));
        running =
                Running.of(
                        folder,
                        transport,
                        """
                        [[listen]]
                        address = "127.0.0.1:0"
                        [[site]]
                        root = "site"
                        [[site.route]]
                        path = "/api/*"
                        root = "other"
                        strip = "/api"
                        [[site.route]]
                        path = "/deep/er/*"
                        root = "other"
                        strip = "/deep/er/"
                        listing = true
                        [[site.route]]
                        path = "/any/*"
                        rewrite = "/articles/{*}"
                        [[site.route]]
                        path = "/blog/{year}/{title}"
                        rewrite = "/articles/{title}.html"
                        [[site.route]]
                        path = "/app/*"
                        fallback = "/index.html"
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../secret.txt",
                "../../secret.txt",
                "....//secret.txt",
                "....//....//secret.txt",
                "%2e%2e/secret.txt",
                ".%2E/secret.txt",
                "%2e%2e%2fsecret.txt",
                "..%2fsecret.txt",
                "%2f..%2fsecret.txt",
                "%252e%252e%252fsecret.txt",
                "..%255csecret.txt",
                "..\\secret.txt",
                "..%5csecret.txt",
                "..%00/secret.txt",
                "../secret.txt%00.html",
                "%c0%ae%c0%ae/secret.txt",
                "..;/secret.txt",
                "out/secret.txt",
                "out.txt",
                "x/../../secret.txt",
                "../sirocco.toml",
            })
    void noSpellingLeadsOut(String rest) throws IOException {
        for (String route : ROUTES) {
            refused(route + rest);
        }
    }

    @Test
    void anAbsolutePathLeadsNowhere() throws IOException {
        String secret = folder.resolve("secret.txt").toString();
        for (String route : ROUTES) {
            refused(route + secret);
            refused(route + secret.substring(1));
            refused(route + "/" + secret);
            refused(route + secret.replace("/", "%2f"));
            refused(route + secret.replace("/", "//"));
            refused(route + "file://" + secret);
        }
        refused(secret);
        refused("/" + secret);
    }

    @Test
    void aFallbackIsAnswerToAllAndStillLeadsNowhere() throws IOException {
        Answer answer = Client.get(running.port(), "/app/%2e%2e/%2e%2e/secret.txt");
        assertFalse(answer.body().contains("SECRET"), answer.body());
        answer = Client.get(running.port(), "/app/..%2f..%2fsecret.txt");
        assertFalse(answer.body().contains("SECRET"), answer.body());
        assertEquals("home", Client.get(running.port(), "/app/no/such/page").body());
    }

    @ParameterizedTest
    @CsvSource({
        "/a%20b.txt, blank", // decoded once, and not twice
        "/a%2520b.txt, percent",
        "/api/a.json, {}",
        "/deep/er/a.json, {}",
        "/any/one.html, one",
        "/blog/2024/one, one",
        "/blog/2024/%6fne, one",
    })
    void whatIsThereIsServed(String target, String body) throws IOException {
        Answer answer = Client.get(running.port(), target);
        assertEquals(200, answer.status(), answer.head());
        assertEquals(body, answer.body());
    }

    private void refused(String target) throws IOException {
        Answer answer = Client.get(running.port(), target);
        int status = answer.status();
        assertTrue(status == 404 || status == 400, target + "\n" + answer.head());
        assertFalse(answer.body().contains("SECRET"), target);
        assertFalse(answer.body().contains("[[listen]]"), target);
        assertFalse((answer.head() + answer.body()).contains(folder.toString()), target);
    }
}
