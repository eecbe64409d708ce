// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Body;
import io.sirocco.http.Request;
import io.sirocco.live.wire.Payload;
import io.sirocco.net.Loop;
import io.sirocco.net.MemoryBudget;
import io.sirocco.net.ScheduledTask;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * The body of a polling request that brings packets. The buffer grows with the bytes that arrive,
 * whatever {@code Content-Length} promises, and counts against the {@link MemoryBudget} of the loop
 * until {@link #release}. A client that sends less than {@link #LEAST} bytes in a window of time is
 * refused. Confined to the loop of the request until it is complete, then to that of the session.
 */
final class PostBody {
    /** Bytes that a client must send in each window. */
    static final int LEAST = 10_000;

    private static final LazyLogger LOG = LazyLogger.of(PostBody.class);
    private static final byte[] NOTHING = {};

    private final Loop loop;
    private final Body body;
    private final int most;
    private final long windowMillis;
    private final CompletableFuture<PostBody> complete = new CompletableFuture<>();
    private byte[] bytes = NOTHING;
    private int size;
    private int sizeBefore; // at the start of the window
    private long reserved;
    private ScheduledTask window; // null while everything was there at once

    /** Why a body was not accepted, and the status that says so. Has no stack. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1;

        private final int status;

        Refused(int status, String message) {
            super(message);
            this.status = status;
        }

        int status() {
            return status;
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    private PostBody(Request request, int most, long windowMillis) {
        this.loop = request.loop();
        this.body = request.body();
        this.most = most;
        this.windowMillis = windowMillis;
    }

    /**
     * Reads the body of {@code request}.
     *
     * @param most bytes that it may have
     * @param windowMillis in which a client sends {@link #LEAST} bytes
     * @return completes on the loop of the request; exceptionally with {@link Refused}, or with
     *     what HTTP says, and then nothing is held
     */
    static CompletableFuture<PostBody> read(Request request, int most, long windowMillis) {
        var read = new PostBody(request, most, windowMillis);
        if (request.body().length().orElse(0) > most) {
            read.fail(new Refused(413, "The body is longer than " + most + " bytes."));
        } else {
            read.onLoop(read::continueReading);
        }
        return read.complete;
    }

    private void onLoop(Runnable task) {
        if (loop.runInLoop(task)) {
            return;
        }
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.get().log(Level.DEBUG, "the loop of a request has ended: {0}", e.getMessage());
        }
    }

    private void continueReading() {
        while (!complete.isDone()) {
            CompletableFuture<byte[]> next = body.next().toCompletableFuture();
            if (!next.isDone()) {
                if (window == null) {
                    openWindow();
                }
                next.whenComplete(
                        (piece, thrown) -> {
                            take(piece, thrown);
                            continueReading();
                        });
                return;
            }
            next.whenComplete(this::take);
        }
    }

    private void take(byte[] piece, Throwable thrown) {
        if (complete.isDone()) {
            return;
        }
        if (thrown != null) {
            fail(thrown);
        } else if (piece.length == 0) {
            closeWindow();
            complete.complete(this);
        } else if (size + (long) piece.length > most) {
            fail(new Refused(413, "The body is longer than " + most + " bytes."));
        } else if (!makeRoom(piece)) {
            fail(new Refused(503, "The server has no memory for this body."));
        } else {
            if (bytes != piece) {
                System.arraycopy(piece, 0, bytes, size, piece.length);
            }
            size += piece.length;
        }
    }

    /** Most bodies are one piece, which is taken as it is. */
    private boolean makeRoom(byte[] piece) {
        int wanted = size + piece.length;
        if (wanted <= bytes.length) {
            return true;
        }
        long length = body.length().orElse(most);
        int capacity =
                wanted == length ? wanted : (int) Math.min(length, Math.max(2L * size, wanted));
        if (!loop.memory().reserve(capacity - reserved)) {
            return false;
        }
        reserved = capacity;
        bytes = size == 0 && capacity == piece.length ? piece : Arrays.copyOf(bytes, capacity);
        return true;
    }

    private void openWindow() {
        sizeBefore = size;
        window =
                loop.schedule(
                        windowMillis,
                        () -> {
                            if (size - sizeBefore < LEAST) {
                                fail(new Refused(408, "The body arrives too slowly."));
                            } else {
                                openWindow();
                            }
                        });
    }

    private void closeWindow() {
        if (window != null) {
            window.cancel();
        }
    }

    private void fail(Throwable thrown) {
        closeWindow();
        release();
        complete.completeExceptionally(thrown);
    }

    // ---- when it is complete

    /** Returns a number that tells it from most others. */
    int hash() {
        int hash = 1;
        for (int i = 0; i < size; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash;
    }

    /** Returns its packets, to be read before {@link #release}. */
    Payload.Packets packets() {
        return new Payload.Packets(bytes, size);
    }

    /** Gives back its memory; a second time does nothing. Any thread. */
    void release() {
        bytes = NOTHING;
        onLoop(
                () -> {
                    loop.memory().release(reserved);
                    reserved = 0;
                });
    }
}
