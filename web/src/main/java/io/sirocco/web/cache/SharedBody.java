// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.BodySource;
import io.sirocco.http.Headers;
import io.sirocco.net.Loop;
import io.sirocco.net.ScheduledTask;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * A body that arrives from the origin and goes to several readers and into a store at once.
 *
 * <pre>
 *   in memory ── longer than memoryBody ──▶ on disk        storing: pulled at the origin's speed,
 *       │                                     │            the readers' speed does not matter
 *       └── too large, no room, disk fails ───┴──▶ relay   not storing: pulled at the readers' speed,
 *                                                          the slowest one holds up the others
 *                                                          for STALL_MILLIS at most
 *
 *   0 ............ written ............ received
 *     in the file          in segments             a reader behind the segments reads the file
 * </pre>
 *
 * Confined to the loop of the fetch; the readers' methods may be called on any loop.
 */
final class SharedBody {
    /** Bytes that may wait for the disk, or for the slowest reader of a body that is not stored. */
    private static final int WINDOW = 512 << 10;

    private static final int READ = 64 << 10;

    /** How long a reader may hold up others. */
    static final long STALL_MILLIS = 10_000;

    /** Learns, once, what becomes of the body. */
    interface Listener {
        /** It is complete. The bytes of a file are on the disk. */
        void complete(StoredBody body);

        /** It is not stored, though its readers may go on. */
        void refused(StoreRefusal why);
    }

    private final Loop loop;
    private final OriginResponse response;
    private final long length; // -1 when unknown
    private final CacheSettings settings;
    private final DiskStore disk; // null without a disk
    private final ByteBudget memory;
    private final Listener listener;
    private final List<Reader> readers = new ArrayList<>();

    private final List<byte[]> segments = new ArrayList<>();
    private final List<Long> starts = new ArrayList<>();
    private long base; // of the first segment
    private long received;
    private long charged;
    private boolean pulling;
    private boolean asking;
    private boolean ended;
    private Throwable failure;
    private volatile Headers trailers = Headers.none();

    private boolean storing = true;
    private DiskFile file;
    private long written;
    private long reserved;
    private boolean writing;
    private boolean fileClosed;
    private ScheduledTask stall;
    private long stalledSince;
    private long stallLeft = STALL_MILLIS;

    SharedBody(
            Loop loop,
            OriginResponse response,
            CacheSettings settings,
            DiskStore disk,
            ByteBudget memory,
            Listener listener) {
        this.loop = loop;
        this.response = response;
        this.length = response.length().orElse(-1);
        this.settings = settings;
        this.disk = disk;
        this.memory = memory;
        this.listener = listener;
    }

    /** Begins to read. Readers may join before and afterwards. */
    void start() {
        pull();
    }

    /** The trailers, when the body is complete. Any thread. */
    Headers trailers() {
        return trailers;
    }

    /** Returns a reader of the bytes from {@code from} on; {@code to} is -1 for the end. */
    BodySource reader(long from, long to) {
        var reader = new Reader(from, to);
        readers.add(reader);
        return reader;
    }

    // ---- from the origin

    private boolean wantsMore() {
        if (asking || ended || failure != null) {
            return false;
        }
        if (storing) {
            return file == null || received - written < WINDOW;
        }
        return hungry() && received - lowest() < WINDOW;
    }

    private boolean hungry() {
        for (Reader reader : readers) {
            if (reader.pending != null && reader.position >= received) {
                return true;
            }
        }
        return false;
    }

    /** The lowest position of a reader, or what is in the file. */
    private long lowest() {
        long lowest = received;
        for (Reader reader : readers) {
            lowest = Math.min(lowest, Math.max(reader.position, written));
        }
        return lowest;
    }

    private void pull() {
        if (pulling) {
            return; // further up the stack
        }
        pulling = true;
        try {
            while (wantsMore()) {
                asking = true;
                CompletableFuture<byte[]> next = next();
                if (!next.isDone()) {
                    next.whenComplete((segment, thrown) -> onLoop(() -> later(next)));
                    return;
                }
                asking = false;
                arrived(next);
            }
        } finally {
            pulling = false;
        }
        watchStall();
    }

    private CompletableFuture<byte[]> next() {
        try {
            return response.body().next().toCompletableFuture();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void later(CompletableFuture<byte[]> next) {
        asking = false;
        arrived(next);
        pull();
    }

    private void arrived(CompletableFuture<byte[]> next) {
        if (failure != null || ended) {
            return;
        }
        byte[] segment;
        try {
            segment = next.join();
        } catch (Throwable e) {
            fail(e instanceof CompletionException && e.getCause() != null ? e.getCause() : e);
            return;
        }
        if (segment.length == 0) {
            end();
        } else if (length >= 0 && received + segment.length > length) {
            fail(new IOException("the origin sent more than " + length + " bytes"));
        } else {
            accept(segment);
        }
    }

    private void accept(byte[] segment) {
        if (storing) {
            if (memory.reserve(segment.length)) {
                charged += segment.length;
            } else {
                stopStoring(StoreRefusal.ROOM_SHORT);
            }
        }
        segments.add(segment);
        starts.add(received);
        received += segment.length;
        if (storing) {
            if (received > settings.largestBody()) {
                stopStoring(StoreRefusal.BODY_TOO_LARGE);
            } else if (file != null || received > settings.largestInMemory()) {
                write();
            }
        }
        serve();
        trim();
    }

    private void end() {
        if (length >= 0 && received < length) {
            fail(new IOException("the origin sent " + received + " bytes instead of " + length));
            return;
        }
        try {
            trailers = StoredResponse.endToEnd(response.trailers().get());
        } catch (Throwable e) {
            fail(e);
            return;
        }
        ended = true;
        response.body().close();
        if (storing) {
            if (file == null) {
                keepInMemory();
            } else {
                write();
            }
        }
        serve();
        trim();
    }

    private void keepInMemory() {
        byte[] all = new byte[(int) received];
        for (int i = 0; i < segments.size(); i++) {
            byte[] segment = segments.get(i);
            System.arraycopy(segment, 0, all, starts.get(i).intValue(), segment.length);
        }
        segments.clear();
        starts.clear();
        if (all.length > 0) {
            segments.add(all); // for readers that lag behind
            starts.add(0L);
        }
        storing = false;
        listener.complete(new StoredBody.Memory(all));
        uncharge(charged);
    }

    private void fail(Throwable thrown) {
        failure = thrown;
        response.body().close();
        stopStoring(StoreRefusal.BODY_INCOMPLETE);
        serve();
        drop(segments.size());
    }

    // ---- into the store

    private void stopStoring(StoreRefusal why) {
        if (!storing) {
            return;
        }
        storing = false;
        if (file != null && !writing) {
            file.delete();
        }
        listener.refused(why);
        trim();
        closeIfUnused();
    }

    /** Writes what is not in the file yet, and finishes the file behind the end of the body. */
    private void write() {
        if (writing || !storing) {
            return;
        }
        if (file == null) {
            file = disk.create();
            if (file == null) {
                stopStoring(StoreRefusal.DISK_FAILED);
                return;
            }
        }
        long bytes = received - written;
        if (bytes == 0) {
            if (ended) {
                writing = true;
                file.finish().whenComplete((body, thrown) -> onLoop(() -> finished(body, thrown)));
            }
            return;
        }
        if (!disk.reserve(bytes)) {
            stopStoring(StoreRefusal.ROOM_SHORT);
            return;
        }
        reserved += bytes;
        writing = true;
        List<byte[]> unwritten = List.copyOf(segments.subList(indexOf(written), segments.size()));
        file.append(unwritten).whenComplete((done, thrown) -> onLoop(() -> written(bytes, thrown)));
    }

    private void written(long bytes, Throwable thrown) {
        writing = false;
        boolean givenUp = !storing; // while it was written
        if (thrown == null) {
            written += bytes;
            trim();
            write(); // may complete the file at once, which is not to be deleted then
        } else {
            disk.failed(thrown);
            stopStoring(StoreRefusal.DISK_FAILED);
        }
        if (givenUp) {
            file.delete();
            closeIfUnused();
        }
        pull();
    }

    private void finished(StoredBody.Disk body, Throwable thrown) {
        writing = false;
        if (thrown == null && storing) {
            storing = false;
            listener.complete(body);
        } else if (thrown == null) {
            disk.discard(body);
        } else {
            disk.failed(thrown);
            stopStoring(StoreRefusal.DISK_FAILED);
        }
        closeIfUnused();
    }

    /** No reader, and nothing to store: the origin need not send any more. */
    private void closeIfUnused() {
        if (storing || writing || !readers.isEmpty()) {
            return;
        }
        if (!ended && failure == null) {
            failure = new IOException("no client reads the body any longer");
            response.body().close();
        }
        drop(segments.size());
        if (file != null && !fileClosed) {
            fileClosed = true;
            file.close();
            disk.release(reserved);
        }
    }

    // ---- segments

    private int indexOf(long position) {
        int low = 0;
        int high = starts.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (starts.get(middle) + segments.get(middle).length <= position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Drops segments that nobody needs. */
    private void trim() {
        if (storing && file == null) {
            return;
        }
        drop(indexOf(storing ? written : lowest()));
    }

    private void drop(int count) {
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            bytes += segments.get(i).length;
        }
        segments.subList(0, count).clear();
        starts.subList(0, count).clear();
        base += bytes;
        uncharge(Math.min(bytes, charged));
    }

    private void uncharge(long bytes) {
        memory.release(bytes);
        charged -= bytes;
    }

    // ---- to the readers

    private void serve() {
        for (Reader reader : List.copyOf(readers)) {
            reader.serve();
        }
    }

    /** Cuts off readers that hold up others for too long, all times together. */
    private void watchStall() {
        boolean stalled = !storing && !asking && !ended && failure == null && hungry();
        if (!stalled && stall != null) {
            stall.cancel();
            stall = null;
            stallLeft -= loop.now() - stalledSince;
        } else if (stalled && stall == null) {
            stalledSince = loop.now();
            stall =
                    loop.schedule(
                            Math.max(0, stallLeft),
                            () -> {
                                stall = null;
                                cutSlowReaders();
                            });
        }
    }

    private void cutSlowReaders() {
        if (storing || !hungry()) {
            return;
        }
        for (Reader reader : List.copyOf(readers)) {
            if (received - Math.max(reader.position, written) >= WINDOW) {
                reader.cut(new IOException("the client holds up others: it reads too slowly"));
            }
        }
        trim();
        pull();
    }

    /** Runs a task on the loop of the fetch. When that has ended, so has the fetch. */
    private boolean onLoop(Runnable task) {
        return CacheEngine.onLoop(loop, task);
    }

    /** One client's view of the body. */
    private final class Reader implements BodySource {
        private final long end; // -1 for that of the body
        private long position;
        private CompletableFuture<byte[]> pending;
        private boolean reading;
        private Throwable cut;

        Reader(long from, long end) {
            this.position = from;
            this.end = end;
        }

        @Override
        public CompletionStage<byte[]> next() {
            var next = new CompletableFuture<byte[]>();
            if (!onLoop(() -> take(next))) {
                next.completeExceptionally(new IOException("the fetch has ended"));
            }
            return next;
        }

        @Override
        public void close() {
            onLoop(
                    () -> {
                        if (readers.remove(this)) {
                            trim();
                            closeIfUnused();
                            pull();
                        }
                    });
        }

        private void take(CompletableFuture<byte[]> next) {
            if (cut != null) {
                next.completeExceptionally(cut);
                return;
            }
            pending = next;
            serve();
            pull();
        }

        void cut(Throwable why) {
            cut = why;
            readers.remove(this);
            if (pending != null) {
                fail(why);
            }
        }

        void serve() {
            if (pending == null || reading) {
                return;
            }
            if (end >= 0 && position >= end || ended && position >= received) {
                give(new byte[0]);
            } else if (position < base && file != null) {
                readFile();
            } else if (position < received && failure == null) {
                int index = indexOf(position);
                byte[] segment = segments.get(index);
                int from = (int) (position - starts.get(index));
                long most =
                        end < 0
                                ? segment.length - from
                                : Math.min(segment.length - from, end - position);
                give(
                        from == 0 && most == segment.length
                                ? segment
                                : Arrays.copyOfRange(segment, from, from + (int) most));
            } else if (failure != null) {
                fail(failure);
            }
        }

        private void readFile() {
            reading = true;
            long most = Math.min(READ, base - position);
            file.read(position, (int) (end < 0 ? most : Math.min(most, end - position)))
                    .whenComplete(
                            (bytes, thrown) ->
                                    onLoop(
                                            () -> {
                                                reading = false;
                                                if (pending == null) {
                                                    return;
                                                }
                                                if (thrown == null) {
                                                    give(bytes);
                                                } else {
                                                    fail(thrown);
                                                }
                                            }));
        }

        /** What follows runs in the reader's loop, or further down this stack. */
        private void give(byte[] bytes) {
            CompletableFuture<byte[]> next = pending;
            pending = null;
            position += bytes.length;
            if (!storing) {
                trim();
            }
            next.complete(bytes);
        }

        private void fail(Throwable thrown) {
            CompletableFuture<byte[]> next = pending;
            pending = null;
            next.completeExceptionally(thrown);
        }
    }
}
