// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.sirocco.net.OpenFile;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Knows what paths lead to, and when that was checked last.
 *
 * <pre>
 *   age of the entry         up to check        up to twice      older, or no entry
 *   the response uses        the entry          the entry        the next lookup
 *   a lookup begins                             yes              yes
 * </pre>
 *
 * <p>All requests for one path wait for the same lookup. The most used entries stay (W-TinyLFU), so
 * a flood of paths that do not exist evicts nothing. Any thread.
 */
final class FileCache implements AutoCloseable {
    /**
     * An open file takes no memory of ours, yet there is a limit: so many parts of the cache. Most
     * of what the process may open is left to connections; on NIO a file takes two descriptors.
     */
    private static final int OPEN_FILES = Math.clamp(OpenFile.limit() / 16, 2, 512);

    private static final int LOOKUP_THREADS =
            Math.clamp(2L * Runtime.getRuntime().availableProcessors(), 4, 32);
    private static final int WAITING = 1024;

    /** An entry, and when it was last known to be true. */
    private static final class Known {
        final Entry entry;
        volatile long checked;

        Known(Entry entry, long checked) {
            this.entry = entry;
            this.checked = checked;
        }
    }

    private final Loader loader;
    private final Settings settings;
    private final Cache<String, Known> cache; // null when there is none
    private final ConcurrentHashMap<String, CompletableFuture<Entry>> looks =
            new ConcurrentHashMap<>();
    private final IoPool lookupThreads = new IoPool("files", LOOKUP_THREADS, WAITING);
    private volatile boolean closed;
    private volatile long looked; // what was checked before has to be checked again

    FileCache(Loader loader, Settings settings) {
        this.loader = loader;
        this.settings = settings;
        this.looked = settings.nanos().getAsLong();
        this.cache = settings.cacheBytes() == 0 ? null : cache(settings.cacheBytes());
    }

    private static Cache<String, Known> cache(long bytes) {
        long openFile = Math.max(1, bytes / OPEN_FILES);
        return Caffeine.newBuilder()
                .executor(Runnable::run) // its upkeep is short, and needs no threads of its own
                .maximumWeight(bytes)
                .weigher((String path, Known known) -> weight(path, known.entry, openFile))
                .removalListener(
                        (String path, Known known, RemovalCause why) -> {
                            if (known.entry instanceof FileEntry file) {
                                file.release();
                            }
                        })
                .build();
    }

    private static int weight(String path, Entry entry, long openFile) {
        long own = entry instanceof FileEntry file ? file.weight(openFile) : 0;
        return (int) Math.min(Integer.MAX_VALUE, 128 + 2 * path.length() + own);
    }

    /** What is at a path, when that is known well enough; else null. Never blocks. */
    Entry known(String path) {
        Known known = cache == null ? null : cache.getIfPresent(path);
        if (known == null) {
            return null;
        }
        if (known.checked - looked < 0) {
            return null;
        }
        long age = settings.nanos().getAsLong() - known.checked;
        if (age <= settings.checkNanos()) {
            return known.entry;
        }
        if (age - settings.checkNanos() > settings.checkNanos()) {
            return null;
        }
        if (!looks.containsKey(path)) {
            look(path, Function.identity());
        }
        return known.entry;
    }

    /**
     * Looks up a path; returns the result of {@code use}, or fails with {@link Busy} if too many
     * lookups wait. {@code use} must retain the file that it sends. Retaining fails if the lookup
     * was that of another request and its file has been closed meanwhile; then look up again.
     */
    <T> CompletableFuture<T> look(String path, Function<Entry, T> use) {
        var mine = new CompletableFuture<Entry>();
        CompletableFuture<T> used = mine.thenApply(use); // before there is anything to be released
        CompletableFuture<Entry> others = looks.putIfAbsent(path, mine);
        if (others != null) {
            return others.thenApply(use);
        }
        if (!lookupThreads.takes(() -> look(path, mine))) {
            looks.remove(path, mine);
            mine.completeExceptionally(new Busy());
        }
        return used;
    }

    private void look(String path, CompletableFuture<Entry> mine) {
        long now = settings.nanos().getAsLong();
        try {
            Known known = cache == null ? null : cache.asMap().get(path);
            Entry entry = loader.load(path, known == null ? null : known.entry);
            if (known != null && known.entry == entry) {
                known.checked = now;
            } else if (cache != null && !closed && holds(entry)) {
                cache.put(path, new Known(entry, now));
                if (closed) { // just now: nobody else would take it out
                    cache.invalidate(path);
                }
            }
            looks.remove(path, mine);
            mine.complete(entry);
            if (entry instanceof FileEntry file && (known == null || known.entry != entry)) {
                file.release(); // ours; the cache and those who send have theirs
            }
        } catch (Throwable e) {
            looks.remove(path, mine);
            mine.completeExceptionally(e);
        }
    }

    private static boolean holds(Entry entry) {
        return !(entry instanceof FileEntry file) || file.retain();
    }

    /** Changes an entry, or what other changes have made of it, if it is still there. */
    void change(String path, FileEntry entry, UnaryOperator<FileEntry> change) {
        Known known = cache == null ? null : cache.asMap().get(path);
        if (known == null
                || !(known.entry instanceof FileEntry now)
                || now.facts() != entry.facts()) {
            return;
        }
        FileEntry changed = change.apply(now);
        if (changed.retain()
                && !cache.asMap().replace(path, known, new Known(changed, known.checked))) {
            changed.release();
        }
    }

    /** From now on nothing is known well enough that has not been looked at since. */
    void lookAgain() {
        looked = settings.nanos().getAsLong();
    }

    /** Bytes that it holds, as {@link FileOptions#cache} counts them. */
    long bytes() {
        if (cache == null) {
            return 0;
        }
        cache.cleanUp();
        return cache.policy().eviction().orElseThrow().weightedSize().orElseThrow();
    }

    /** Returns the threads of lookups, for other work on the disk. */
    IoPool lookupThreads() {
        return lookupThreads;
    }

    /** Lets go of all that it holds, and holds no more; its threads end when nobody asks. */
    @Override
    public void close() {
        closed = true;
        if (cache != null) {
            cache.invalidateAll();
            cache.cleanUp();
        }
    }
}
