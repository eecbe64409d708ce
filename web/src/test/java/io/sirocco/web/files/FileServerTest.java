// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnAllTransports;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@OnAllTransports
class FileServerTest {
    @Parameter TransportKind transport;
    @TempDir Path root;
    private Serving serving;

    @BeforeEach
    void serve() throws IOException {
        write("index.html", "<p>home");
        write("404.html", "<p>lost");
        write("docs/index.html", "<p>docs");
        write("docs/a b.txt", "space");
        write("docs/grün.txt", "green");
        write("bare/file.bin", "bytes");
        write(".hidden", "hidden");
        write(".well-known/security.txt", "contact");
        write(".well-known/.hidden", "hidden");
        serving = Serving.of(transport, root);
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    private void write(String path, String content) throws IOException {
        Files.createDirectories(root.resolve(path).getParent());
        Files.writeString(root.resolve(path), content);
    }

    private void serve(java.util.function.Consumer<FileOptions> options) {
        serving.close();
        serving = new Serving(transport, root, options);
    }

    @ParameterizedTest
    @CsvSource({
        "/,                         text/html; charset=utf-8,  <p>home",
        "/index.html,               text/html; charset=utf-8,  <p>home",
        "/?q=/../x,                 text/html; charset=utf-8,  <p>home",
        "/docs/,                    text/html; charset=utf-8,  <p>docs",
        "/docs/a%20b.txt,           text/plain; charset=utf-8, space",
        "/docs/gr%C3%BCn.txt,       text/plain; charset=utf-8, green",
        "/bare/file.bin,            application/octet-stream,  bytes",
        "/%69ndex.html,             text/html; charset=utf-8,  <p>home",
        "/mounted/at/,              text/html; charset=utf-8,  <p>home",
        "/mounted/at/docs/,         text/html; charset=utf-8,  <p>docs",
        "/blog/index.html,          text/html; charset=utf-8,  <p>home",
        "/news,                     text/html; charset=utf-8,  <p>docs",
        "/.well-known/security.txt, text/plain; charset=utf-8, contact",
    })
    void servesItsFilesByTheirTypes(String target, String type, String body) throws IOException {
        try (var client = new Client(serving.port())) {
            for (int i = 0; i < 4; i++) { // the first from the disk, further ones from the cache
                Answer answer = client.ask("GET", target);
                assertEquals(200, answer.status());
                assertEquals(type, answer.field("Content-Type"));
                assertEquals(body, answer.text());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nothing",
                "/nothing/",
                "/index.html/",
                "/index.html/x",
                "/bare/",
                "/.hidden",
                "/.well-known/.hidden",
                "/docs/.well-known/x",
                "/blog/nothing",
                "/mounted/at/nothing",
            })
    void nothingElseIsThere(String target) throws IOException {
        for (int i = 0; i < 2; i++) {
            Answer answer = serving.get(target);
            assertEquals(404, answer.status());
            assertEquals("Not Found", answer.text());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/docs,              /docs/",
        "/docs?a=/b%20c,     /docs/?a=/b%20c",
        "/mounted/at/docs,   /mounted/at/docs/",
        "/%64ocs,            /%64ocs/",
        "/blog/docs,         /blog/docs/",
    })
    void aDirectoryWithoutItsSlashIsRedirectedWithItsQuery(String target, String location)
            throws IOException {
        Answer answer = serving.get(target);
        assertEquals(301, answer.status());
        assertEquals(location, answer.field("Location"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"//docs", "//evil.example/%2e%2e/docs", "/%2fdocs", "/%5cdocs"})
    void aRedirectNeverLeadsToAnotherHost(String target) throws IOException {
        assertEquals(404, serving.get(target).status());
    }

    /** Neither a redirect nor another answer tells it from what is absent. */
    @ParameterizedTest
    @ValueSource(strings = {"/bare", "/bare/", "/bare?a=b", "/mounted/at/bare", "/blog/bare"})
    void aDirectoryWithoutAnIndexDoesNotShowThatItIsThere(String target) throws IOException {
        Answer there = serving.get(target);
        Answer absent = serving.get(target.replace("bare", "nope"));
        assertEquals(404, there.status());
        assertEquals(absent.text(), there.text());
        var fields = new java.util.TreeMap<>(there.fields());
        var others = new java.util.TreeMap<>(absent.fields());
        fields.remove("Date");
        others.remove("Date");
        assertEquals(others, fields);
    }

    @Test
    void aDirectoryWhoseIndexIsADirectoryHasNone() throws IOException {
        java.nio.file.Files.createDirectories(root.resolve("odd/index.html"));
        assertEquals(404, serving.get("/odd").status());
        assertEquals(404, serving.get("/odd/").status());
    }

    @Test
    void theFirstIndexThatIsThereAnswers() throws IOException {
        serve(options -> options.index("start.html", "index.html"));
        assertEquals("<p>docs", serving.get("/docs/").text());
        write("docs/start.html", "<p>start");
        serving.age();
        assertEquals("<p>start", serving.get("/docs/").text());
    }

    @Test
    void hiddenFilesAreServedWhenTheyMay() throws IOException {
        serve(options -> options.hiddenFiles(true));
        assertEquals("hidden", serving.get("/.hidden").text());
        assertEquals("hidden", serving.get("/.well-known/.hidden").text());
    }

    @Test
    void theFallbackAnswersWhereNoFileIs() throws IOException {
        serve(options -> options.fallback("/index.html"));
        for (String target : new String[] {"/app/users/7", "/bare/", "/nothing.js"}) {
            Answer answer = serving.get(target);
            assertEquals(200, answer.status(), target);
            assertEquals("<p>home", answer.text(), target);
        }
        String tag = serving.get("/app").field("ETag");
        assertEquals(304, serving.get("/app", "If-None-Match: " + tag).status());
        assertEquals(404, serving.get("/..%2fx").status(), "a path that is none");
    }

    @Test
    void aPageStandsForWhatIsNotFound() throws IOException {
        serve(options -> options.notFound("/404.html"));
        for (String target : new String[] {"/nothing", "/%00", "/.hidden"}) {
            Answer answer = serving.get(target, "If-None-Match: *", "Range: bytes=0-1");
            assertEquals(404, answer.status(), target);
            assertEquals("<p>lost", answer.text(), target);
            assertEquals("text/html; charset=utf-8", answer.field("Content-Type"));
            assertEquals("", answer.field("ETag"));
        }
        Files.delete(root.resolve("404.html"));
        serving.age();
        assertEquals("Not Found", serving.get("/nothing").text());
    }

    @Test
    void headTellsTheLengthAndSendsNothing() throws IOException {
        Files.write(root.resolve("blob"), new byte[100_000]);
        try (var client = new Client(serving.port())) {
            for (String target : new String[] {"/blob", "/index.html", "/blob", "/index.html"}) {
                Answer answer = client.ask("HEAD", target, "Range: bytes=0-1");
                assertEquals(200, answer.status());
                assertEquals(
                        target.equals("/blob") ? "100000" : "7", answer.field("Content-Length"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "PROPFIND", "get"})
    void otherMethodsAreNotAllowed(String method) throws IOException {
        Answer answer = serving.ask(method, "/index.html");
        assertEquals(405, answer.status());
        assertEquals("GET, HEAD, OPTIONS", answer.field("Allow"));
    }

    @Test
    void optionsSayWhatMayBeDone() throws IOException {
        Answer answer = serving.ask("OPTIONS", "/index.html");
        assertEquals(204, answer.status());
        assertEquals("GET, HEAD, OPTIONS", answer.field("Allow"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8_191, 65_535, 65_536, 65_537, 1_000_003})
    void filesOfEveryLengthArriveWhole(int length) throws IOException {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        Files.write(root.resolve("blob"), content);
        try (var client = new Client(serving.port())) {
            for (int i = 0; i < 3; i++) {
                assertArrayEquals(content, client.ask("GET", "/blob").body());
            }
        }
    }

    /** To the superuser, as whom CI runs, nothing is closed. */
    @Test
    void aFileThatMayNotBeReadIsForbidden() throws IOException {
        Path closed = root.resolve("closed.txt");
        Files.writeString(closed, "SECRET");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        int expected = Files.isReadable(closed) ? 200 : 403;
        assertEquals(expected, serving.get("/closed.txt").status());
    }

    @Test
    void aPathOfServeBeginsWithASlash() {
        var wrong =
                assertThrows(
                        IllegalArgumentException.class, () -> serving.files.serve(null, "x.html"));
        assertEquals("A path begins with a slash; write /x.html for x.html.", wrong.getMessage());
    }
}
