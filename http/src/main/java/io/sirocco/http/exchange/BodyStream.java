// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.BodyWriter;
import io.sirocco.http.loop.LoopTasks;
import io.sirocco.net.Loop;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * The output stream of a {@link BodyWriter}. Gathers small writes, and sends them when {@link
 * #SIZE} bytes are buffered, on flush and on close. A body that ends within the first {@link #SIZE}
 * bytes without a flush is sent with its length. Used by one thread at a time: {@link
 * io.sirocco.http.body.SharedOutput} sees to it.
 */
final class BodyStream extends OutputStream {
    private static final int SIZE = 8 << 10;
    private static final long SLICE_NANOS = 10_000_000;

    private static final CompletableFuture<Void> NONE_AHEAD =
            CompletableFuture.completedFuture(null);

    /** Bytes, in more than one segment, that a writer off the loop hands over before it waits. */
    private static final int MAX_AHEAD = 16 << 10;

    private final Exchange exchange;
    private final ResponseMessage head;
    private final long length;
    private byte[] gathered = new byte[512];
    private int count;
    private long written;
    private boolean sent; // or handed over: the headers, at least
    private boolean begun; // the response has; loop-confined
    private boolean broken; // a segment was not sent, and none may follow; loop-confined
    private boolean closed;
    private boolean cut; // bytes of a write that has thrown are missing, so nothing may follow
    private long paused; // when it let others run; 0 before the first time
    private CompletableFuture<Void> ahead = NONE_AHEAD; // the outcome of what was handed over last
    private int aheadBytes; // that were handed over since the writer has waited

    BodyStream(Exchange exchange, ResponseMessage head, long length) {
        this.exchange = exchange;
        this.head = head;
        this.length = length;
    }

    /** Returns whether it has begun the response. On the loop. */
    boolean begun() {
        return begun;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int size) throws IOException {
        java.util.Objects.checkFromIndexSize(from, size, bytes.length);
        if (closed) {
            throw new IOException("the body is complete");
        }
        refuseBehindCut();
        account(size);
        if (size >= SIZE) {
            send(false);
            send(bytes, from, from + size);
            return;
        }
        if (count + size > SIZE) {
            send(false);
        }
        if (count + size > gathered.length) {
            gathered =
                    Arrays.copyOf(
                            gathered, Math.min(SIZE, Math.max(count + size, gathered.length * 4)));
        }
        System.arraycopy(bytes, from, gathered, count, size);
        count += size;
    }

    private void account(int size) throws IOException {
        written += size;
        if (length >= 0 && written > length) {
            throw new IOException(
                    "a body of " + length + " bytes was announced, but more were written");
        }
    }

    /** Sends large writes in slices, so that the client's speed bounds the memory in use. */
    private void send(byte[] bytes, int from, int to) throws IOException {
        final int slice = 64 << 10;
        int next = from;
        try {
            while (next < to) {
                int at = next;
                next = Math.min(to, at + slice);
                send(length, bytes, at, next, false);
            }
        } finally {
            cut |= next < to;
        }
    }

    /** Throws if a write was interrupted in its middle: what follows would hide what is missing. */
    private void refuseBehindCut() throws IOException {
        if (cut) {
            throw new IOException("an earlier part of the body was not sent");
        }
    }

    private void send(boolean evenIfEmpty) throws IOException {
        if (count > 0 || evenIfEmpty && !sent) {
            int size = count;
            count = 0; // also if the wait for the client is interrupted: it is sent by then
            send(length, gathered, 0, size, false);
        }
    }

    @Override
    public void flush() throws IOException {
        if (!closed) {
            refuseBehindCut();
            send(true);
        }
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        refuseBehindCut();
        if (length >= 0 && written != length) {
            throw new IOException(
                    "a body of "
                            + length
                            + " bytes was announced, but "
                            + written
                            + " were written");
        }
        boolean whole = !sent && length < 0;
        try {
            send(whole ? count : length, gathered, 0, count, true);
        } finally {
            closed = !cut; // if the end was not sent, the next close fails as well
        }
    }

    /** Returns whether the response has begun, or will. By its user. */
    boolean begins() {
        return sent || exchange.early;
    }

    /**
     * Sends a segment, with the headers before the first one. Blocks while the output is congested.
     */
    private void send(long stated, byte[] bytes, int from, int to, boolean last)
            throws IOException {
        sent = true;
        cut = true; // unless they are on their way
        LoopContext context = exchange.context;
        if (!context.loop.enter()) {
            handOver(stated, Arrays.copyOfRange(bytes, from, to), last);
            return;
        }
        if (ahead != NONE_AHEAD) { // of a thread elsewhere that shares the stream: it comes first
            context.loop.exit();
            awaitAhead();
            send(stated, bytes, from, to, last);
            return;
        }
        CompletableFuture<Void> room;
        try {
            room = sendNow(stated, bytes, from, to, last);
            cut = false;
        } finally {
            context.loop.exit();
        }
        context.loop.yieldIfLong();
        LoopTasks.join(room);
    }

    /**
     * Has the loop send a segment, and waits for it only if it is the last one, or when a few
     * others wait to be sent: the writer may have a lock for which code on the loop waits.
     */
    private void handOver(long stated, byte[] copy, boolean last) throws IOException {
        if (ahead.isDone() || aheadBytes + copy.length > MAX_AHEAD) { // or it has failed
            awaitAhead();
        }
        aheadBytes += copy.length;
        ahead = exchange.context.ask(() -> sendNow(stated, copy, 0, copy.length, last));
        cut = false;
        if (last) {
            awaitAhead();
        } else if (Loop.mayPark()) {
            letOthersRun();
        }
    }

    /**
     * Parks for a moment from time to time: a writer whose output is taken at once would never do
     * so, and the JDK has one thread for each processor to run virtual threads. One that yields may
     * be the next again.
     */
    private void letOthersRun() {
        long now = System.nanoTime();
        if (paused == 0) {
            paused = now;
        } else if (now - paused > SLICE_NANOS) {
            LockSupport.parkNanos(1);
            paused = System.nanoTime();
        }
    }

    /** Waits until what was handed over is sent; throws what went wrong with it. */
    private void awaitAhead() throws IOException {
        CompletableFuture<Void> last = ahead;
        ahead = NONE_AHEAD;
        aheadBytes = 0;
        LoopTasks.join(last);
    }

    private CompletableFuture<Void> sendNow(
            long stated, byte[] bytes, int from, int to, boolean last) {
        boolean first = !begun;
        if (exchange.ended || first && exchange.responded && !exchange.early) {
            return CompletableFuture.failedFuture(new IOException("the response timed out"));
        }
        if (!exchange.stream.open()) {
            return CompletableFuture.failedFuture(Exchange.clientIsGone());
        }
        if (broken) {
            return CompletableFuture.failedFuture(
                    new IOException("an earlier part of the body could not be sent"));
        }
        begun = true;
        broken = true; // unless all of it is written
        if (first && !exchange.early) {
            exchange.begin(head, stated);
        }
        if (from < to) {
            exchange.bytesOut += to - from;
            exchange.stream.data(bytes, from, to);
        }
        broken = false;
        if (last) {
            exchange.handlerEnded();
            exchange.end(head);
            return CompletableFuture.completedFuture(null);
        }
        return exchange.writable();
    }
}
