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

    /** Smaller pieces that wait share an array: one of their own would cost more than they are. */
    private static final int SMALL = 1 << 10;

    private static final int GATHERED = 4 << 10;

    private static final byte[] NOTHING = {};

    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>(2);
    private byte[] gathered = NOTHING; // small pieces, behind all that is waiting
    private int gatheredSize;
    private int size; // with the gathered ones
    private long total;
    private boolean ended;
    private IOException failure;
    private CompletableFuture<byte[]> reader;
    private long lent; // bytes of the piece that the handler was given last
    private long kept; // bytes that it collects
    private boolean keeps;

    /** Bytes have come: {@code bytes[from..to)}. */
    void add(byte[] bytes, int from, int to) {
        if (from == to) {
            return;
        }
        total += to - from;
        if (reader != null) {
            byte[] copy = Arrays.copyOfRange(bytes, from, to);
            lend(copy);
            answer().complete(copy);
            return;
        }
        size += to - from;
        if (to - from < SMALL) {
            gather(bytes, from, to);
        } else {
            if (gatheredSize > 0) {
                waiting.add(takeGathered());
            }
            waiting.add(Arrays.copyOfRange(bytes, from, to));
        }
    }

    private void gather(byte[] bytes, int from, int to) {
        int length = to - from;
        if (gatheredSize + length > GATHERED) {
            waiting.add(takeGathered());
        }
        if (gatheredSize + length > gathered.length) {
            int room = Math.max(gatheredSize + length, 2 * gathered.length);
            gathered = Arrays.copyOf(gathered, Math.min(room, GATHERED));
        }
        System.arraycopy(bytes, from, gathered, gatheredSize, length);
        gatheredSize += length;
    }

    private byte[] takeGathered() {
        byte[] all = Arrays.copyOf(gathered, gatheredSize);
        gathered = NOTHING;
        gatheredSize = 0;
        return all;
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

    /** Bytes of memory that it takes, with those that the handler was given. */
    long stored() {
        return size + gathered.length - gatheredSize + lent + kept;
    }

    private void lend(byte[] bytes) {
        if (keeps) {
            kept += 2L * bytes.length; // a collection has room to grow
        } else {
            lent = bytes.length;
        }
    }

    /**
     * The next bytes; none of them at the end. Completed at once when there are some.
     *
     * @param keeps whether the handler collects them; else it is done with those before
     */
    CompletableFuture<byte[]> take(boolean keeps) {
        this.keeps = keeps;
        lent = 0;
        byte[] next = waiting.poll();
        if (next == null && gatheredSize > 0) {
            next = takeGathered();
        }
        if (next != null) {
            size -= next.length;
            lend(next);
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
        gathered = NOTHING;
        gatheredSize = 0;
        size = 0;
        fail(new IOException("the request is over"));
    }
}
