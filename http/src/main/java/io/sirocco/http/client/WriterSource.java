// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.BodySource;
import io.sirocco.http.BodyWriter;
import io.sirocco.http.body.SharedOutput;
import io.sirocco.net.Loop;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;

/**
 * The pieces that a {@link BodyWriter} writes on a virtual thread. The thread hands a piece over to
 * the loop and waits until it has been asked for the next one, so that one piece is on its way and
 * one is being filled. Loop-confined, except for the stream, which is the thread's.
 */
final class WriterSource implements BodySource {
    private static final int PIECE = 32 << 10;
    private static final byte[] END = {};

    private final Loop loop;
    private final BodyWriter writer;
    private boolean started;
    private boolean closed;
    private CompletableFuture<byte[]> asked; // null while nothing is
    private byte[] offered; // null while nothing is
    private CompletableFuture<Void> taken; // of what is offered
    private Throwable failure; // of the writer

    WriterSource(Loop loop, BodyWriter writer) {
        this.loop = loop;
        this.writer = writer;
    }

    @Override
    public CompletionStage<byte[]> next() {
        if (!started) {
            started = true;
            loop.startVirtual(this::write);
        }
        var next = new CompletableFuture<byte[]>();
        asked = next;
        handOver();
        return next;
    }

    @Override
    public void close() {
        closed = true;
        if (taken != null) {
            taken.completeExceptionally(new IOException("the request is over"));
        }
    }

    private void handOver() {
        if (asked == null) {
            return;
        }
        CompletableFuture<byte[]> to = asked;
        if (failure != null) {
            asked = null;
            to.completeExceptionally(failure);
        } else if (offered != null) {
            byte[] piece = offered;
            CompletableFuture<Void> then = taken;
            asked = null;
            offered = null;
            taken = null;
            then.complete(null);
            to.complete(piece);
        }
    }

    private void offer(byte[] piece, CompletableFuture<Void> then) {
        if (closed) {
            then.completeExceptionally(new IOException("the request is over"));
            return;
        }
        offered = piece;
        taken = then;
        handOver();
    }

    // ---- on the writer's thread

    private void write() {
        try {
            var out = new Stream();
            var shared = new SharedOutput(out);
            writer.write(shared);
            shared.alone(out::end);
        } catch (Throwable e) {
            try {
                loop.execute(
                        () -> {
                            failure = e;
                            handOver();
                        });
            } catch (RejectedExecutionException stopped) {
                // nobody is left to tell
            }
        }
    }

    private final class Stream extends OutputStream {
        private byte[] gathered = new byte[1024];
        private int count;
        private boolean cut; // a piece is missing, so nothing may follow
        private boolean over;

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            Objects.checkFromIndexSize(from, length, bytes.length);
            if (over) {
                throw new IOException("The stream is closed.");
            }
            refuseBehindCut();
            int at = from;
            int left = length;
            while (left > 0) {
                if (count == gathered.length) {
                    if (count == PIECE) {
                        flush();
                    } else {
                        gathered = Arrays.copyOf(gathered, Math.min(PIECE, 4 * count));
                    }
                }
                int n = Math.min(left, gathered.length - count);
                System.arraycopy(bytes, at, gathered, count, n);
                count += n;
                at += n;
                left -= n;
            }
        }

        @Override
        public void flush() throws IOException {
            if (count > 0) {
                byte[] piece = count == gathered.length ? gathered : Arrays.copyOf(gathered, count);
                if (piece == gathered) {
                    gathered = new byte[PIECE];
                }
                count = 0;
                hand(piece);
            }
        }

        /** Waits until {@code piece} has been asked for. */
        private void hand(byte[] piece) throws IOException {
            refuseBehindCut();
            cut = true; // unless it is asked for
            var then = new CompletableFuture<Void>();
            try {
                loop.execute(() -> offer(piece, then));
                then.get();
                cut = false;
            } catch (ExecutionException e) {
                throw new IOException(e.getCause().getMessage(), e.getCause());
            } catch (RejectedExecutionException e) {
                throw new IOException("the loop has ended", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new java.io.InterruptedIOException("interrupted in a write of a body");
            }
        }

        private void refuseBehindCut() throws IOException {
            if (cut) {
                throw new IOException("an earlier part of the body was not sent");
            }
        }

        /**
         * The writer has returned: only that ends the body, as one that throws has not finished.
         */
        private void end() throws IOException {
            flush();
            over = true;
            hand(END);
        }
    }
}
