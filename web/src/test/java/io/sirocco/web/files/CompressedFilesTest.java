// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.aayushatharva.brotli4j.decoder.BrotliInputStream;
import com.github.luben.zstd.ZstdInputStream;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.compress.Coding;
import io.sirocco.web.files.Client.Answer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@OnEachTransport
class CompressedFilesTest {
    private static final Instant CHANGED = Instant.parse("2024-02-29T12:34:56Z");

    @Parameter TransportKind transport;
    @TempDir Path root;
    private Serving serving;
    private byte[] text;

    @BeforeEach
    void serve() throws IOException {
        text = "All work and no play makes Jack a dull boy. ".repeat(200).getBytes(UTF_8);
        write("plain.css", text);
        write("large.css", "p { color: red }\n".repeat(20_000).getBytes(UTF_8));
        write("tiny.css", "p {}".getBytes(UTF_8));
        write("photo.jpg", text);
        byte[] noise = new byte[4_000];
        new Random(1).nextBytes(noise);
        write("noise.css", noise);
        serving = Serving.of(transport, root);
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    private void write(String name, byte[] content) throws IOException {
        Files.write(root.resolve(name), content);
        Files.setLastModifiedTime(root.resolve(name), FileTime.from(CHANGED));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip, deflate, br, zstd          | zstd",
                "gzip, deflate, br                | br",
                "gzip, deflate                    | gzip",
                "GZIP                             | gzip",
                "x-gzip                           | gzip",
                "br;q=0.5, gzip;q=0.6             | gzip",
                "zstd;q=0, br;q=0, *              | gzip",
                "*                                | zstd",
                "identity                         | ''",
                "deflate                          | ''",
                "gzip;q=0                         | ''",
                "identity, gzip;q=0.5             | ''",
                "identity;q=0.5, gzip;q=0.5       | gzip",
                "identity;q=0, gzip;q=0.1         | gzip",
                "''                               | ''",
            })
    void aFileIsCompressedAsTheClientLikes(String accept, String coding) throws IOException {
        for (int i = 0; i < 3; i++) { // compressed first, then from the cache
            for (String name : List.of("plain.css", "large.css")) {
                Answer answer = serving.get("/" + name, "Accept-Encoding: " + accept);
                assertEquals(200, answer.status());
                assertEquals(coding, answer.field("Content-Encoding"));
                assertEquals("Accept-Encoding", answer.field("Vary"));
                assertEquals("text/css; charset=utf-8", answer.field("Content-Type"));
                assertArrayEquals(Files.readAllBytes(root.resolve(name)), plain(answer));
                assertEquals(answer.body().length + "", answer.field("Content-Length"));
            }
        }
    }

    @Test
    void eachCodingHasAStrongTagOfItsOwn() throws IOException {
        var tags = new HashSet<String>();
        for (String accept : List.of("identity", "gzip", "br", "zstd")) {
            String tag = serving.get("/plain.css", "Accept-Encoding: " + accept).field("ETag");
            assertTrue(tag.startsWith("\""), tag);
            assertTrue(tags.add(tag), tag);
            Answer again =
                    serving.get(
                            "/plain.css", "Accept-Encoding: " + accept, "If-None-Match: " + tag);
            assertEquals(304, again.status());
            assertEquals(tag, again.field("ETag"));
            assertEquals("Accept-Encoding", again.field("Vary"));
        }
    }

    @Test
    void whatTheClientHasIsNotCompressedAgain() throws IOException {
        String tag = serving.get("/plain.css", "Accept-Encoding: gzip").field("ETag");
        serving.close();
        serving = Serving.of(transport, root);
        Answer again = serving.get("/plain.css", "Accept-Encoding: gzip", "If-None-Match: " + tag);
        assertEquals(304, again.status());
    }

    @ParameterizedTest
    @CsvSource({"/tiny.css, ''", "/photo.jpg, ''", "/noise.css, Accept-Encoding"})
    void whatGainsNothingIsSentAsItIs(String target, String vary) throws IOException {
        for (int i = 0; i < 2; i++) {
            Answer answer = serving.get(target, "Accept-Encoding: gzip, br, zstd");
            assertEquals("", answer.field("Content-Encoding"));
            assertEquals(vary, answer.field("Vary"));
            assertArrayEquals(Files.readAllBytes(root.resolve(target.substring(1))), answer.body());
        }
    }

    @Test
    void theOptionsOfCompression() throws IOException {
        serving.close();
        serving =
                new Serving(
                        transport,
                        root,
                        o -> o.compress(Coding.GZIP).compressFrom(4).compressTypes("image/*"));
        assertEquals("", serving.get("/plain.css", "Accept-Encoding: gzip").field("Vary"));
        Answer photo = serving.get("/photo.jpg", "Accept-Encoding: br, gzip");
        assertEquals("gzip", photo.field("Content-Encoding"));
        serving.close();
        serving = new Serving(transport, root, o -> o.compress());
        assertEquals("", serving.get("/plain.css", "Accept-Encoding: gzip").field("Vary"));
    }

    @Test
    void compressedWithoutACache() throws IOException {
        serving.close();
        serving = new Serving(transport, root, o -> o.cache(0));
        for (int i = 0; i < 3; i++) {
            Answer answer = serving.get("/large.css", "Accept-Encoding: br");
            assertEquals("br", answer.field("Content-Encoding"));
            assertArrayEquals(Files.readAllBytes(root.resolve("large.css")), plain(answer));
        }
    }

    @Test
    void whatGainsNothingIsServedWithoutACache() throws IOException {
        byte[] noise = new byte[200_000];
        new Random(2).nextBytes(noise);
        write("noise.css", noise);
        serving.close();
        serving = new Serving(transport, root, o -> o.cache(0));
        for (int i = 0; i < 20; i++) {
            Answer answer = serving.get("/noise.css", "Accept-Encoding: zstd, br, gzip");
            assertEquals(200, answer.status());
            assertArrayEquals(noise, answer.body());
        }
    }

    @Test
    void aRangeIsOneOfThePlainFile() throws IOException {
        Answer answer = serving.get("/plain.css", "Accept-Encoding: gzip, br", "Range: bytes=4-7");
        assertEquals(206, answer.status());
        assertEquals("", answer.field("Content-Encoding"));
        assertEquals("work", answer.text());
        Answer whole = serving.get("/plain.css", "Accept-Encoding: gzip");
        assertEquals("", whole.field("Accept-Ranges")); // of what is compressed on the way
        Answer resumed =
                serving.get(
                        "/plain.css",
                        "Accept-Encoding: gzip",
                        "Range: bytes=4-7",
                        "If-Range: " + whole.field("ETag"));
        assertEquals(200, resumed.status(), "the tag is of another representation");
    }

    // ---- files that lie there compressed

    @Test
    void aCompressedFileBesideGoesFirst() throws IOException {
        byte[] gzip = Coding.GZIP.compress("other".repeat(300).getBytes(UTF_8));
        byte[] brotli = Coding.BROTLI.compress("others".repeat(300).getBytes(UTF_8));
        write("plain.css.gz", gzip);
        write("plain.css.br", brotli);
        Answer answer = serving.get("/plain.css", "Accept-Encoding: gzip, br, zstd");
        assertEquals("br", answer.field("Content-Encoding"));
        assertArrayEquals(brotli, answer.body());
        answer = serving.get("/plain.css", "Accept-Encoding: gzip, zstd");
        assertEquals("gzip", answer.field("Content-Encoding"));
        assertEquals("text/css; charset=utf-8", answer.field("Content-Type"));
        assertArrayEquals(gzip, answer.body());
        String tag = answer.field("ETag");
        assertNotEquals(tag, serving.get("/plain.css").field("ETag"));
        assertArrayEquals(text, serving.get("/plain.css").body());
        assertEquals(
                304,
                serving.get("/plain.css", "Accept-Encoding: gzip", "If-None-Match: " + tag)
                        .status());
    }

    @Test
    void aRangeOfACompressedFileBesideIsOneOfItsBytes() throws IOException {
        byte[] gzip = Coding.GZIP.compress(text);
        write("plain.css.gz", gzip);
        Answer answer = serving.get("/plain.css", "Accept-Encoding: gzip", "Range: bytes=0-1");
        assertEquals(206, answer.status()); // RFC 9110 14.2: of the selected representation
        assertEquals("gzip", answer.field("Content-Encoding"));
        assertEquals("bytes 0-1/" + gzip.length, answer.field("Content-Range"));
        assertArrayEquals(new byte[] {0x1f, (byte) 0x8b}, answer.body());
    }

    @Test
    void anOlderCompressedFileIsOfOtherContent() throws IOException {
        write("photo.jpg.gz", Coding.GZIP.compress("old".getBytes(UTF_8)));
        Files.setLastModifiedTime(
                root.resolve("photo.jpg.gz"), FileTime.from(CHANGED.minusSeconds(1)));
        Answer answer = serving.get("/photo.jpg", "Accept-Encoding: gzip");
        assertEquals("", answer.field("Content-Encoding"));
        assertEquals("", answer.field("Vary"));
    }

    @Test
    void aCompressedFileMayComeAndGo() throws IOException {
        assertEquals("", serving.get("/photo.jpg", "Accept-Encoding: gzip").field("Vary"));
        write("photo.jpg.gz", Coding.GZIP.compress(text));
        serving.age();
        assertEquals(
                "gzip",
                serving.get("/photo.jpg", "Accept-Encoding: gzip").field("Content-Encoding"));
        Files.delete(root.resolve("photo.jpg.gz"));
        serving.age();
        assertEquals("", serving.get("/photo.jpg", "Accept-Encoding: gzip").field("Vary"));
    }

    private static byte[] plain(Answer answer) throws IOException {
        var body = new ByteArrayInputStream(answer.body());
        try (InputStream in =
                switch (answer.field("Content-Encoding")) {
                    case "gzip" -> new GZIPInputStream(body);
                    case "br" -> new BrotliInputStream(body);
                    case "zstd" -> new ZstdInputStream(body);
                    default -> body;
                }) {
            return in.readAllBytes();
        }
    }
}
