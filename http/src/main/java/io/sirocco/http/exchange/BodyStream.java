// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.BodyWriter;
import io.sirocco.http.loop.LoopTasks;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * The output stream of a {@link BodyWriter}. Gathers small writes, and sends them when {@link
 * #SIZE} bytes are buffered, on flush and on close. A body that ends within the first {@link #SIZE}
 * bytes without a flush is sent with its length. Used by one thread at a time.
 */
final class BodyStream extends OutputStream {
    private static final int SIZE = 8 << 10;

    private final Exchange exchange;
    private final ResponseMessage head;
    private final long length;
    private byte[] gathered = new byte[512];
    private int count;
    private long written;
    private boolean begun;
    private boolean closed;

    BodyStream(Exchange exchange, ResponseMessage head, long length) {
        this.exchange = exchange;
        this.head = head;
        this.length = length;
    }

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
        for (int at = from; at < to; at += slice) {
            send(length, bytes, at, Math.min(to, at + slice), false);
        }
    }

    private void send(boolean evenIfEmpty) throws IOException {
        if (count > 0 || evenIfEmpty && !begun) {
            int size = count;
            count = 0; // also if the wait for the client is interrupted: it is sent by then
            send(length, gathered, 0, size, false);
        }
    }

    @Override
    public void flush() throws IOException {
        if (!closed) {
            send(true);
        }
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        if (length >= 0 && written != length) {
            throw new IOException(
                    "a body of "
                            + length
                            + " bytes was announced, but "
                            + written
                            + " were written");
        }
        boolean whole = !begun && length < 0;
        send(whole ? count : length, gathered, 0, count, true);
    }

    /**
     * Sends a segment, with the headers before the first one. Blocks while the output is congested.
     */
    private void send(long stated, byte[] bytes, int from, int to, boolean last)
            throws IOException {
        boolean first = !begun;
        LoopContext context = exchange.context;
        CompletableFuture<Void> room;
        if (context.loop.enter()) {
            try {
                room = sendNow(stated, first, bytes, from, to, last);
            } finally {
                context.loop.exit();
            }
            context.loop.yieldIfLong();
        } else {
            byte[] copy = Arrays.copyOfRange(bytes, from, to);
            room = context.ask(() -> sendNow(stated, first, copy, 0, copy.length, last));
        }
        LoopTasks.join(room);
    }

    private CompletableFuture<Void> sendNow(
            long stated, boolean first, byte[] bytes, int from, int to, boolean last) {
        if (exchange.ended || first && exchange.responded && !exchange.early) {
            return CompletableFuture.failedFuture(new IOException("the response timed out"));
        }
        if (!exchange.connected()) {
            return CompletableFuture.failedFuture(Exchange.clientIsGone());
        }
        begun = true;
        if (first && !exchange.early) {
            exchange.begin(head, stated);
        }
        if (from < to) {
            exchange.bytesOut += to - from;
            exchange.stream.data(bytes, from, to);
        }
        if (last) {
            exchange.handlerEnded();
            exchange.end(head);
            return CompletableFuture.completedFuture(null);
        }
        return exchange.writable();
    }
}
