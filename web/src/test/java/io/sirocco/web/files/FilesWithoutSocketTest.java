// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.exchange.FakeServer;
import io.sirocco.http.exchange.FakeStream.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files, conditional requests and ranges do not depend on a version of HTTP. */
class FilesWithoutSocketTest {
    private static final int BIG = 300_000; // more than the cache keeps: it leaves as regions

    @TempDir Path root;
    private FileServer files;
    private FakeServer server;

    @BeforeEach
    void serve() throws IOException {
        Files.writeString(root.resolve("a.txt"), "0123456789");
        Files.writeString(root.resolve("big.txt"), "0123456789".repeat(BIG / 10));
        files = FileServer.of(root, options -> {});
        server =
                new FakeServer(
                        routes ->
                                routes.route("*", "/*", files).executionMode(ExecutionMode.INLINE));
    }

    @AfterEach
    void stop() {
        server.close();
        files.close();
    }

    private static String header(Result result, String name) {
        return result.headers().first(name).orElse("");
    }

    @Test
    void aFileHasAValidatorAndIsNotSentToAClientThatHasIt() {
        for (String target : List.of("/a.txt", "/big.txt")) {
            Result whole = server.get(target);
            assertEquals(200, whole.status());
            assertTrue(whole.body().startsWith("0123456789"));
            Result known = server.get(target, "If-None-Match", header(whole, "ETag"));
            assertEquals(304, known.status());
            assertEquals("", known.body());
            Result since = server.get(target, "If-Modified-Since", header(whole, "Last-Modified"));
            assertEquals(304, since.status());
            assertEquals(412, server.get(target, "If-Match", "\"other\"").status());
        }
    }

    @Test
    void rangesArePartsOfTheFile() {
        for (String target : List.of("/a.txt", "/big.txt")) {
            String length = target.equals("/a.txt") ? "10" : "" + BIG;
            Result one = server.get(target, "Range", "bytes=2-4");
            assertEquals(206, one.status());
            assertEquals("234", one.body());
            assertEquals("bytes 2-4/" + length, header(one, "Content-Range"));
            assertEquals("89", server.get(target, "Range", "bytes=-2").body());
            Result several = server.get(target, "Range", "bytes=0-1,5-6");
            assertEquals(206, several.status());
            assertTrue(header(several, "Content-Type").startsWith("multipart/byteranges"));
            assertTrue(several.body().contains("\r\n\r\n01\r\n"), several::body);
            assertTrue(several.body().contains("\r\n\r\n56\r\n"), several::body);
            Result beyond = server.get(target, "Range", "bytes=" + BIG + "-");
            assertEquals(416, beyond.status());
            assertEquals("bytes */" + length, header(beyond, "Content-Range"));
            String tag = header(one, "ETag");
            assertEquals(206, server.get(target, "Range", "bytes=0-0", "If-Range", tag).status());
            assertEquals(
                    200, server.get(target, "Range", "bytes=0-0", "If-Range", "\"x\"").status());
        }
    }

    @Test
    void headHasTheHeadersOfTheFileAndNoBody() {
        Result head = server.ask("HEAD", "/big.txt").result();
        assertEquals(200, head.status());
        assertEquals("", head.body());
        assertEquals(header(server.get("/big.txt"), "ETag"), header(head, "ETag"));
        assertEquals(405, server.ask("DELETE", "/a.txt").result().status());
        assertEquals(404, server.get("/none.txt").status());
        assertEquals(404, server.get("/../a.txt").status());
    }
}
