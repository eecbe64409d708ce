// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.pokerface;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Client;
import io.sirocco.app.Client.Answer;
import io.sirocco.app.Running;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnAllTransports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The files of a site as a configuration has them: headers, conditions, ranges, types, order. The
 * classes of {@code web.files} look closer at each.
 */
@OnAllTransports
class StaticFilesTest {
    private static final String CHANGED = "Thu, 29 Feb 2024 12:34:56 GMT";
    private static final String TOML =
            """
            [[listen]]
            address = "127.0.0.1:0"
            [[site]]
            root = "site"
            [site.mime]
            foo = "text/x-foo"
            bar = "image/x-bar"
            [[site]]
            hosts = ["no-ranges.test"]
            root = "site"
            max-ranges = 0
            [[site]]
            hosts = ["two-ranges.test"]
            root = "site"
            max-ranges = 2
            """;

    @Parameter TransportKind transport;
    @TempDir Path folder;
    private final byte[] large = new byte[284_184];
    private Running running;

    @BeforeEach
    void serve() throws Exception {
        new Random(1).nextBytes(large);
        Files.createDirectory(folder.resolve("site"));
        write("large.bin", large);
        write("digits", "0123456789".getBytes(ISO_8859_1));
        running = Running.of(folder, transport, TOML);
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private void write(String name, byte[] content) throws IOException {
        Path file = Files.write(folder.resolve("site").resolve(name), content);
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2024-02-29T12:34:56Z")));
    }

    private Answer get(String target, String... fields) throws IOException {
        return Client.get(running.port(), target, fields);
    }

    @ParameterizedTest
    @CsvSource({
        "a.css,   81,     text/css; charset=utf-8",
        "A.CSS,   81,     text/css; charset=utf-8",
        "a.js,    284184, text/javascript; charset=utf-8",
        "a.html,  1,      text/html; charset=utf-8",
        "a.jpg,   130768, image/jpeg",
        "a.JPG,   130768, image/jpeg",
        "a.woff,  3,      font/woff",
        "a.woff2, 3,      font/woff2",
        "a.ttf,   3,      font/ttf",
        "a.otf,   3,      font/otf",
        "a.ico,   3,      image/vnd.microsoft.icon",
        "a.svg,   3,      image/svg+xml",
        "a.foo,   3,      text/x-foo; charset=utf-8", // [site.mime]
        "a.FOO,   3,      text/x-foo; charset=utf-8",
        "a.bar,   3,      image/x-bar",
        "a.none,  3,      application/octet-stream",
        "a,       0,      application/octet-stream",
    })
    void everyResponseHasItsHeaders(String name, int length, String type) throws IOException {
        write(name, new byte[length]);
        try (var client = new Client(running.port())) {
            for (String method : new String[] {"GET", "HEAD", "GET"}) {
                Answer answer = client.ask(method, "/" + name);
                assertTrue(answer.head().startsWith("HTTP/1.1 200 OK\r\n"), answer.head());
                assertEquals(Integer.toString(length), answer.field("Content-Length"));
                assertEquals(method.equals("HEAD") ? 0 : length, answer.body().length());
                assertEquals(type, answer.field("Content-Type"));
                assertEquals("Sirocco", answer.field("Server"));
                assertEquals(CHANGED, answer.field("Last-Modified"));
                assertEquals("bytes", answer.field("Accept-Ranges"));
                assertTrue(answer.field("ETag").matches("\"[^\"]+\""), answer.head());
                assertTrue(answer.field("Date").matches("[A-Z][a-z]{2}, .{20} GMT"));
            }
        }
    }

    @Tag("peers")
    @Test
    void curlSeesThem() throws Exception {
        String said =
                Tool.CURL.does(
                        folder,
                        "-sSI",
                        "--max-time",
                        "20",
                        "http://127.0.0.1:" + running.port() + "/large.bin");
        assertTrue(said.contains("Content-Length: 284184\r\n"), said);
        assertTrue(said.contains("Last-Modified: " + CHANGED + "\r\n"), said);
    }

    @Test
    void whatTheClientHasIsNotSentAgain() throws IOException {
        String tag = get("/large.bin").field("ETag");
        try (var client = new Client(running.port())) {
            for (String condition :
                    new String[] {
                        "If-None-Match: " + tag,
                        "If-None-Match: W/" + tag,
                        "If-None-Match: *",
                        "If-None-Match: \"x\", " + tag,
                        "If-Modified-Since: " + CHANGED,
                    }) {
                Answer answer = client.ask("GET", "/large.bin", condition);
                assertEquals(304, answer.status(), condition);
                assertEquals(tag, answer.field("ETag"));
            }
            // the responses had no body: what follows on the same connection is in its place
            assertEquals(200, client.ask("GET", "/large.bin", "If-None-Match: \"other\"").status());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0-9   | 206 | bytes 0-9/10 | 0123456789",
                "0-0   | 206 | bytes 0-0/10 | 0",
                "7-    | 206 | bytes 7-9/10 | 789",
                "-2    | 206 | bytes 8-9/10 | 89",
                "5-100 | 206 | bytes 5-9/10 | 56789",
            })
    void aRangeIsServed(String range, int status, String which, String body) throws IOException {
        Answer answer = get("/digits", "Range: bytes=" + range);
        assertEquals(status, answer.status(), answer.head());
        assertEquals(which, answer.field("Content-Range"));
        assertEquals(body, answer.body());
    }

    @ParameterizedTest
    @ValueSource(strings = {"10-", "100-200", "-0"})
    void aRangeThatIsNotThereIs416(String range) throws IOException {
        Answer answer = get("/digits", "Range: bytes=" + range);
        assertEquals(416, answer.status(), answer.head());
        assertEquals("bytes */10", answer.field("Content-Range"));
    }

    @Test
    void joinedRangesAreTheFile() throws Exception {
        MessageDigest joined = MessageDigest.getInstance("SHA-256");
        try (var client = new Client(running.port())) {
            for (int from = 0; from < large.length; from += 30_000) {
                String range = "Range: bytes=%d-%d".formatted(from, from + 29_999);
                Answer answer = client.ask("GET", "/large.bin", range);
                assertEquals(206, answer.status());
                joined.update(answer.body().getBytes(ISO_8859_1));
            }
        }
        byte[] whole = MessageDigest.getInstance("SHA-256").digest(large);
        assertTrue(MessageDigest.isEqual(whole, joined.digest()));
    }

    @ParameterizedTest
    @CsvSource({
        "a, '0-0,2-2,4-4', 206",
        "two-ranges.test, '0-0,2-2', 206",
        "two-ranges.test, '0-0,2-2,4-4', 200",
        "no-ranges.test, 0-0, 200",
    })
    void soManyRangesAsTheSiteAllows(String host, String ranges, int status) throws IOException {
        try (var client = new Client(running.port())) {
            client.send(
                    "GET /digits HTTP/1.1\r\nHost: %s\r\nRange: bytes=%s\r\nConnection: close\r\n\r\n"
                            .formatted(host, ranges));
            Answer answer = client.last();
            assertEquals(status, answer.status(), answer.head());
            if (status == 200) assertEquals("0123456789", answer.body());
        }
    }

    @Test
    void pipelinedRequestsAreAnsweredInTheirOrder() throws IOException {
        try (var client = new Client(running.port())) {
            String request = "GET /%s HTTP/1.1\r\nHost: a\r\n\r\n";
            client.send(
                    request.formatted("digits")
                            + request.formatted("large.bin")
                            + request.formatted("none")
                            + request.formatted("digits")
                            + request.formatted("large.bin"));
            assertEquals("0123456789", client.next(false).body());
            assertEquals(new String(large, ISO_8859_1), client.next(false).body());
            assertEquals("Not Found", client.next(false).body());
            assertEquals("0123456789", client.next(false).body());
            assertEquals(new String(large, ISO_8859_1), client.next(false).body());
        }
    }

    /**
     * Of head and body in two writes, the second one waited for an acknowledgement that the client
     * delays (defect D22): 48 ms for each request. In one write they are one segment, so a client
     * that reads once has all of it.
     */
    @Test
    void d22HeadAndBodyOfASmallFileAreOneWrite() throws IOException {
        write("small.html", new byte[81]);
        try (var client = new Client(running.port())) {
            int length = client.ask("GET", "/small.html").head().length() + 4 + 81;
            byte[] all = new byte[length + 1];
            for (int i = 0; i < 300; i++) {
                client.send("GET /small.html HTTP/1.1\r\nHost: a\r\n\r\n");
                assertEquals(length, client.in().read(all), "request " + i);
            }
        }
    }
}
