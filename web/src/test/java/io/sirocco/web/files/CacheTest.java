// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CacheTest {
    @TempDir Path root;
    private Serving serving;

    private void serve(Consumer<FileOptions> options) {
        serving = new Serving(TransportKind.AUTO, root, options);
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    /** As one does who is not to be seen half-way. */
    private void write(String name, String content) throws IOException {
        Path fresh = Files.writeString(root.resolve("." + name), content);
        Files.move(
                fresh,
                root.resolve(name),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    /** A file whose last change is too recent is read anew at each look. */
    private void longAgo(String name) throws IOException {
        Files.setLastModifiedTime(root.resolve(name), FileTime.fromMillis(1_700_000_000_000L));
    }

    private void pass(Duration time) {
        serving.nanos.addAndGet(time.toNanos());
    }

    @Test
    void whatIsKnownIsAnsweredUntilItIsOld() throws IOException {
        serve(options -> options.cacheCheck(Duration.ofSeconds(1)));
        write("a.txt", "old");
        assertEquals("old", serving.get("/a.txt").text());
        write("a.txt", "new");
        pass(Duration.ofSeconds(1));
        assertEquals("old", serving.get("/a.txt").text(), "a second is not too old");
        pass(Duration.ofMillis(1_001));
        assertEquals("new", serving.get("/a.txt").text(), "two are: it waits for the new one");
    }

    @Test
    void whatIsOldIsAnsweredOnceMoreWhileSomebodyLooks() throws IOException {
        serve(options -> options.cacheCheck(Duration.ofSeconds(1)));
        write("a.txt", "old");
        assertEquals("old", serving.get("/a.txt").text());
        write("a.txt", "new");
        pass(Duration.ofMillis(1_500));
        assertEquals("old", serving.get("/a.txt").text());
        while (!serving.get("/a.txt").text().equals("new")) { // the clock stands still
            Thread.onSpinWait();
        }
    }

    @Test
    void whatWasNotThereIsKnownForAWhileToo() throws IOException {
        serve(options -> {});
        assertEquals(404, serving.get("/a.txt").status());
        write("a.txt", "new");
        assertEquals(404, serving.get("/a.txt").status());
        serving.age();
        assertEquals("new", serving.get("/a.txt").text());
        Files.delete(root.resolve("a.txt"));
        assertEquals("new", serving.get("/a.txt").text());
        serving.age();
        assertEquals(404, serving.get("/a.txt").status());
    }

    @Test
    void withoutACacheEachRequestLooks() throws IOException {
        serve(options -> options.cache(0));
        write("a.txt", "old");
        assertEquals("old", serving.get("/a.txt").text());
        write("a.txt", "new");
        assertEquals("new", serving.get("/a.txt").text());
        assertEquals(0, serving.files.cached());
    }

    @Test
    void aFileThatHasNotChangedKeepsItsTag() throws IOException {
        serve(options -> {});
        write("a.txt", "same");
        String tag = serving.get("/a.txt").field("ETag");
        for (int i = 0; i < 3; i++) {
            serving.age();
            assertEquals(tag, serving.get("/a.txt").field("ETag"));
        }
    }

    @Test
    void manyPathsTakeNoMoreThanTheCache() throws IOException {
        serve(options -> options.cache(64 << 10));
        for (int i = 0; i < 20; i++) {
            write(i + ".txt", "x".repeat(10_000));
        }
        try (var client = new Client(serving.port())) {
            for (int i = 0; i < 1_000; i++) {
                assertEquals(404, client.ask("GET", "/nothing/" + i).status());
                assertEquals(200, client.ask("GET", "/" + i % 20 + ".txt").status());
            }
        }
        assertTrue(serving.files.cached() <= 64 << 10, serving.files.cached() + " bytes");
        assertTrue(serving.files.cached() > 10_000, serving.files.cached() + " bytes");
    }

    @Test
    void theContentOfAMediumFileIsKeptWhenItIsRequestedAgain() throws Exception {
        serve(options -> options.cache(1 << 20).cacheFile(100_000));
        String content = "0123456789".repeat(5_000);
        write("a.bin", content);
        longAgo("a.bin");
        assertEquals(content, serving.get("/a.bin").text());
        long open = serving.files.cached();
        assertTrue(open < 10_000, open + " bytes");
        pass(Duration.ofMillis(1_500)); // it is looked at again while this is answered
        assertEquals(content, serving.get("/a.bin").text());
        while (serving.files.cached() < open + content.length()) {
            Thread.sleep(1); // it is read by another thread; @Timeout ends a wait in vain
        }
        assertEquals(content, serving.get("/a.bin").text());
        assertEquals("456", serving.get("/a.bin", "Range: bytes=4-6").text());
        write("a.bin", "other");
        pass(Duration.ofSeconds(3));
        assertEquals("other", serving.get("/a.bin").text());
    }

    @Test
    void theContentOfAFileThatWouldFillTheCacheIsNotKept() throws Exception {
        serve(options -> options.cache(200_000).cacheFile(100_000));
        String content = "0123456789".repeat(5_000);
        write("a.bin", content);
        longAgo("a.bin");
        for (int i = 0; i < 3; i++) {
            assertEquals(content, serving.get("/a.bin").text());
            pass(Duration.ofSeconds(3)); // the next request waits for a look
        }
        assertTrue(serving.files.cached() < content.length());
    }

    @Test
    void openFilesAreBounded() throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        assumeTrue(Files.isDirectory(descriptors), "there is no /proc");
        serve(options -> options.cache(64 << 10).cacheFile(10));
        for (int i = 0; i < 1_200; i++) {
            Files.writeString(root.resolve(i + ".bin"), "more than ten bytes");
        }
        try (var client = new Client(serving.port())) {
            for (int i = 0; i < 1_400; i++) { // the first ones again
                Answer answer = client.ask("GET", "/" + i % 1_200 + ".bin");
                assertEquals("more than ten bytes", answer.text());
            }
        }
        int open = descriptors.toFile().list().length;
        assertTrue(open < 900, open + " descriptors"); // 512 files, and what the JVM needs
    }

    @Test
    void whenTooManyWaitTheNextOnesAreToldToComeAgain() throws Exception {
        serve(options -> {});
        var holds = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        try (var hands = new IoPool("test", 1, 1)) {
            CompletableFuture<Boolean> first =
                    hands.ask(
                            () -> {
                                begun.countDown();
                                holds.await();
                                return true;
                            });
            begun.await();
            CompletableFuture<Boolean> second = hands.ask(() -> true);
            CompletableFuture<Boolean> third = hands.ask(() -> true);
            var thrown = assertThrows(CompletionException.class, third::join);
            assertEquals(Busy.class, thrown.getCause().getClass());
            holds.countDown();
            assertTrue(first.join() && second.join());
        }
        serving.files.cache().lookupThreads().close(); // as when nobody has a hand free
        Answer answer = serving.get("/a.txt");
        assertEquals(503, answer.status());
        assertEquals("1", answer.field("Retry-After"));
    }

    @Test
    void whoAsksAfterTheCloseIsStillAnswered() throws IOException {
        serve(options -> {});
        write("a.txt", "old");
        assertEquals("old", serving.get("/a.txt").text());
        serving.files.close();
        assertEquals(0, serving.files.cached());
        write("a.txt", "new");
        assertEquals("new", serving.get("/a.txt").text());
        assertEquals(0, serving.files.cached(), "and nothing is kept");
    }
}
