// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.Headers;
import io.sirocco.http.body.PushSource;
import io.sirocco.net.ReceivedBytes;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * The body of a response between its connection, which adds to it, and its reader, or a sink that
 * takes it as it comes. Holds {@link #FULL} bytes and the rest of one delivery at most: then the
 * connection is not read. Loop-confined.
 */
final class BodyBuffer {
    /** Buffered bytes at which the connection is no longer read. */
    static final int FULL = 64 << 10;

    private static final byte[] NOTHING = {};

    private byte[] held = NOTHING;
    private int size;
    private boolean ended;
    private Headers trailers = Headers.none();
    private HttpClientException failure;
    private CompletableFuture<byte[]> reader; // null while nobody waits
    private PushSource.Sink sink; // null unless it takes all
    private boolean sinkFull;

    void add(byte[] bytes, int from, int to) {
        if (sink != null) {
            sinkFull = !sink.data(bytes, from, to);
            return;
        }
        int n = to - from;
        if (size == 0) { // mostly: the reader takes what there is before more comes
            held = Arrays.copyOfRange(bytes, from, to);
            size = n;
            return;
        }
        if (size + n > held.length) {
            held = Arrays.copyOf(held, Math.max(size + n, 2 * held.length));
        }
        System.arraycopy(bytes, from, held, size, n);
        size += n;
    }

    /** Returns whether a sink takes all that comes. */
    boolean passes() {
        return sink != null;
    }

    /** Passes the first {@code count} bytes of {@code input} to the sink. */
    void pass(ReceivedBytes input, int count) {
        sinkFull = !sink.data(input, count);
    }

    void end(Headers trailers) {
        ended = true;
        this.trailers = trailers;
    }

    void fail(HttpClientException why) {
        if (!ended && failure == null) {
            failure = why;
        }
    }

    /** Drops the bytes that nobody will read. */
    void discard() {
        held = NOTHING;
        size = 0;
    }

    /** Gives the buffered bytes to a waiting reader. Called when a delivery has been read. */
    void wake() {
        if (sink != null) {
            endSink();
        }
        if (reader != null && (size > 0 || ended || failure != null)) {
            CompletableFuture<byte[]> waiting = reader;
            reader = null;
            give(waiting);
        }
    }

    /** Passes the buffered bytes, and all further ones, to {@code to}. */
    void pushTo(PushSource.Sink to) {
        if (size > 0) {
            byte[] all = takeAll();
            sinkFull = !to.data(all, 0, all.length);
        }
        sink = to;
        endSink();
    }

    private void endSink() {
        if (ended || failure != null) {
            PushSource.Sink last = sink;
            sink = null;
            if (ended) {
                last.end();
            } else {
                last.fail(failure);
            }
        }
    }

    /** Called when the sink can take more. */
    void resume() {
        sinkFull = false;
    }

    private void give(CompletableFuture<byte[]> to) {
        if (size > 0) {
            to.complete(takeAll());
        } else if (ended) {
            to.complete(NOTHING);
        } else {
            to.completeExceptionally(failure);
        }
    }

    private byte[] takeAll() {
        byte[] all = size == held.length ? held : Arrays.copyOf(held, size);
        held = NOTHING;
        size = 0;
        return all;
    }

    /**
     * Completes {@code to} with the next bytes, as soon as there are some; with none at the end.
     */
    void take(CompletableFuture<byte[]> to) {
        if (reader != null) {
            to.completeExceptionally(
                    new IllegalStateException(
                            "The body is being read already: ask again when the last bytes are"
                                    + " there."));
        } else if (size > 0 || ended || failure != null) {
            give(to);
        } else {
            reader = to;
        }
    }

    /** Returns the whole body if it is complete and no part of it was read; null otherwise. */
    byte[] whole() {
        return ended && reader == null ? takeAll() : null;
    }

    boolean full() {
        return sinkFull || size >= FULL;
    }

    boolean ended() {
        return ended;
    }

    int stored() {
        return held.length;
    }

    Headers trailers() {
        return trailers;
    }
}
