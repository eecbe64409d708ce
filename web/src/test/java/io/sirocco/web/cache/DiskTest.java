// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Headers;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is on the disk survives a restart, and a kill at any time. */
class DiskTest {
    private static final int SIZE = 20_000;

    @TempDir Path folder;

    private CacheServing serving(Consumer<CacheOptions> more) {
        var serving =
                new CacheServing(
                        options -> {
                            options.disk(folder.resolve("cache"), 8 << 20).memoryBody(1000);
                            more.accept(options);
                        });
        serving.origin.answers(
                request ->
                        new OriginResponse(
                                200,
                                Headers.of(
                                        "Cache-Control",
                                        "max-age=60",
                                        "ETag",
                                        "\"" + request.target() + "\"",
                                        "Vary",
                                        "Accept-Language",
                                        "Cache-Tag",
                                        "t" + request.target().substring(1)),
                                OptionalLong.of(SIZE),
                                TestOrigin.source(body(request.target())),
                                Headers::none));
        return serving;
    }

    private CacheServing serving() {
        return serving(options -> {});
    }

    private static byte[] body(String target) {
        byte[] bytes = new byte[SIZE];
        new Random(target.hashCode()).nextBytes(bytes);
        return bytes;
    }

    private static void fill(CacheServing serving, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            long before = serving.cache.stats().stored();
            assertArrayEquals(body("/" + i), serving.get("/" + i).body());
            CacheServing.until(() -> serving.cache.stats().stored() == before + 1);
        }
    }

    private Map<String, byte[]> snapshot() throws IOException {
        var files = new HashMap<String, byte[]>();
        try (Stream<Path> all = Files.list(folder.resolve("cache"))) {
            for (Path file : all.toList()) {
                files.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        }
        return files;
    }

    private Path write(Map<String, byte[]> files) throws IOException {
        for (String name : snapshot().keySet()) {
            Files.delete(folder.resolve("cache").resolve(name));
        }
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Files.write(folder.resolve("cache").resolve(file.getKey()), file.getValue());
        }
        return folder.resolve("cache");
    }

    @Test
    void entriesSurviveARestart() throws IOException {
        try (CacheServing before = serving()) {
            fill(before, 0, 5);
            before.cache.purgeTag("t3").toCompletableFuture().join();
        }
        try (CacheServing after = serving()) {
            assertEquals(4, after.cache.stats().entries());
            after.clock.advance(10);
            Answer hit = after.get("/1");
            assertArrayEquals(body("/1"), hit.body());
            assertEquals("10", hit.field("Age"));
            assertTrue(hit.field("Cache-Status").startsWith("sirocco; hit"));
            after.get("/1", "Accept-Language: de");
            assertEquals(1, after.origin.count()); // another variant
            after.get("/3");
            assertEquals(2, after.origin.count());
            assertEquals(1, after.cache.purgeTag("t4").toCompletableFuture().join());
        }
    }

    @Test
    void aRevalidationSurvivesARestart() throws IOException {
        try (CacheServing before = serving()) {
            fill(before, 0, 1);
            before.clock.advance(100);
            before.origin.answers(
                    TestOrigin.response(304, "", "Cache-Control", "max-age=500", "X-New", "1"));
            assertArrayEquals(body("/0"), before.get("/0").body());
        }
        try (CacheServing after = serving()) {
            after.clock.advance(300);
            Answer hit = after.get("/0");
            assertEquals("200", hit.field("Age"));
            assertEquals("1", hit.field("X-New"));
            assertEquals(0, after.origin.count());
        }
    }

    @Test
    void aTornIndexLosesOnlyItsEnd() throws IOException {
        Map<String, byte[]> files;
        try (CacheServing before = serving()) {
            fill(before, 0, 4);
            before.cache.purge("http://a/2").toCompletableFuture().join();
            fill(before, 4, 6);
            before.cache.purge("http://a/none").toCompletableFuture().join();
            files = snapshot();
        }
        byte[] index = files.get("index");
        int most = 0;
        for (int cut = index.length + 6; cut >= 0; cut -= cut % 7 == 0 ? 13 : 5) {
            int length = Math.max(0, index.length - cut);
            var torn = new HashMap<>(files);
            torn.put("index", Arrays.copyOf(index, length));
            write(torn);
            try (ResponseCache cache = cache()) {
                int entries = (int) cache.stats().entries();
                assertTrue(entries >= most, entries + " entries, and with less of it " + most);
                most = entries;
                long bodies = snapshot().keySet().stream().filter(f -> f.endsWith(".body")).count();
                assertEquals(entries, bodies); // others are deleted
            }
        }
        try (ResponseCache cache = cache(write(files))) {
            assertEquals(5, cache.stats().entries());
        }
    }

    @Test
    void aDamagedIndexNeverLeadsToAnotherBody() throws IOException {
        Map<String, byte[]> files;
        try (CacheServing before = serving()) {
            fill(before, 0, 3);
            before.cache.purge("http://a/none").toCompletableFuture().join();
            files = snapshot();
        }
        var random = new Random(1);
        for (int round = 0; round < 40; round++) {
            byte[] index = files.get("index").clone();
            index[random.nextInt(index.length)] ^= (byte) (1 << random.nextInt(8));
            var damaged = new HashMap<>(files);
            damaged.put("index", index);
            write(damaged);
            try (CacheServing after = serving()) {
                for (int i = 0; i < 3; i++) {
                    assertArrayEquals(body("/" + i), after.get("/" + i).body());
                }
            }
        }
    }

    @Test
    void bodiesThatWereBeingWrittenAreDeleted() throws IOException {
        try (CacheServing before = serving()) {
            fill(before, 0, 2);
        }
        Path cache = folder.resolve("cache");
        Files.write(cache.resolve("abc-1.body"), new byte[100]);
        Path stranger = cache.resolve("notes.txt");
        Files.write(stranger, new byte[100]);
        Path cut;
        try (Stream<Path> all = Files.list(cache)) {
            cut =
                    all.filter(f -> f.toString().endsWith(".body") && f.toFile().length() == SIZE)
                            .findFirst()
                            .orElseThrow();
        }
        Files.write(cut, new byte[SIZE - 1]);
        try (ResponseCache after = cache()) {
            assertEquals(1, after.stats().entries());
            assertFalse(Files.exists(cache.resolve("abc-1.body")));
            assertFalse(Files.exists(cut));
            assertTrue(Files.exists(stranger)); // it is not ours
        }
    }

    @Test
    void otherKeysMakeOtherEntries() throws IOException {
        try (CacheServing before = serving()) {
            fill(before, 0, 2);
        }
        try (CacheServing after = serving(all -> all.rules(rules -> rules.keyCookies("plan")))) {
            assertEquals(2, after.cache.stats().entries());
            assertArrayEquals(body("/0"), after.get("/0", "Cookie: plan=gold").body());
            assertEquals(1, after.origin.count()); // nobody knows what the stored one was for
        }
    }

    @Test
    void aFolderBelongsToOneCache() throws IOException {
        try (ResponseCache first = cache()) {
            var taken = assertThrows(IllegalArgumentException.class, this::cache);
            assertTrue(taken.getMessage().endsWith("is in use; give each cache its own."));
            assertEquals(0, first.stats().entries());
        }
        cache().close();
    }

    @Test
    void aFolderOfOthersIsRefused() throws IOException {
        Path home = folder.resolve("cache");
        Files.createDirectories(home);
        Files.write(home.resolve("thesis.body"), new byte[10]);
        assertThrows(IllegalArgumentException.class, this::cache);
        assertTrue(Files.exists(home.resolve("thesis.body")));
    }

    @Test
    void theIndexIsRewrittenBeforeItGrowsWithoutEnd() throws IOException {
        try (CacheServing serving = serving()) {
            fill(serving, 0, 1);
            serving.origin.answers(
                    request -> TestOrigin.response(304, "", "X-Large", "x".repeat(9000)));
            for (int i = 0; i < 400; i++) {
                serving.clock.advance(61);
                assertArrayEquals(body("/0"), serving.get("/0").body());
            }
            serving.cache.purge("http://a/none").toCompletableFuture().join();
            assertTrue(Files.size(folder.resolve("cache/index")) < 3 << 20);
        }
        try (CacheServing after = serving()) {
            assertEquals(1, after.cache.stats().entries());
        }
    }

    private ResponseCache cache() {
        return cache(folder.resolve("cache"));
    }

    private static ResponseCache cache(Path place) {
        return ResponseCache.create(
                options -> options.disk(place, 8 << 20).memoryBody(1000).clock(new TestClock()));
    }
}
