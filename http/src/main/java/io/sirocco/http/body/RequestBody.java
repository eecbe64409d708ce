// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.body;

import io.sirocco.http.Headers;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * The body of one request, a bounded buffer between the stream, which adds to it, and the handler,
 * which takes from it. Holds at most {@link #FULL} bytes and the rest of one delivery; the stream
 * stops reading meanwhile. Loop-confined.
 */
public final class RequestBody {
    /** Bytes that may wait for the handler. */
    public static final int FULL = 64 << 10;

    /**
     * Smaller segments share an array while they wait, because the overhead of an array for each
     * exceeds its content.
     */
    private static final int SMALL = 1 << 10;

    private static final int GATHERED = 4 << 10;

    private static final byte[] NOTHING = {};

    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>(2);
    private byte[] gathered = NOTHING; // small pieces, behind all that is waiting
    private int gatheredSize;
    private int size; // with the gathered ones

    private final long length; // stated by the client, or -1
    private final BodyClock clock = new BodyClock();
    private long received;
    private boolean expected = true; // more bytes are, from the client
    private boolean ended;
    private boolean discards;
    private Headers trailers = Headers.none();
    private IOException failure;
    private CompletableFuture<byte[]> reader;
    private long lent; // bytes of the piece that the handler was given last
    private long kept; // bytes that it collects
    private boolean keeps;

    public RequestBody(long length) {
        this.length = length;
    }

    /** Adds {@code bytes[from..to)}, which have been received. */
    public void add(byte[] bytes, int from, int to) {
        received += to - from;
        if (from == to || discards) {
            return;
        }
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

    /** Called after the last byte was added. */
    public void end(long now, Headers trailers) {
        this.trailers = trailers;
        clock.stop(now);
        expected = false;
        ended = true;
        if (reader != null) {
            answer().complete(NOTHING);
        }
    }

    /** Called when the rest of the body will not arrive: drops what the handler has not taken. */
    public void fail(IOException reason) {
        expected = false;
        drop(reason);
    }

    /** Drops what waits and what is still to come; a handler that reads on fails. */
    private void drop(IOException reason) {
        boolean whole = ended && size == 0; // the handler has all of it
        discards = true;
        waiting.clear();
        gathered = NOTHING;
        gatheredSize = 0;
        size = 0;
        if (whole || failure != null) {
            return;
        }
        failure = reason;
        if (reader != null) {
            answer().completeExceptionally(reason);
        }
    }

    /** Returns the memory in use, including bytes that the handler was given. */
    public long stored() {
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
     * Returns the next bytes, or none at the end. The future is already complete if there are any.
     *
     * @param keeps whether the handler collects them; otherwise it has finished with the previous
     *     ones
     */
    public CompletableFuture<byte[]> take(boolean keeps) {
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
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        if (ended) {
            return CompletableFuture.completedFuture(NOTHING);
        }
        reader = new CompletableFuture<>();
        return reader;
    }

    private CompletableFuture<byte[]> answer() {
        CompletableFuture<byte[]> answer = reader;
        reader = null;
        return answer;
    }

    /** Returns whether the stream should stop reading for now. */
    public boolean full() {
        return size >= FULL;
    }

    /** Returns whether the handler waits for bytes. */
    public boolean wanted() {
        return reader != null;
    }

    /** Returns the trailers, once the whole body was received. */
    public Headers trailers() {
        return trailers;
    }

    /** Returns the number of bytes received so far. */
    public long received() {
        return received;
    }

    /**
     * Returns the number of bytes that the handler has taken or that were dropped, for flow
     * control: the client may send as many more.
     */
    public long consumed() {
        return received - size;
    }

    /** Returns the length that the client sent, or -1. */
    public long length() {
        return length;
    }

    /** Returns whether the client has more to send, and the server reads it. */
    public boolean expected() {
        return expected;
    }

    /** The response is complete: the rest of the body is received and dropped. */
    public void discard() {
        drop(new IOException("the request is complete"));
    }

    /** Returns the time that the client takes. */
    public BodyClock clock() {
        return clock;
    }
}
