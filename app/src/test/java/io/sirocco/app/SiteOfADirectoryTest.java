// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client.Answer;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(
        value = TransportKind.class,
        names = {"AUTO", "NIO"})
class SiteOfADirectoryTest {
    private static final Instant CHANGED = Instant.parse("2024-02-29T12:34:56Z");

    @Parameter TransportKind transport;
    @TempDir Path parent;
    private Path root;
    private Serving serving;

    @BeforeEach
    void serve() throws Exception {
        root = Files.createDirectory(parent.resolve("site"));
        write("site/index.html", "<p>home");
        write("site/style.css", "p {}");
        write("site/docs/index.html", "<p>docs");
        write("site/docs/a b.txt", "space");
        write("site/docs/grün.txt", "green");
        write("site/bare/file.bin", "bytes");
        write("secret.txt", "SECRET");
        write("site-evil/secret.txt", "SECRET");
        Files.createSymbolicLink(root.resolve("link-in"), Path.of("docs"));
        Files.createSymbolicLink(root.resolve("link-out"), parent);
        Files.createSymbolicLink(root.resolve("secret-link.txt"), parent.resolve("secret.txt"));
        Files.createSymbolicLink(root.resolve("loop"), Path.of("loop"));
        Path trap = Files.createDirectory(root.resolve("trap"));
        Files.createSymbolicLink(trap.resolve("index.html"), Path.of("../../secret.txt"));
        serving = open(root);
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/,                    text/html; charset=utf-8,  <p>home",
        "/index.html,          text/html; charset=utf-8,  <p>home",
        "/?q=/../x,            text/html; charset=utf-8,  <p>home",
        "/style.css,           text/css; charset=utf-8,   p {}",
        "/docs/,               text/html; charset=utf-8,  <p>docs",
        "/docs/a%20b.txt,      text/plain; charset=utf-8, space",
        "/docs/gr%C3%BCn.txt,  text/plain; charset=utf-8, green",
        "/link-in/a%20b.txt,   text/plain; charset=utf-8, space",
        "/bare/file.bin,       application/octet-stream,  bytes",
        "/%69ndex.html,        text/html; charset=utf-8,  <p>home",
    })
    void servesItsFilesByTheirTypes(String target, String type, String body) throws IOException {
        Answer answer = get(target);
        assertEquals(200, answer.status(), answer.head());
        assertEquals(type, answer.field("Content-Type"));
        assertEquals(body, answer.body());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/../secret.txt",
                "/docs/../../secret.txt",
                "/docs/../index.html", // inside, yet nobody needs two names for one file
                "/./index.html",
                "/%2e%2e/secret.txt",
                "/%2E%2e/secret.txt",
                "/.%2e/secret.txt",
                "/..%2fsecret.txt",
                "/..%2Fsecret.txt",
                "/%2e%2e%2fsecret.txt",
                "/docs%2f..%2f..%2fsecret.txt",
                "/%252e%252e/secret.txt",
                "/%252e%252e%252fsecret.txt",
                "/..%255csecret.txt",
                "/..\\secret.txt",
                "/..%5csecret.txt",
                "/%5c..%5csecret.txt",
                "/docs\\..\\..\\secret.txt",
                "/%c0%ae%c0%ae/secret.txt",
                "/%e0%80%ae%e0%80%ae/secret.txt",
                "/%c0%ae%c0%ae%c0%afsecret.txt",
                "/..%c0%afsecret.txt",
                "/%uff0e%uff0e/secret.txt",
                "/\u00ef\u00bc\u008e\u00ef\u00bc\u008e/secret.txt", // full-width dots in UTF-8
                "/%ef%bc%8e%ef%bc%8e/secret.txt",
                "/....//secret.txt",
                "/..../secret.txt",
                "/..;/secret.txt",
                "/.. /secret.txt",
                "/..%20/secret.txt",
                "/%2e%2e%00/secret.txt",
                "/..%00/secret.txt",
                "/index.html%00",
                "/index.html%00.txt",
                "/style.css%0a",
                "/~/secret.txt",
                "//",
                "//index.html",
                "/docs//index.html",
                "/%2f",
                "/%2findex.html",
                "/index.html/",
                "/index.html/..",
                "/..",
                "/.",
                "/docs/..",
                "/docs/../",
                "/docs/..%2f",
                "../secret.txt",
                "secret.txt",
                "..%2fsecret.txt",
                "http://a/../secret.txt",
                "http://a/%2e%2e/secret.txt",
                "file:///secret.txt",
                "/../site-evil/secret.txt",
                "/-evil/secret.txt",
                "/secret-link.txt",
                "/link-out/secret.txt",
                "/link-out/",
                "/link-out",
                "/trap/",
                "/loop",
                "/loop/x",
                "/bare/", // a directory without an index
                "/docs/nothing.html",
                "/%zz",
                "/%",
            })
    void nothingElseExists(String target) throws IOException {
        refused(target);
    }

    @Test
    void anAbsolutePathLeadsNowhere() throws IOException {
        String secret = parent.resolve("secret.txt").toString();
        refused(secret);
        refused("/" + secret);
        refused("/%2f" + secret.substring(1));
        refused(secret.replace("/", "%2f"));
        refused("/" + secret.replace("/", "%2f"));
        refused("/C:/" + secret);
        refused("/" + "a".repeat(3000)); // longer than any file's name
    }

    private void refused(String target) throws IOException {
        Answer answer = get(target);
        assertTrue(answer.status() == 404 || answer.status() == 400, target + answer.head());
        assertFalse(answer.body().contains("SECRET"), target);
        assertFalse(answer.body().contains("<p>"), target);
        assertFalse(answer.body().contains(parent.toString()), target);
    }

    @Test
    void aDirectoryWithoutItsSlashIsRedirectedWithItsQuery() throws IOException {
        Answer answer = get("/docs?a=/b%20c");
        assertEquals(301, answer.status());
        assertEquals("/docs/?a=/b%20c", answer.field("Location"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"//docs", "//evil.example/%2e%2e/docs", "/%2fdocs", "/%5cdocs"})
    void aRedirectNeverLeadsToAnotherHost(String target) throws IOException {
        Answer answer = get(target);
        assertEquals(404, answer.status(), answer.head());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Thu, 29 Feb 2024 12:34:56 GMT  | 304",
                "Fri, 01 Mar 2024 00:00:00 GMT  | 304",
                "Thursday, 29-Feb-24 12:34:56 GMT | 304",
                "Thu Feb 29 12:34:56 2024       | 304",
                "Thu, 29 Feb 2024 12:34:55 GMT  | 200",
                "yesterday                      | 200",
            })
    void whatHasNotChangedIsNotSentAgain(String since, int status) throws IOException {
        Answer answer = get("/style.css", "If-Modified-Since: " + since);
        assertEquals(status, answer.status());
        boolean whole = status == 200; // else its ETag says all (RFC 9110 15.4.5)
        assertEquals(whole ? "Thu, 29 Feb 2024 12:34:56 GMT" : "", answer.field("Last-Modified"));
        assertEquals(status == 304 ? "" : "p {}", answer.body());
    }

    @Test
    void aDateBesideAnEntityTagIsIgnored() throws IOException {
        Answer answer =
                get(
                        "/style.css",
                        "If-Modified-Since: Thu, 29 Feb 2024 12:34:56 GMT",
                        "If-None-Match: \"x\"");
        assertEquals(200, answer.status());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_535, 65_536, 65_537, 1_000_003})
    void filesOfEveryLengthArriveWhole(int length) throws IOException {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        Files.write(root.resolve("blob"), content);
        Answer answer = get("/blob");
        assertEquals(Integer.toString(length), answer.field("Content-Length"));
        assertEquals(new String(content, ISO_8859_1), answer.body());
    }

    @Test
    void headTellsTheLengthAndSendsNothing() throws IOException {
        Files.write(root.resolve("blob"), new byte[100_000]);
        try (var client = new Client(serving.port())) {
            client.send("HEAD /blob HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            Answer answer = client.last();
            assertEquals("100000", answer.field("Content-Length"));
            assertEquals("", answer.body());
        }
    }

    @Test
    void otherMethodsAreNotAllowed() throws IOException {
        try (var client = new Client(serving.port())) {
            client.send("DELETE /index.html HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            Answer answer = client.last();
            assertEquals(405, answer.status());
            assertEquals("GET, HEAD, OPTIONS", answer.field("Allow"));
        }
    }

    @Test
    void aFileThatMayNotBeReadIsForbidden() throws IOException {
        Path closed = write("site/closed.txt", "SECRET");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        int expected = Files.isReadable(closed) ? 200 : 403; // root reads everything
        assertEquals(expected, get("/closed.txt").status());
    }

    @Test
    void aPipeIsNotWaitedFor() throws Exception {
        Path pipe = root.resolve("pipe");
        boolean made;
        try {
            made = new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0;
        } catch (IOException e) {
            made = false;
        }
        Assumptions.assumeTrue(made, "there is no mkfifo here");
        assertEquals(404, get("/pipe").status());
    }

    @Test
    void theRootMayBeALinkThatIsTurnedWhileItIsServed() throws Exception {
        Path link = Files.createSymbolicLink(parent.resolve("current"), root);
        String toml =
                """
                [[listen]]
                address = "127.0.0.1:0"
                [[site]]
                root = "current"
                cache-check = "100ms"
                """;
        try (Running other = Running.of(parent, transport, toml)) {
            assertEquals("<p>home", Client.get(other.port(), "/").body());
            write("next/index.html", "<p>next");
            Files.delete(link);
            assertEquals(404, Client.get(other.port(), "/style.css").status());
            Files.createSymbolicLink(link, parent.resolve("next"));
            write("next/page.html", "<p>new");
            assertEquals("<p>new", Client.get(other.port(), "/page.html").body());
            Eventually.await( // what is known holds until it is checked
                    "the next page", () -> Client.get(other.port(), "/").body().equals("<p>next"));
        }
    }

    private Answer get(String target, String... fields) throws IOException {
        return Client.get(serving.port(), target, fields);
    }

    private Serving open(Path directory) throws Exception {
        return Serving.open(Sources.of(Optional.of(directory), "127.0.0.1", 0, 1, transport));
    }

    private Path write(String name, String content) throws IOException {
        Path file = parent.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        return Files.setLastModifiedTime(file, FileTime.from(CHANGED));
    }
}
