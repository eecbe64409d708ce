// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * A request body between the connection, which adds to it, and the handler, which takes from it.
 * Holds {@link #FULL} bytes and the rest of one delivery at most: the connection stops reading
 * meanwhile. Loop-confined.
 */
final class Incoming {
    /** Bytes that may wait for the handler. */
    static final int FULL = 64 << 10;

    private static final byte[] NOTHING = {};

    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>(2);
    private int size;
    private long total;
    private boolean ended;
    private IOException failure;
    private CompletableFuture<byte[]> reader;

    /** Bytes have come: {@code bytes[from..to)}. */
    void add(byte[] bytes, int from, int to) {
        if (from == to) {
            return;
        }
        total += to - from;
        byte[] copy = Arrays.copyOfRange(bytes, from, to);
        if (reader != null) {
            answer().complete(copy);
        } else {
            waiting.add(copy);
            size += copy.length;
        }
    }

    /** The last byte has come. */
    void end() {
        ended = true;
        if (reader != null) {
            answer().complete(NOTHING);
        }
    }

    /** There will be no more, and what came is not all. */
    void fail(IOException reason) {
        if (ended || failure != null) {
            return;
        }
        failure = reason;
        if (reader != null) {
            answer().completeExceptionally(reason);
        }
    }

    /** The next bytes; none of them at the end. Completed at once when there are some. */
    CompletableFuture<byte[]> take() {
        byte[] next = waiting.poll();
        if (next != null) {
            size -= next.length;
            return CompletableFuture.completedFuture(next);
        }
        if (ended) {
            return CompletableFuture.completedFuture(NOTHING);
        }
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        reader = new CompletableFuture<>();
        return reader;
    }

    private CompletableFuture<byte[]> answer() {
        CompletableFuture<byte[]> answer = reader;
        reader = null;
        return answer;
    }

    boolean full() {
        return size >= FULL;
    }

    boolean ended() {
        return ended;
    }

    boolean failed() {
        return failure != null;
    }

    /** Whether the handler waits for bytes. */
    boolean wanted() {
        return reader != null;
    }

    /** Bytes received so far. */
    long total() {
        return total;
    }

    /** The request is over: nobody shall wait for the rest. */
    void discard() {
        waiting.clear();
        size = 0;
        fail(new IOException("the request is over"));
    }
}
