// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of a file in memory and of one that is sent by the kernel. */
@OnEachTransport
class RangesOnTheWireTest {
    @Parameter TransportKind transport;
    @TempDir Path root;
    private Serving serving;
    private byte[] small;
    private byte[] large;

    @BeforeEach
    void serve() throws IOException {
        small = write("small.mp4", 10_000);
        large = write("large.mp4", 300_000);
        serving = Serving.of(transport, root);
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    private byte[] write(String name, int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Files.write(root.resolve(name), bytes);
        Files.setLastModifiedTime(
                root.resolve(name), FileTime.from(Instant.parse("2024-02-29T12:34:56.789Z")));
        return bytes;
    }

    @Test
    void oneRange() throws IOException {
        for (byte[] all : List.of(small, large)) {
            String target = all == small ? "/small.mp4" : "/large.mp4";
            Answer answer = serving.get(target, "Range: bytes=100-1099");
            assertEquals(206, answer.status());
            assertEquals("bytes 100-1099/" + all.length, answer.field("Content-Range"));
            assertEquals("1000", answer.field("Content-Length"));
            assertEquals("video/mp4", answer.field("Content-Type"));
            assertEquals(serving.get(target).field("ETag"), answer.field("ETag"));
            assertArrayEquals(Arrays.copyOfRange(all, 100, 1100), answer.body());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=-7, 7",
        "bytes=0-, 300000",
        "bytes=299999-, 1",
        "bytes=250000-900000, 50000"
    })
    void endsOfTheFile(String range, int length) throws IOException {
        Answer answer = serving.get("/large.mp4", "Range: " + range);
        assertEquals(206, answer.status());
        assertArrayEquals(
                Arrays.copyOfRange(large, large.length - length, large.length), answer.body());
    }

    @Test
    void whatIsNotThereIs416() throws IOException {
        Answer answer = serving.get("/large.mp4", "Range: bytes=300000-");
        assertEquals(416, answer.status());
        assertEquals("bytes */300000", answer.field("Content-Range"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lines=0-1", "bytes=1-0", "bytes=x", "bytes=0-1,3-4,6-7,9-10,12-13"})
    void whatWeDoNotHeedGetsAllOfIt(String range) throws IOException {
        serving.close();
        serving = new Serving(transport, root, options -> options.maxRanges(4));
        Answer answer = serving.get("/small.mp4", "Range: " + range);
        assertEquals(200, answer.status());
        assertArrayEquals(small, answer.body());
    }

    @Test
    void noRangesAtAll() throws IOException {
        serving.close();
        serving = new Serving(transport, root, options -> options.maxRanges(0));
        Answer answer = serving.get("/small.mp4", "Range: bytes=0-0");
        assertEquals(200, answer.status());
        assertEquals("none", answer.field("Accept-Ranges"));
    }

    @Test
    void rangesThatOverlapBecomeOne() throws IOException {
        Answer answer = serving.get("/small.mp4", "Range: bytes=0-99,50-149,150-199");
        assertEquals(206, answer.status());
        assertEquals("bytes 0-199/10000", answer.field("Content-Range"));
    }

    @Test
    void severalRangesShownByteByByte() throws IOException {
        Files.writeString(root.resolve("abc.txt"), "abcdefghijklmnopqrstuvwxyz");
        Answer answer = serving.get("/abc.txt", "Range: bytes=2-4,-3,0-0");
        assertEquals(206, answer.status());
        String type = answer.field("Content-Type");
        assertTrue(type.startsWith("multipart/byteranges; boundary="), type);
        String boundary = type.substring(type.indexOf('=') + 1);
        String expected =
                """
                --BOUNDARY
                Content-Type: text/plain; charset=utf-8
                Content-Range: bytes 2-4/26

                cde
                --BOUNDARY
                Content-Type: text/plain; charset=utf-8
                Content-Range: bytes 23-25/26

                xyz
                --BOUNDARY
                Content-Type: text/plain; charset=utf-8
                Content-Range: bytes 0-0/26

                a
                --BOUNDARY--
                """;
        assertEquals(expected.replace("BOUNDARY", boundary).replace("\n", "\r\n"), answer.text());
        assertEquals("", answer.field("Content-Range"));
    }

    /** PokerFace §6, conditional / range: the hash of joined ranges equals that of the file. */
    @Test
    void joinedRangesAreTheFile() throws Exception {
        var random = new Random(206);
        try (var client = new Client(serving.port())) {
            for (byte[] all : List.of(small, large)) {
                for (int round = 0; round < 5; round++) {
                    joined(all, client, random);
                }
            }
        }
    }

    private void joined(byte[] all, Client client, Random random) throws Exception {
        var cuts = new ArrayList<Integer>();
        for (int at = 0; at < all.length; at += 1 + random.nextInt(all.length / 6)) {
            cuts.add(at);
        }
        var even = new ArrayList<String>();
        var odd = new ArrayList<String>();
        for (int i = 0; i < cuts.size(); i++) {
            int end = i + 1 < cuts.size() ? cuts.get(i + 1) : all.length;
            (i % 2 == 0 ? even : odd).add(cuts.get(i) + "-" + (end - 1));
        }
        Collections.shuffle(even, random);
        byte[] joined = new byte[all.length];
        for (List<String> ranges : List.of(even, odd)) { // so that none touches another
            if (ranges.isEmpty()) {
                continue;
            }
            String target = all == small ? "/small.mp4" : "/large.mp4";
            Answer answer = client.ask("GET", target, "Range: bytes=" + String.join(", ", ranges));
            assertEquals(206, answer.status());
            int parts = ranges.size() == 1 ? one(answer, joined) : several(answer, joined);
            assertEquals(ranges.size(), parts);
        }
        var hash = MessageDigest.getInstance("SHA-256");
        assertArrayEquals(hash.digest(all), hash.digest(joined));
    }

    private static int one(Answer answer, byte[] into) {
        put(answer.field("Content-Range"), answer.body(), 0, into);
        return 1;
    }

    private static int several(Answer answer, byte[] into) {
        String type = answer.field("Content-Type");
        String delimiter = "--" + type.substring(type.indexOf('=') + 1);
        String body = new String(answer.body(), ISO_8859_1);
        int parts = 0;
        int at = body.indexOf(delimiter) + delimiter.length();
        while (!body.startsWith("--", at)) {
            int blank = body.indexOf("\r\n\r\n", at);
            String head = body.substring(at, blank);
            String range = head.substring(head.indexOf("bytes "));
            int length = put(range, answer.body(), blank + 4, into);
            at = blank + 4 + length;
            assertTrue(body.startsWith("\r\n" + delimiter, at), "behind " + range);
            at += 2 + delimiter.length();
            parts++;
        }
        assertEquals("--\r\n", body.substring(at));
        return parts;
    }

    /** Puts the bytes of a {@code Content-Range} where they belong, and answers how many. */
    private static int put(String range, byte[] from, int at, byte[] into) {
        String[] numbers = range.substring("bytes ".length()).split("[-/]");
        int first = Integer.parseInt(numbers[0]);
        int length = Integer.parseInt(numbers[1]) - first + 1;
        assertEquals(into.length, Integer.parseInt(numbers[2]));
        System.arraycopy(from, at, into, first, length);
        return length;
    }

    @Test
    void aRangeCountsOnlyWhenIfRangeHolds() throws IOException {
        String tag = serving.get("/small.mp4").field("ETag");
        assertEquals(206, ifRange(tag));
        assertEquals(200, ifRange("W/" + tag));
        assertEquals(200, ifRange("\"other\""));
        assertEquals(206, ifRange("Thu, 29 Feb 2024 12:34:56 GMT"));
        assertEquals(200, ifRange("Thu, 29 Feb 2024 12:34:57 GMT"));
        assertEquals(200, ifRange("Thu, 29 Feb 2024 12:34:55 GMT"));
        assertEquals(200, ifRange("yesterday"));
    }

    private int ifRange(String value) throws IOException {
        return serving.get("/small.mp4", "Range: bytes=0-9", "If-Range: " + value).status();
    }

    @Test
    void aDateOfTheLastMinuteIsNoStrongValidator() throws IOException {
        Files.setLastModifiedTime(root.resolve("small.mp4"), FileTime.from(Instant.now()));
        String date = serving.get("/small.mp4").field("Last-Modified");
        assertEquals(200, ifRange(date));
    }

    @Test
    void conditionsComeBeforeRanges() throws IOException {
        String tag = serving.get("/large.mp4").field("ETag");
        String range = "Range: bytes=0-9";
        assertEquals(304, serving.get("/large.mp4", range, "If-None-Match: " + tag).status());
        assertEquals(412, serving.get("/large.mp4", range, "If-Match: \"other\"").status());
        assertEquals(206, serving.get("/large.mp4", range, "If-Match: " + tag).status());
    }

    @Test
    void manyRangesOfALargeFileOnOneConnection() throws IOException {
        var random = new Random(1);
        try (var client = new Client(serving.port())) {
            for (int i = 0; i < 200; i++) {
                int first = random.nextInt(large.length);
                int last = first + random.nextInt(large.length - first);
                Answer answer =
                        client.ask("GET", "/large.mp4", "Range: bytes=" + first + "-" + last);
                assertArrayEquals(Arrays.copyOfRange(large, first, last + 1), answer.body());
            }
        }
    }
}
