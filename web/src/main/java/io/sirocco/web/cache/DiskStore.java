// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.sirocco.net.OpenFile;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/**
 * Bodies in files of one folder, with a bound in bytes. A body is written while it arrives, is
 * synced when it is complete, and then enters the {@link DiskIndex}; whatever is not in the index
 * at the next start is deleted. Names are never used twice.
 *
 * <pre>
 *   CACHEDIR.TAG      says that the folder is a cache: it needs no backup, and belongs to us
 *   lock              held by the process that uses the folder
 *   index             the journal
 *   NAME.body         a body
 * </pre>
 *
 * All work on the disk is done by threads of this store, so that no loop waits for it. Any thread.
 */
final class DiskStore {
    private static final RepeatedFailures FAILURES =
            new RepeatedFailures(LazyLogger.of(DiskStore.class), Level.WARNING);
    private static final Pattern BODY = Pattern.compile("[0-9a-z]+-[0-9a-z]+\\.body");
    private static final String TAG = "CACHEDIR.TAG";
    private static final String SIGNATURE =
            "Signature: 8a477f597d28d172789f06886806bc55\n"
                    + "# This folder belongs to a cache of Sirocco, which deletes files in it.\n";

    /** Files take whole blocks, so that is how they are counted. */
    private static final long BLOCK = 4096;

    private static final int THREADS = 4;
    private static final int WAITING = 4096;
    private static final int OPEN_FILES = Math.clamp(OpenFile.limit() / 16, 2, 256);

    /** After a failure, such as a full disk, nothing is written for so long. */
    private static final long PAUSE_MILLIS = 10_000;

    private final Path folder;
    private final CacheSettings settings;
    private final FileChannel lock;
    private final DiskIndex index;
    private final List<StoredResponse> restored;
    private final String session =
            Long.toString(ThreadLocalRandom.current().nextLong(1L << 60), 36);
    private final AtomicLong names = new AtomicLong();
    private final ByteBudget inProgress;
    private final Cache<StoredBody.Disk, StoredResponse> bodies;
    private final Cache<StoredBody.Disk, OpenFile> open;
    private final ThreadPoolExecutor threads;
    private final ThreadPoolExecutor indexThread = threads("sirocco-cache-index-", 1);
    private final LongAdder failures = new LongAdder();
    private final LongAdder evicted = new LongAdder();
    private volatile long pausedUntil = Long.MIN_VALUE;
    private volatile boolean closed;

    private DiskStore(
            CacheSettings settings, FileChannel lock, Executor upkeep, ThreadPoolExecutor threads)
            throws IOException {
        this.settings = settings;
        this.threads = threads;
        this.folder = settings.folder();
        this.lock = lock;
        this.inProgress = new ByteBudget(CacheSettings.inProgress(settings.diskBytes()));
        this.bodies =
                Caffeine.newBuilder()
                        .executor(upkeep)
                        .maximumWeight(CacheSettings.completed(settings.diskBytes()) / BLOCK)
                        .weigher((StoredBody.Disk body, StoredResponse of) -> blocks(body.length()))
                        .evictionListener(
                                (StoredBody.Disk body, StoredResponse of, RemovalCause cause) -> {
                                    evicted.increment();
                                    removed(body);
                                })
                        .build();
        this.open =
                Caffeine.newBuilder()
                        .executor(Runnable::run)
                        .maximumSize(OPEN_FILES)
                        .removalListener(
                                (StoredBody.Disk body, OpenFile file, RemovalCause cause) ->
                                        file.release())
                        .build();
        this.restored = restore();
        this.index = DiskIndex.create(folder.resolve("index"), restored);
    }

    /**
     * Opens the folder of the settings, and deletes what a kill has left there.
     *
     * @throws UncheckedIOException if it cannot be read or written
     * @throws IllegalArgumentException if it belongs to something else, or is in use
     */
    static DiskStore open(CacheSettings settings, Executor upkeep) {
        return open(settings, upkeep, threads("sirocco-cache-", THREADS));
    }

    /** For tests: with threads for the disk that they choose. */
    static DiskStore open(CacheSettings settings, Executor upkeep, ThreadPoolExecutor threads) {
        Path folder = settings.folder();
        FileChannel lock = null;
        try {
            prepare(folder);
            lock =
                    FileChannel.open(
                            folder.resolve("lock"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            if (!locked(lock)) {
                throw new IllegalArgumentException(
                        "The cache folder " + folder + " is in use; give each cache its own.");
            }
            return new DiskStore(settings, lock, upkeep, threads);
        } catch (IOException | RuntimeException e) {
            closeQuietly(lock);
            throw e instanceof IOException io
                    ? new UncheckedIOException(
                            "The cache folder " + folder + " cannot be used.", io)
                    : (RuntimeException) e;
        }
    }

    private static void prepare(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            boolean posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
            Path parent = folder.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            if (posix) { // responses may be confidential
                var owner = PosixFilePermissions.fromString("rwx------");
                Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(owner));
            } else {
                Files.createDirectory(folder);
            }
        }
        Path tag = folder.resolve(TAG);
        if (!Files.exists(tag)) {
            try (DirectoryStream<Path> content = Files.newDirectoryStream(folder)) {
                if (content.iterator().hasNext()) {
                    throw new IllegalArgumentException(
                            "The cache folder "
                                    + folder
                                    + " has files of others; name one that is empty or new.");
                }
            }
            Files.write(tag, SIGNATURE.getBytes(US_ASCII));
        }
    }

    private static boolean locked(FileChannel lock) throws IOException {
        try {
            FileLock held = lock.tryLock();
            return held != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private List<StoredResponse> restore() throws IOException {
        Map<String, Long> sizes = new HashMap<>();
        try (DirectoryStream<Path> content = Files.newDirectoryStream(folder)) {
            for (Path file : content) {
                String name = file.getFileName().toString();
                if (BODY.matcher(name).matches()) {
                    sizes.put(name.substring(0, name.indexOf('.')), Files.size(file));
                }
            }
        }
        long now = settings.clock().wallMillis();
        List<StoredResponse> intact =
                DiskIndex.read(folder.resolve("index"), settings).stream()
                        .filter(
                                entry ->
                                        entry.worthKeeping(now)
                                                && sizes.getOrDefault(disk(entry).name, -1L)
                                                        == entry.body.length())
                        .toList();
        intact.forEach(entry -> sizes.remove(disk(entry).name));
        for (String name : sizes.keySet()) {
            Files.deleteIfExists(path(name));
        }
        return intact;
    }

    private static StoredBody.Disk disk(StoredResponse entry) {
        return (StoredBody.Disk) entry.body;
    }

    /** Returns the entries that the last process has left. */
    List<StoredResponse> restored() {
        return restored;
    }

    /** Counts the body of a restored entry. The bound may evict it at once. */
    void restore(StoredResponse entry) {
        bodies.put(disk(entry), entry);
    }

    // ---- writing

    /** Returns a new file, which is opened by its first write; null while the disk fails. */
    DiskFile create() {
        if (closed || settings.clock().wallMillis() < pausedUntil) {
            return null;
        }
        String name = session + "-" + Long.toString(names.incrementAndGet(), 36);
        return new DiskFile(this, name, path(name));
    }

    /** Reserves room for a body that arrives. */
    boolean reserve(long bytes) {
        return inProgress.reserve(bytes);
    }

    void release(long bytes) {
        inProgress.release(bytes);
    }

    /** Takes note of a failure: the next bodies are not stored. */
    void failed(Throwable thrown) {
        failures.increment();
        pausedUntil = settings.clock().wallMillis() + PAUSE_MILLIS;
        FAILURES.log("disk", "a response was not stored, since the disk failed", thrown);
    }

    /** Counts a body that is complete, or has new headers, and puts it into the index. */
    void keep(StoredBody.Disk body, StoredResponse entry) {
        if (closed || body.deleted()) {
            return;
        }
        bodies.put(body, entry);
        if (indexThread.getQueue().size() < WAITING) {
            onIndex(() -> index.stored(entry));
        }
    }

    /** Deletes a body. Requests that are sending it send it to its end. */
    void delete(StoredBody.Disk body) {
        if (!closed && bodies.asMap().remove(body) != null) {
            removed(body);
        }
    }

    /** Deletes a complete body that is not stored. */
    void discard(StoredBody.Disk body) {
        body.markDeleted();
        cleanUp(() -> Files.deleteIfExists(path(body.name)));
    }

    long evicted() {
        return evicted.sum();
    }

    private void removed(StoredBody.Disk body) {
        body.markDeleted();
        open.invalidate(body);
        onIndex(
                () -> {
                    index.deleted(body.name);
                    Files.deleteIfExists(path(body.name));
                });
    }

    /**
     * Completes when everything that was deleted before is gone, whatever happens to the machine.
     */
    CompletableFuture<Void> sync() {
        var done = new CompletableFuture<Void>();
        boolean taken =
                onIndex(
                        () -> {
                            try {
                                index.force();
                                done.complete(null);
                            } catch (IOException e) {
                                done.completeExceptionally(e);
                            }
                        });
        if (!taken) {
            done.complete(null);
        }
        return done;
    }

    /** Work on the index. */
    private interface IndexTask {
        void run() throws IOException;
    }

    private boolean onIndex(IndexTask task) {
        try {
            indexThread.execute(
                    () -> {
                        try {
                            task.run();
                            if (index.wantsRewrite()) {
                                index.rewrite(List.copyOf(bodies.asMap().values()));
                            }
                        } catch (IOException | RuntimeException e) {
                            failed(e);
                        }
                    });
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    // ---- reading

    /** Returns the open file of a body, retained; null if it has to be opened first. */
    OpenFile opened(StoredBody.Disk body) {
        bodies.getIfPresent(body); // it was used
        OpenFile file = open.getIfPresent(body);
        return file != null && file.retain() ? file : null;
    }

    /** Opens the file of a body and retains it; fails if it was deleted. */
    CompletableFuture<OpenFile> open(StoredBody.Disk body) {
        return run(
                () -> {
                    OpenFile file = opened(body);
                    if (file != null) {
                        return file;
                    }
                    OpenFile fresh = OpenFile.open(path(body.name));
                    if (fresh.size() != body.length()) {
                        fresh.release();
                        throw new IOException(body.name + " has another length than was stored");
                    }
                    fresh.retain(); // for the caller
                    open.put(body, fresh);
                    if (body.deleted() || closed) {
                        open.invalidate(body);
                    }
                    return fresh;
                });
    }

    /** Runs {@code work} on a thread for the disk; fails if too much waits already. */
    <T> CompletableFuture<T> run(Callable<T> work) {
        var result = new CompletableFuture<T>();
        if (threads.getQueue().size() >= WAITING) {
            result.completeExceptionally(new IOException("too much waits for the disk"));
            return result;
        }
        try {
            threads.execute(
                    () -> {
                        try {
                            result.complete(work.call());
                        } catch (Throwable e) {
                            result.completeExceptionally(e);
                        }
                    });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(new IOException("the cache is closed", e));
        }
        return result;
    }

    /** Runs work that must be done in any case. Its failures do no harm. */
    void cleanUp(Callable<?> work) {
        Runnable task =
                () -> {
                    try {
                        work.call();
                    } catch (Exception e) {
                        FAILURES.log("clean", "a file of the cache was not removed", e);
                    }
                };
        try {
            threads.execute(task);
        } catch (RejectedExecutionException e) {
            task.run(); // the cache is closed
        }
    }

    long bytes() {
        bodies.cleanUp();
        long blocks = bodies.policy().eviction().orElseThrow().weightedSize().orElseThrow();
        return blocks * BLOCK + inProgress.used();
    }

    long failures() {
        return failures.sum();
    }

    private Path path(String name) {
        return folder.resolve(name + ".body");
    }

    private static int blocks(long bytes) {
        return (int) Math.min(Integer.MAX_VALUE, 1 + bytes / BLOCK);
    }

    /** Returns daemon threads that end when there is nothing to do. */
    static ThreadPoolExecutor threads(String name, int count) {
        var threads =
                new ThreadPoolExecutor(
                        count,
                        count,
                        10,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().daemon().name(name, 0).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Completes the index and gives the folder free. Bodies that still arrive are not stored. */
    void close() {
        closed = true;
        indexThread.shutdown();
        threads.shutdown();
        try {
            if (indexThread.awaitTermination(10, TimeUnit.SECONDS)) {
                index.close();
            }
            threads.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            FAILURES.log("index", "the index of the cache was not closed properly", e);
        } finally {
            open.invalidateAll();
            open.cleanUp();
            closeQuietly(lock);
        }
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // nothing was written to it
        }
    }
}
