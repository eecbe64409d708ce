// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static io.sirocco.web.cache.CacheServing.answer;
import static io.sirocco.web.cache.TestOrigin.ok;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Headers;
import io.sirocco.web.files.Client;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies that arrive: streamed to clients and stored at once, never in part. */
class BodiesTest {
    @TempDir Path folder;

    private CacheServing serving = new CacheServing();

    @AfterEach
    void close() {
        serving.close();
    }

    private void restart(Consumer<CacheOptions> options) {
        serving.close();
        serving = new CacheServing(options);
    }

    private void restartWithDisk() {
        restart(options -> options.disk(folder.resolve("cache"), 64 << 20).memoryBody(10_000));
    }

    /** Has the origin respond once with a body that the test sends. */
    private TestOrigin.Body arriving(long length) {
        var body = new TestOrigin.Body();
        serving.origin.answers(
                new OriginResponse(
                        200,
                        Headers.of("Cache-Control", "max-age=60"),
                        length < 0 ? OptionalLong.empty() : OptionalLong.of(length),
                        body));
        return body;
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private void sendAll(TestOrigin.Body body, byte[] all) {
        for (int at = 0; at < all.length; at += 30_000) {
            body.send(Arrays.copyOfRange(all, at, Math.min(all.length, at + 30_000)));
        }
        body.end();
    }

    private long files() throws IOException {
        try (Stream<Path> all = Files.list(folder.resolve("cache"))) {
            return all.filter(file -> file.toString().endsWith(".body")).count();
        }
    }

    @Test
    void aBodyIsStreamedWhileItIsStored() throws Exception {
        TestOrigin.Body body = arriving(-1);
        try (Client client = serving.client()) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            body.send("one ");
            while (!client.line().isEmpty()) {
                // the headers
            }
            assertEquals("one ", new String(client.chunk(), ISO_8859_1));
            CompletableFuture<Answer> second = serving.later("/a"); // joins what arrives
            body.send("two");
            assertEquals("two", new String(client.chunk(), ISO_8859_1));
            body.end();
            assertEquals(0, client.chunk().length);
            assertEquals("one two", answer(second).text());
        }
        Answer stored = serving.get("/a");
        assertEquals("one two", stored.text());
        assertEquals("7", stored.field("Content-Length"));
        assertEquals(1, serving.origin.count());
    }

    @Test
    void trailersAreForwardedAndStored() throws Exception {
        serving.origin.answers(
                new OriginResponse(
                        200,
                        Headers.of("Cache-Control", "max-age=60"),
                        OptionalLong.empty(),
                        TestOrigin.source("abc".getBytes(ISO_8859_1)),
                        () -> Headers.of("X-Sum", "7")));
        for (int i = 0; i < 2; i++) {
            try (Client client = serving.client()) {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
                while (!client.line().isEmpty()) {
                    // the headers
                }
                assertEquals("3", client.line());
                assertEquals("abc", client.line());
                assertEquals("0", client.line());
                assertEquals("X-Sum: 7", client.line());
            }
        }
        assertEquals(1, serving.origin.count());
    }

    /** The connection is reset; before the first byte of the body, there is still a status. */
    private static void assertFails(CompletableFuture<Answer> later) throws Exception {
        try {
            assertEquals(500, answer(later).status());
        } catch (ExecutionException e) {
            assertInstanceOf(IOException.class, e.getCause());
        }
    }

    private static void assertNotTruncated(CompletableFuture<Answer> later) throws Exception {
        try {
            Answer answer = answer(later);
            assertTrue(answer.status() == 500 || answer.text().equals("whole"), answer.text());
        } catch (ExecutionException e) {
            assertInstanceOf(IOException.class, e.getCause());
        }
    }

    @Test
    void aTruncatedBodyIsNeverStored() throws Exception {
        for (long length : new long[] {10, -1}) {
            TestOrigin.Body body = arriving(length);
            CompletableFuture<Answer> first = serving.later("/a");
            serving.origin.await();
            CompletableFuture<Answer> second = serving.later("/a");
            body.send("12345");
            if (length > 0) {
                body.end(); // after 5 of 10 bytes
            } else {
                body.fail(new IOException("the connection was reset"));
            }
            assertFails(first);
            serving.origin.answers(request -> ok("whole", "Cache-Control", "no-store"));
            assertNotTruncated(second); // it has joined, or came after the failure
            assertEquals("whole", serving.get("/a").text());
            assertEquals(0, serving.cache.stats().entries());
        }
    }

    @Test
    void aBodyThatBreaksOffResetsTheConnection() throws Exception {
        TestOrigin.Body body = arriving(10);
        try (Client client = serving.client()) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            body.send("12345");
            while (!client.line().isEmpty()) {
                // the headers
            }
            assertEquals("12345", new String(client.read(5), ISO_8859_1));
            body.end();
            assertThrows(IOException.class, () -> client.read(1));
        }
        assertEquals(0, serving.cache.stats().entries());
    }

    @Test
    void aBodyThatIsLongerThanItsLengthIsNotStored() throws Exception {
        TestOrigin.Body body = arriving(3);
        CompletableFuture<Answer> first = serving.later("/a");
        body.send("1234");
        assertFails(first);
        assertEquals(0, serving.cache.stats().entries());
    }

    @Test
    void theFetchGoesOnWhenItsOnlyClientDisconnects() throws Exception {
        TestOrigin.Body body = arriving(6);
        try (Client client = serving.client()) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            body.send("one");
            while (!client.line().isEmpty()) {
                // the headers
            }
        }
        body.send("two").end();
        CacheServing.until(() -> serving.cache.stats().stored() == 1);
        assertEquals("onetwo", serving.get("/a").text());
    }

    @Test
    void aLargeBodyGoesToTheDisk() throws Exception {
        restartWithDisk();
        byte[] all = random(3_000_000);
        TestOrigin.Body body = arriving(-1);
        CompletableFuture<Answer> first = serving.later("/a");
        sendAll(body, all);
        assertArrayEquals(all, answer(first).body());
        CacheServing.until(() -> serving.cache.stats().stored() == 1);
        assertEquals(1, files());
        for (int i = 0; i < 3; i++) {
            assertArrayEquals(all, serving.get("/a").body());
        }
        Answer part = serving.get("/a", "Range: bytes=2000000-2000009");
        assertArrayEquals(Arrays.copyOfRange(all, 2_000_000, 2_000_010), part.body());
        Answer parts = serving.get("/a", "Range: bytes=0-0,2999999-");
        assertTrue(parts.text().contains("bytes 2999999-2999999/3000000"));
        assertEquals("3000000", serving.ask("HEAD", "/a").field("Content-Length"));
        CacheStats stats = serving.cache.stats();
        assertTrue(stats.memoryBytes() < 10_000, stats.toString());
        assertTrue(stats.diskBytes() >= 3_000_000 && stats.diskBytes() < 3_100_000);
        assertEquals(1, serving.origin.count());
        serving.cache.purgeAll().toCompletableFuture().get();
        assertEquals(0, files());
        assertEquals(0, serving.cache.stats().diskBytes());
    }

    @Test
    void aSlowFirstClientDoesNotHoldUpOthers() throws Exception {
        restartWithDisk();
        byte[] all = random(8_000_000);
        TestOrigin.Body body = arriving(all.length);
        try (Client slow = new Client(serving.port(), 4096)) {
            slow.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"); // and does not read
            serving.origin.await();
            CompletableFuture<Answer> fast = serving.later("/a");
            sendAll(body, all);
            assertArrayEquals(all, answer(fast).body());
            CacheServing.until(() -> serving.cache.stats().stored() == 1);
            assertArrayEquals(all, serving.get("/a").body());
            assertArrayEquals(all, slow.answer(false).body()); // from the file
        }
        assertEquals(1, serving.origin.count());
    }

    @Test
    void aBodyThatTurnsOutTooLargeIsForwardedToTheEnd() throws Exception {
        for (boolean disk : new boolean[] {false, true}) {
            restart(
                    options -> {
                        options.maxEntryBytes(100_000);
                        if (disk) {
                            options.disk(folder.resolve("cache"), 64 << 20).memoryBody(10_000);
                        }
                    });
            byte[] all = random(1_000_000);
            TestOrigin.Body body = arriving(-1);
            CompletableFuture<Answer> first = serving.later("/a");
            serving.origin.await();
            sendAll(body, all);
            assertArrayEquals(all, answer(first).body());
            assertEquals(0, serving.cache.stats().entries());
            body.closed.get();
            if (disk) {
                CacheServing.until(
                        () -> {
                            try {
                                return files() == 0;
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
            }
        }
    }

    @Test
    void aBodyThatIsKnownToBeTooLargeIsPulledAtTheSpeedOfItsClient() throws Exception {
        restart(options -> options.maxEntryBytes(100_000));
        TestOrigin.Body body = arriving(200_000_000);
        try (Client slow = new Client(serving.port(), 4096)) {
            slow.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            serving.origin.await();
            for (int i = 0; i < 2000; i++) {
                body.send(new byte[100_000]);
            }
            assertTrue(slow.line().endsWith("200 OK"));
            assertTrue(body.pulled.get() < 1000, body.pulled.toString());
        }
        body.closed.get();
    }

    @Test
    void aSlowClientOfABodyThatIsNotStoredIsCutOffWhenItHoldsUpOthers() throws Exception {
        serving.close();
        var time = new TestClock();
        serving = new CacheServing(options -> options.maxEntryBytes(100_000), time);
        byte[] all = random(20_000_000);
        TestOrigin.Body body = arriving(-1);
        try (Client slow = new Client(serving.port(), 4096)) {
            slow.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"); // and does not read
            serving.origin.await();
            CompletableFuture<Answer> fast = serving.later("/a");
            CacheServing.until(() -> serving.cache.stats().collapsed() == 1);
            sendAll(body, all);
            long pulled;
            do { // until it stands still
                pulled = body.pulled.get();
                try {
                    fast.get(200, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    // the slow one holds it up
                }
            } while (body.pulled.get() != pulled);
            assertFalse(fast.isDone());
            time.advance(1 + SharedBody.STALL_MILLIS / 1000);
            assertArrayEquals(all, answer(fast).body());
        }
        assertEquals(0, serving.cache.stats().entries());
    }

    @Test
    void aDiskThatFailsOnlyStopsStoring() throws Exception {
        restartWithDisk();
        try (Stream<Path> all = Files.list(folder.resolve("cache"))) {
            for (Path file : all.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder.resolve("cache"));
        byte[] all = random(1_000_000);
        serving.origin.answers(
                request ->
                        new OriginResponse(
                                200,
                                Headers.of("Cache-Control", "max-age=60"),
                                OptionalLong.of(all.length),
                                TestOrigin.source(all)));
        assertArrayEquals(all, serving.get("/a").body());
        assertArrayEquals(all, serving.get("/a").body());
        assertEquals(0, serving.cache.stats().entries());
        assertTrue(serving.cache.stats().diskFailures() > 0);
        serving.origin.answers(ok("small", "Cache-Control", "max-age=60"));
        serving.get("/small");
        assertEquals("small", serving.get("/small").text()); // memory still works
    }

    @Test
    void theDiskHasABound() throws Exception {
        restart(options -> options.disk(folder.resolve("cache"), 4 << 20).memoryBody(10_000));
        byte[] all = random(300_000);
        serving.origin.answers(
                request ->
                        new OriginResponse(
                                200,
                                Headers.of("Cache-Control", "max-age=60"),
                                OptionalLong.of(all.length),
                                TestOrigin.source(all)));
        for (int i = 0; i < 40; i++) {
            int stored = i + 1;
            assertArrayEquals(all, serving.get("/" + i).body());
            CacheServing.until(() -> serving.cache.stats().stored() == stored);
            assertTrue(serving.cache.stats().diskBytes() <= 4 << 20);
        }
        assertTrue(serving.cache.stats().entries() <= 10);
        assertTrue(serving.cache.stats().entries() >= 5);
        serving.cache.purge("http://a/none").toCompletableFuture().get(); // all deletes are done
        assertEquals(serving.cache.stats().entries(), files());
    }

    @Test
    void aFileThatIsGoneIsFetchedAgain() throws Exception {
        restartWithDisk();
        byte[] all = random(500_000);
        serving.origin.answers(
                request ->
                        new OriginResponse(
                                200,
                                Headers.of("Cache-Control", "max-age=60", "ETag", "\"1\""),
                                OptionalLong.of(all.length),
                                TestOrigin.source(all)));
        serving.get("/a");
        CacheServing.until(() -> serving.cache.stats().stored() == 1);
        try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".body")).toList()) {
                Files.delete(file);
            }
        }
        assertArrayEquals(all, serving.get("/a").body());
        assertEquals(2, serving.origin.count());
        assertFalse(serving.origin.last().headers().has("If-None-Match"));
    }

    @Test
    void responsesWithoutABodyAreStored() throws IOException {
        serving.origin.answers(
                TestOrigin.response(204, "", "Cache-Control", "max-age=60"),
                TestOrigin.response(301, "", "Location", "/x"),
                ok("", "Cache-Control", "max-age=60"));
        assertEquals(204, serving.get("/a").status());
        assertEquals(204, serving.get("/a").status());
        assertEquals("/x", serving.get("/b").field("Location")); // no freshness: not stored
        assertEquals(0, serving.get("/c").body().length);
        assertEquals(0, serving.get("/c").body().length);
        assertEquals(3, serving.origin.count());
    }
}
