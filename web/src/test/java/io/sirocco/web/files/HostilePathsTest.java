// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.RootDirectory;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Beside the root lies a secret, and no spelling of a path brings it out. */
@OnEachTransport
class HostilePathsTest {
    @Parameter TransportKind transport;
    @TempDir Path parent;
    private Path root;
    private Serving serving;

    @BeforeEach
    void serve() throws IOException {
        root = Files.createDirectories(parent.resolve("site/docs")).getParent();
        Files.writeString(root.resolve("index.html"), "PUBLIC");
        Files.writeString(root.resolve("docs/index.html"), "PUBLIC");
        Files.writeString(root.resolve("docs/a.txt"), "PUBLIC");
        Files.writeString(parent.resolve("secret.txt"), "SECRET");
        Files.createDirectories(parent.resolve("site-evil"));
        Files.writeString(parent.resolve("site-evil/secret.txt"), "SECRET");
        Files.writeString(root.resolve(".env"), "SECRET");
        Files.createSymbolicLink(root.resolve("link-in"), Path.of("docs"));
        Files.createSymbolicLink(root.resolve("link-out"), parent);
        Files.createSymbolicLink(root.resolve("secret-link.txt"), parent.resolve("secret.txt"));
        Files.createSymbolicLink(root.resolve("loop"), Path.of("loop"));
        Files.createDirectories(root.resolve("trap"));
        Files.createSymbolicLink(root.resolve("trap/index.html"), Path.of("../../secret.txt"));
        serving = new Serving(transport, root, options -> options.listing(true));
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//etc/passwd",
                "///etc/passwd",
                "/../secret.txt",
                "/....//secret.txt",
                "/....//....//secret.txt",
                "/docs/../../secret.txt",
                "/docs/../index.html", // inside, yet nobody needs two names for one file
                "/./index.html",
                "/%2e%2e/secret.txt",
                "/%2E%2e/secret.txt",
                "/.%2e/secret.txt",
                "/..%2fsecret.txt",
                "/..%2Fsecret.txt",
                "/%2e%2e%2fsecret.txt",
                "/docs%2fa.txt",
                "/docs%2f..%2f..%2fsecret.txt",
                "/%252e%252e/secret.txt",
                "/%252e%252e%252fsecret.txt",
                "/..%255csecret.txt",
                "/..\\secret.txt",
                "/..%5csecret.txt",
                "/%5c..%5csecret.txt",
                "/%c0%ae%c0%ae/secret.txt",
                "/%e0%80%ae%e0%80%ae/secret.txt",
                "/%c0%ae%c0%ae%c0%afsecret.txt",
                "/..%c0%afsecret.txt",
                "/%uff0e%uff0e/secret.txt",
                "/%ef%bc%8e%ef%bc%8e/secret.txt",
                "/..../secret.txt",
                "/..;/secret.txt",
                "/..%20/secret.txt",
                "/%2e%2e%00/secret.txt",
                "/index.html%00",
                "/index.html%00.txt",
                "/index.html%0a",
                "/index.html%7f",
                "/index.html%ff",
                "/~/secret.txt",
                "//",
                "//index.html",
                "/docs//a.txt",
                "/%2f",
                "/%2findex.html",
                "/index.html/..",
                "/..",
                "/.",
                "/docs/..",
                "/docs/../",
                "/docs/..%2f",
                "../secret.txt",
                "secret.txt",
                "http://a/../secret.txt",
                "http://a//secret.txt",
                "http://a/%2e%2e/secret.txt",
                "file:///secret.txt",
                "/../site-evil/secret.txt",
                "/-evil/secret.txt",
                "/.env",
                "/%2eenv",
                "/secret-link.txt",
                "/link-out/secret.txt",
                "/link-out/",
                "/link-out",
                "/loop",
                "/loop/x",
                "/%zz",
                "/%",
                "/mounted/at//etc/passwd",
                "/mounted/at/../secret.txt",
                "/mounted/at/%2e%2e/secret.txt",
                "/blog/..%2fsecret.txt",
                "/blog/%2e%2e",
            })
    void d1NoSpellingOfAPathLeadsOutOfTheRoot(String target) throws IOException {
        refused(target);
    }

    @Test
    void d1AnAbsolutePathLeadsNowhere() throws IOException {
        String secret = parent.resolve("secret.txt").toString();
        refused(secret);
        refused("/" + secret);
        refused("/%2f" + secret.substring(1));
        refused(secret.replace("/", "%2f"));
        refused("/C:/" + secret);
        refused("/" + "a".repeat(3000)); // longer than any file's name
        refused("/" + "a/".repeat(2000)); // and than any path
    }

    private void refused(String target) throws IOException {
        Answer answer = serving.get(target);
        assertTrue(answer.status() == 404 || answer.status() == 400, target + answer.status());
        assertFalse(answer.text().contains("SECRET"), target);
        assertFalse(answer.text().contains("PUBLIC"), target);
        assertFalse(answer.text().contains(parent.toString()), target);
    }

    @Test
    void aListShowsNoLinkThatLeadsOut() throws IOException {
        Files.delete(root.resolve("index.html"));
        String page = serving.get("/").text();
        assertTrue(page.contains("link-in"), page);
        assertFalse(page.contains("link-out"), page);
        assertFalse(page.contains("secret"), page);
        assertFalse(page.contains(".env"), page);
        assertFalse(page.contains("loop"), page);
        assertEquals(200, serving.get("/trap/").status()); // its index leads out: it is listed
        assertFalse(serving.get("/trap/").text().contains("SECRET"));
    }

    @Test
    void linksAreFollowedAsFarAsTheyMay() throws IOException {
        assertEquals("PUBLIC", serving.get("/link-in/a.txt").text());
        serving.close();
        serving = new Serving(transport, root, o -> o.symbolicLinks(RootDirectory.Links.NONE));
        assertEquals(404, serving.get("/link-in/a.txt").status());
        serving.close();
        serving = new Serving(transport, root, o -> o.symbolicLinks(RootDirectory.Links.ALL));
        assertEquals("SECRET", serving.get("/link-out/secret.txt").text());
    }

    @Test
    void aFewThousandPathsOfChance() throws IOException {
        hostile(3_000, 1);
    }

    @Test
    @Tag("heavy")
    @Timeout(600)
    void fiftyThousandPathsOfChance() throws IOException {
        hostile(50_000, 2);
    }

    private void hostile(int count, long seed) throws IOException {
        String secret = parent.resolve("secret.txt").toString();
        var paths =
                new HostilePaths(
                        seed,
                        List.of(
                                "secret.txt",
                                "secret.txt",
                                secret,
                                secret.substring(1),
                                "site",
                                "site-evil/secret.txt",
                                "docs",
                                "docs/a.txt",
                                "link-out",
                                "link-out/secret.txt",
                                "secret-link.txt",
                                "trap/",
                                "index.html",
                                ".env",
                                "etc/passwd",
                                "mounted/at",
                                "blog"));
        int found = 0;
        Client client = new Client(serving.port());
        for (int i = 0; i < count; i++) {
            String target = paths.next();
            Answer answer = client.ask("GET", target);
            String text = answer.text();
            assertFalse(text.contains("SECRET") || text.contains("root:"), target);
            assertFalse(text.contains(parent.toString()), target);
            if (answer.status() == 200) {
                assertTrue(text.equals("PUBLIC") || text.contains("Index of"), target + text);
                found++;
            } else {
                assertTrue(List.of(301, 400, 404, 414).contains(answer.status()), target);
                assertFalse(answer.field("Location").startsWith("//"), target);
            }
            if (answer.field("Connection").equals("close")) {
                client.close();
                client = new Client(serving.port());
            }
        }
        client.close();
        assertTrue(found > 0, "none of them was a path of a file: the test tests nothing");
    }

    /** While a directory is a link that leads outside at one moment and none at the next. */
    @Test
    void aLinkThatIsSwappedUnderOurEyes() throws Exception {
        Path inside = Files.createDirectory(parent.resolve("inside"));
        Files.writeString(inside.resolve("secret.txt"), "PUBLIC");
        Path place = root.resolve("swap");
        serving.close();
        serving =
                new Serving(
                        transport,
                        root,
                        options -> options.cache(0).symbolicLinks(RootDirectory.Links.INSIDE));
        var done = new AtomicBoolean();
        Thread swapping =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!done.get()) {
                                        swap(inside, place);
                                    }
                                });
        int found = 0;
        try (var client = new Client(serving.port())) {
            for (int i = 0; i < 2_000 || found == 0; i++) { // the timeout ends it
                Answer answer = client.ask("GET", "/swap/secret.txt");
                assertFalse(answer.text().contains("SECRET"));
                found += answer.status() == 200 ? 1 : 0;
            }
        } finally {
            done.set(true);
            swapping.join();
        }
    }

    private void swap(Path inside, Path place) {
        try {
            Files.move(inside, place);
            Files.move(place, inside);
            Path link = Files.createSymbolicLink(parent.resolve("link"), parent);
            Files.move(link, place, StandardCopyOption.ATOMIC_MOVE);
            Files.delete(place);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
