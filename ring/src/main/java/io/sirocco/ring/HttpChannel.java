// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import clojure.lang.IPersistentMap;
import clojure.lang.Keyword;
import clojure.lang.PersistentArrayMap;
import clojure.lang.RT;
import clojure.lang.Sequential;
import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import io.sirocco.net.Loop;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A channel over HTTP: long polling, or a body that is sent piece by piece.
 *
 * <pre>
 *   waiting ── send, close ─────────────────────────────▶ closed    the response as a whole
 *      └────── send ──▶ streaming ── send ... ── close ──▶ closed
 *                           └── handler, on-open or the last send throws ──▶ closed, and broken off
 * </pre>
 *
 * <p>A stream leaves from its first piece on, also while the handler runs; a whole response, when
 * the handler has returned.
 *
 * <p>The event loop takes the pieces when the client can take more. It takes no lock; a lock orders
 * the senders. Any thread.
 */
final class HttpChannel extends RingChannel {
    private static final byte[] END = {};
    private static final byte[] BREAK = {}; // in place of an end: the response is incomplete
    private static final IPersistentMap HTML =
            PersistentArrayMap.EMPTY.assoc("Content-Type", "text/html; charset=utf-8");

    private final RequestValues request;
    private final CompletableFuture<Response> response = new CompletableFuture<>();
    private final ReentrantLock sending = new ReentrantLock();
    private volatile boolean streaming; // set with the lock held
    private String contentType; // of the stream, with the lock held; null without
    private final ConcurrentLinkedQueue<byte[]> pieces = new ConcurrentLinkedQueue<>();
    private final AtomicLong pending = new AtomicLong(); // bytes of the pieces
    private final AtomicReference<CompletableFuture<byte[]>> demand = new AtomicReference<>();
    private final AtomicReference<CompletableFuture<Void>> room = new AtomicReference<>();
    private final AtomicBoolean watched = new AtomicBoolean(); // for the end of the exchange
    private volatile Throwable reported; // what was thrown and is in the log, or will be

    HttpChannel(RequestValues request) {
        this.request = request;
    }

    @Override
    public boolean isWebSocket() {
        return false;
    }

    @Override
    RingAdapter adapter() {
        return request.adapter;
    }

    // ---- called by the adapter

    @Override
    Response respond() {
        watch();
        if (hasOnOpen()) {
            request.request.loop().startMovable(request.adapter.callbacks, this::open);
        }
        return response.isDone() && !response.isCompletedExceptionally()
                ? response.join()
                : Response.async(response);
    }

    private void watch() {
        if (watched.compareAndSet(false, true)) {
            request.request.onDisconnect(() -> over(CLIENT_CLOSE));
            request.request.onComplete(() -> over(SERVER_CLOSE)); // unless the client was first
        }
    }

    private void open() {
        try {
            opened();
        } catch (Throwable e) {
            fail("on-open of its channel threw", e);
            breakOff();
        }
    }

    @Override
    boolean handlerEnded(Throwable thrown) {
        boolean begun;
        sending.lock();
        try {
            begun = streaming;
            if (!begun && !watched.get() && noteClosed(SERVER_CLOSE)) {
                response.cancel(false); // nobody waits for it
                giveRoom();
            }
        } finally {
            sending.unlock();
        }
        if (!begun) {
            reportClose();
        } else if (thrown != null) {
            fail("the handler threw before the end of its stream", thrown);
            breakOff();
        }
        return !begun || thrown == null;
    }

    private void breakOff() {
        closing(() -> end(BREAK));
    }

    /** Ends the channel behind what was sent; returns false if it was closed before. */
    private boolean closing(Runnable end) {
        sending.lock(); // or a piece of send, which has returned true, may land behind the end
        try {
            if (!noteClosed(SERVER_CLOSE)) {
                return false;
            }
            end.run();
        } finally {
            sending.unlock();
        }
        reportClose();
        return true;
    }

    /** Responds with 500, which is logged, or logs an exception if the response has begun. */
    private void fail(String what, Throwable thrown) {
        if (thrown != reported) {
            reported = thrown;
            if (!response.completeExceptionally(thrown)) {
                request.adapter.failed(request, what, thrown);
            }
        }
    }

    @Override
    void closeFailed(Throwable thrown) {
        request.adapter.failed(request, "on-close of its channel threw", thrown);
    }

    // ---- called by the program

    @Override
    public boolean send(Object data, Boolean close, boolean wait) throws Exception {
        if (!awaitRoom(wait)) {
            return false;
        }
        boolean last = close == null || close;
        IPersistentMap map = data instanceof IPersistentMap given ? given : null;
        Object body = map == null ? data : map.valAt(Keys.BODY);
        try {
            // without the lock, for which close and others would wait while a stream is read
            Object piece = last && !streaming ? body : loaded(body);
            sending.lock();
            try {
                if (!isOpen()
                        || !(last && !streaming ? respond(map, body) : add(map, piece, last))) {
                    return false;
                }
            } finally {
                sending.unlock();
            }
        } catch (Throwable e) {
            sendFailed(e, last);
            throw e;
        }
        if (last) {
            reportClose();
        }
        return true;
    }

    /** Closes the channel, unless a stream has begun of which more is to come. */
    private void sendFailed(Throwable thrown, boolean last) {
        sending.lock();
        try {
            if (streaming && !last || !noteClosed(SERVER_CLOSE)) {
                return;
            }
            end(BREAK);
        } finally {
            sending.unlock();
        }
        fail("send! to its channel threw", thrown);
        reportClose();
    }

    /** Responds as a whole; returns false if the client has gone. With the lock held. */
    private boolean respond(IPersistentMap map, Object body) {
        Response whole = RingResponses.of(whole(map, body), request, true);
        return noteClosed(SERVER_CLOSE) && response.complete(whole);
    }

    /**
     * Adds a piece to the stream, which begins with it if it is the first; returns false if the
     * client has gone. With the lock held.
     */
    private boolean add(IPersistentMap map, Object data, boolean last) throws IOException {
        Response begun = streaming ? null : beginning(map);
        byte[] piece = bytes(loaded(data), contentType);
        if (last && !noteClosed(SERVER_CLOSE)) {
            return false;
        }
        if (begun != null) {
            streaming = true;
            watch();
            response.complete(begun);
            request.request.beginResponse(begun); // the handler may still run
        }
        add(piece);
        if (last) {
            finish();
        }
        return true;
    }

    /** Returns the map of the response, with a type if it has no headers. */
    private static IPersistentMap whole(IPersistentMap map, Object body) {
        IPersistentMap from = map == null ? PersistentArrayMap.EMPTY : map;
        IPersistentMap with = from.assoc(Keys.BODY, body);
        return with.valAt(Keys.HEADERS) == null ? with.assoc(Keys.HEADERS, HTML) : with;
    }

    /** Returns a response whose body follows. */
    private Response beginning(IPersistentMap map) {
        IPersistentMap all = whole(map, null);
        RingHeaderReader headers = RingHeaderReader.of(all.valAt(Keys.HEADERS));
        contentType = headers.contentType;
        Response begun =
                Response.forwarded(
                        RingResponses.status(all.valAt(Keys.STATUS)),
                        headers.headers(),
                        -1,
                        this::next);
        return headers.close ? begun.closeConnection() : begun;
    }

    /**
     * Reads a body that comes from elsewhere, which may take any time; returns others as they are.
     */
    private static Object loaded(Object body) throws IOException {
        return switch (body) {
            case InputStream in -> {
                try (in) {
                    yield in.readAllBytes();
                }
            }
            case File file -> Files.readAllBytes(file.toPath());
            case Sequential elements -> {
                var text = new StringBuilder();
                for (Iterator<?> each = RT.iter(elements); each.hasNext(); ) {
                    Object next = each.next();
                    text.append(next == null ? "" : next);
                }
                yield text.toString();
            }
            case null, default -> body;
        };
    }

    private static byte[] bytes(Object loaded, String contentType) {
        byte[] bytes = RingResponses.bytes(loaded, contentType);
        if (bytes == null) {
            throw new IllegalArgumentException(
                    "A channel sends nil, a String, byte[], ByteBuffer, InputStream, File or"
                            + " sequence, not an object of "
                            + loaded.getClass().getName());
        }
        return bytes;
    }

    @Override
    public boolean close() {
        return closing(this::finish);
    }

    @Override
    public boolean close(int code, String reason) {
        return close();
    }

    /** Ends the body; 204 if it has not begun. */
    private void finish() {
        response.complete(Response.forwarded(204, Headers.none(), END));
        end(END);
    }

    private void end(byte[] how) {
        pieces.add(how);
        handOver();
        giveRoom();
    }

    /** Called on the loop when the client has disconnected or the response is complete. */
    private void over(Keyword why) {
        if (noteClosed(why)) {
            finish();
        }
        if (owesClose()) {
            request.request.loop().startMovable(request.adapter.callbacks, this::reportClose);
        }
    }

    // ---- pieces

    private void add(byte[] piece) {
        if (piece.length > 0) {
            pending.addAndGet(piece.length);
            pieces.add(piece);
            handOver();
        }
    }

    /** Hands the next piece to the loop, if there is one and the loop waits for it. */
    private void handOver() {
        while (!pieces.isEmpty()) {
            CompletableFuture<byte[]> waiting = demand.getAndSet(null);
            if (waiting == null) {
                return;
            }
            byte[] piece = pieces.poll();
            if (piece != null) {
                if (pending.addAndGet(-piece.length) < most()) {
                    giveRoom();
                }
                if (piece == BREAK) {
                    waiting.cancel(false); // which resets the response, and is not logged
                } else {
                    waiting.complete(piece);
                }
                return;
            }
            demand.set(waiting); // another thread was quicker
        }
    }

    /** Called by the loop when the client can take more. */
    private CompletionStage<byte[]> next() {
        var waiting = new CompletableFuture<byte[]>();
        demand.set(waiting);
        handOver();
        return waiting;
    }

    // ---- room

    private long most() {
        return request.adapter.settings.maxPending();
    }

    /** Returns whether data may be added now; waits for that if {@code wait} says so. */
    private boolean awaitRoom(boolean wait) throws InterruptedException, ExecutionException {
        while (isOpen() && pending.get() >= most()) {
            if (!wait || Loop.isLoopThread()) {
                return false;
            }
            CompletableFuture<Void> next =
                    room.updateAndGet(known -> known == null ? new CompletableFuture<>() : known);
            if (isOpen() && pending.get() >= most()) {
                next.get();
            }
        }
        return isOpen();
    }

    private void giveRoom() {
        if (room.get() != null) {
            CompletableFuture<Void> waiting = room.getAndSet(null);
            if (waiting != null) {
                waiting.complete(null);
            }
        }
    }
}
