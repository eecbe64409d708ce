// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.net.OpenFile;
import io.sirocco.web.compress.Coding;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Compresses files, each once until it changes, and puts the result into the cache. Has threads of
 * its own, so that no lookup waits for it. Any thread.
 */
final class Compressor {
    private static final int WAITING = 64;

    private final FileCache cache;
    private final ConcurrentHashMap<Representation, CompletableFuture<UnaryOperator<FileEntry>>>
            running = new ConcurrentHashMap<>();
    private final IoPool threads =
            new IoPool(
                    "compress",
                    Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                    WAITING);

    Compressor(FileCache cache) {
        this.cache = cache;
    }

    /**
     * Compresses a representation; returns the result of {@code use}, which gets the change to the
     * entry: the representation has its bytes, or is dropped because compression saves less than a
     * tenth, does not work on this machine, or too many files wait. The change is null if the file
     * is closed or has changed.
     */
    <T> CompletableFuture<T> compress(
            String path,
            FileEntry entry,
            Representation unmade,
            Function<UnaryOperator<FileEntry>, T> use) {
        var mine = new CompletableFuture<UnaryOperator<FileEntry>>();
        CompletableFuture<T> used = mine.thenApply(use); // before the entry is released
        CompletableFuture<UnaryOperator<FileEntry>> others = running.putIfAbsent(unmade, mine);
        if (others != null) {
            return others.thenApply(use);
        }
        if (!entry.retain()) {
            running.remove(unmade, mine);
            mine.complete(null);
            return used;
        }
        threads.ask(() -> compressed(entry, unmade))
                .whenComplete(
                        (made, thrown) -> {
                            if (made != null) {
                                cache.change(path, entry, made);
                            }
                            running.remove(unmade, mine);
                            mine.complete(
                                    thrown == null ? made : now -> now.without(unmade.coding));
                            entry.release();
                        });
        return used;
    }

    private static UnaryOperator<FileEntry> compressed(FileEntry entry, Representation unmade)
            throws IOException {
        Coding coding = unmade.coding;
        if (!coding.available()) {
            return now -> now.without(coding);
        }
        byte[] plain =
                switch (entry.plain().store) {
                    case Store.Memory(byte[] bytes, _) -> bytes;
                    case Store.Disk(OpenFile file) -> Loader.readAll(file);
                    case Store.Unmade _ ->
                            throw new IllegalStateException("the plain file is there");
                };
        if (plain == null) {
            return null;
        }
        byte[] bytes = coding.compress(plain);
        if (bytes.length > plain.length / 10 * 9) {
            return now -> now.without(coding);
        }
        Representation representation = unmade.with(bytes);
        return now -> now.with(representation);
    }
}
