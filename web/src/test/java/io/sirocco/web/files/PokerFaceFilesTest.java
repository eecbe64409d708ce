// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What PokerFace promised of files, by the rows of its verification table. Path safety is {@link
 * HostilePathsTest}; the hash of joined ranges is in {@link RangesOnTheWireTest}.
 */
@OnEachTransport
class PokerFaceFilesTest {
    @Parameter TransportKind transport;
    @TempDir Path root;
    private Serving serving;

    @BeforeEach
    void serve() throws IOException {
        for (String name :
                new String[] {
                    "a.html", "a.HTML", "a.css", "a.js", "a.json", "a.png", "a.JPG", "a.svg",
                    "a.ico", "a.woff", "a.ttf", "a.otf", "a.eot", "a.mp3", "a.ogg", "a.wav",
                    "a.foo", "a.bar", "a.unknown", "a", "a b.txt"
                }) {
            Path file = Files.writeString(root.resolve(name), "content");
            Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2024-02-29T12:34:56Z")));
        }
        serving =
                new Serving(
                        transport,
                        root,
                        options ->
                                options.mime("foo", "text/x-foo")
                                        .mime(".bar", "application/x-bar"));
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    @Test
    void staticHeaders() throws IOException {
        for (String method : new String[] {"GET", "HEAD"}) {
            Answer answer = serving.ask(method, "/a.html");
            assertEquals("7", answer.field("Content-Length"));
            assertEquals("text/html; charset=utf-8", answer.field("Content-Type"));
            assertEquals("Thu, 29 Feb 2024 12:34:56 GMT", answer.field("Last-Modified"));
            assertEquals("bytes", answer.field("Accept-Ranges"));
            assertEquals("Sirocco", answer.field("Server"));
            assertTrue(answer.field("Date").endsWith("GMT"));
            assertTrue(answer.field("ETag").matches("\"[^\"]{16}\""), answer.field("ETag"));
        }
    }

    @Test
    void conditionalAndRange() throws IOException {
        Answer whole = serving.get("/a.html");
        assertEquals(304, serving.get("/a.html", "If-None-Match: " + whole.field("ETag")).status());
        String since = "If-Modified-Since: " + whole.field("Last-Modified");
        assertEquals(304, serving.get("/a.html", since).status());
        assertEquals(206, serving.get("/a.html", "Range: bytes=0-3").status());
        assertEquals("cont", serving.get("/a.html", "Range: bytes=0-3").text());
        assertEquals(416, serving.get("/a.html", "Range: bytes=7-").status());
    }

    @Test
    void aBlankIsDecodedOnce() throws IOException {
        assertEquals("content", serving.get("/a%20b.txt").text());
        assertEquals(404, serving.get("/a%2520b.txt").status());
    }

    @ParameterizedTest
    @CsvSource({
        "a.HTML,    text/html; charset=utf-8",
        "a.css,     text/css; charset=utf-8",
        "a.js,      text/javascript; charset=utf-8",
        "a.json,    application/json",
        "a.png,     image/png",
        "a.JPG,     image/jpeg",
        "a.svg,     image/svg+xml",
        "a.ico,     image/vnd.microsoft.icon",
        "a.woff,    font/woff",
        "a.ttf,     font/ttf",
        "a.otf,     font/otf",
        "a.eot,     application/vnd.ms-fontobject",
        "a.mp3,     audio/mpeg",
        "a.ogg,     audio/ogg",
        "a.wav,     audio/wav",
        "a.foo,     text/x-foo; charset=utf-8",
        "a.bar,     application/x-bar",
        "a.unknown, application/octet-stream",
        "a,         application/octet-stream",
    })
    void mimeAdditionsAndTextHasACharset(String name, String type) throws IOException {
        assertEquals(type, serving.get("/" + name).field("Content-Type"));
    }

    @Test
    void noCharsetIfNoneIsWanted() throws IOException {
        serving.close();
        serving = new Serving(transport, root, options -> options.charset(""));
        assertEquals("text/css", serving.get("/a.css").field("Content-Type"));
    }

    /** D3: what is announced comes, and the connection is of use afterwards. */
    @Test
    void d3A404IsWhole() throws IOException {
        try (var client = new Client(serving.port())) {
            Answer answer = client.ask("GET", "/nothing");
            assertEquals(404, answer.status());
            assertEquals("Not Found", answer.text());
            assertFalse(answer.field("Content-Length").isEmpty());
            assertEquals(200, client.ask("GET", "/a.html").status());
        }
    }

    /** D2: the body of a GET is no request of its own. */
    @Test
    void d2TheBodyOfAGetIsNotARequest() throws IOException {
        try (var client = new Client(serving.port())) {
            String inside = "GET /a.css HTTP/1.1\r\nHost: a\r\n\r\n";
            client.send(
                    "GET /a.html HTTP/1.1\r\nHost: a\r\nContent-Length: "
                            + inside.length()
                            + "\r\n\r\n"
                            + inside);
            assertEquals("text/html; charset=utf-8", client.answer(false).field("Content-Type"));
            assertEquals("image/png", client.ask("GET", "/a.png").field("Content-Type"));
        }
    }
}
