// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.BodySource;
import io.sirocco.http.MediaType;
import io.sirocco.http.body.PushSource;
import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.net.ReceivedBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The body of a response. It can be read once: as bytes, text, a stream, or in segments without a
 * thread. About 64 KiB are buffered; then the client stops reading from the server until the
 * program reads the body.
 *
 * <p>Failures are {@link HttpClientException}s, such as {@link Reason#BODY_TRUNCATED} or {@link
 * Reason#BODY_TIMEOUT}. Methods that block throw an {@link IllegalStateException} on the thread of
 * an event loop. Used by one thread at a time.
 */
public final class ResponseBody {
    private final ClientExchange exchange;
    private final long length;
    private final byte[] whole; // null unless all of it arrived with the headers
    private final int most;
    private final AtomicBoolean begun = new AtomicBoolean();
    private boolean wholeTaken;

    ResponseBody(ClientExchange exchange, long length, byte[] whole, int most) {
        this.exchange = exchange;
        this.length = length;
        this.whole = whole;
        this.most = most;
    }

    /**
     * Returns the length in bytes if the server announced it. In a response to HEAD, it is the
     * length that the response to GET would have.
     */
    public OptionalLong length() {
        return length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
    }

    /**
     * Takes the whole body if it has arrived together with the headers, as short ones mostly do;
     * otherwise nothing happens, and the body can still be read. Never blocks.
     */
    public Optional<byte[]> takeArrived() {
        if (whole == null) {
            return Optional.empty();
        }
        begin();
        return Optional.of(whole);
    }

    /**
     * Reads the whole body, up to {@link HttpClientSettings#maxBodyBytes}. Blocks.
     *
     * @throws HttpClientException {@link Reason#BODY_TOO_LARGE} if it is longer, which closes the
     *     connection
     * @throws InterruptedException if the thread is interrupted, which closes the connection
     */
    public byte[] bytes() throws IOException, InterruptedException {
        return bytes(most);
    }

    /**
     * Reads the whole body, up to {@code most} bytes. Blocks.
     *
     * @throws HttpClientException {@link Reason#BODY_TOO_LARGE} if it is longer, which closes the
     *     connection
     * @throws InterruptedException if the thread is interrupted, which closes the connection
     */
    public byte[] bytes(int most) throws IOException, InterruptedException {
        HttpClient.refuseOnLoopThread("bytes or text", "bytesAsync");
        CompletableFuture<byte[]> all = bytesAsync(most);
        try {
            return HttpClient.await(all);
        } catch (InterruptedException e) {
            close(); // or it would occupy its connection until the total timeout
            throw e;
        }
    }

    /**
     * Reads the whole body, up to {@link HttpClientSettings#maxBodyBytes}, without blocking. The
     * stage completes on the event loop.
     */
    public CompletionStage<byte[]> bytesAsync() {
        return bytesAsync(most);
    }

    /**
     * Reads the whole body, up to {@code most} bytes, without blocking. The future completes on the
     * event loop.
     */
    public CompletableFuture<byte[]> bytesAsync(int most) {
        begin();
        if (length > most && (whole == null || whole.length > most)) {
            return CompletableFuture.failedFuture(tooLarge(most));
        }
        if (whole != null) {
            return whole.length > most
                    ? CompletableFuture.failedFuture(tooLarge(most))
                    : CompletableFuture.completedFuture(whole);
        }
        var collection = new Collection(most);
        collection.ask();
        return collection.result;
    }

    /** Pieces on their way into one array; each step is on the loop. */
    private final class Collection {
        final CompletableFuture<byte[]> result = new CompletableFuture<>();
        private final int most;
        private final ByteArrayOutputStream all;

        Collection(int most) {
            this.most = most;
            this.all = new ByteArrayOutputStream((int) Math.min(Math.max(length, 32), 64 << 10));
        }

        void ask() {
            take().whenComplete(this::took);
        }

        private void add(byte[] piece) {
            try {
                all.write(piece, 0, piece.length);
                ask();
            } catch (OutOfMemoryError e) { // or its reader would wait for ever
                close();
                result.completeExceptionally(e);
            }
        }

        private void took(byte[] piece, Throwable thrown) {
            if (thrown != null) {
                result.completeExceptionally(thrown);
            } else if (piece.length == 0) {
                result.complete(all.toByteArray());
            } else if (all.size() + (long) piece.length > most) {
                result.completeExceptionally(tooLarge(most));
            } else {
                add(piece);
            }
        }
    }

    private HttpClientException tooLarge(int most) {
        HttpClientException why =
                exchange.error(
                        Reason.BODY_TOO_LARGE,
                        "the body of the response is longer than " + most + " bytes",
                        null);
        exchange.giveUp(why);
        return why;
    }

    /**
     * Reads the whole body as text, up to {@link HttpClientSettings#maxBodyBytes}, in the charset
     * that {@code Content-Type} names or else in UTF-8. Blocks.
     *
     * @throws HttpClientException {@link Reason#BODY_TOO_LARGE} if it is longer, which closes the
     *     connection
     * @throws InterruptedException if the thread is interrupted, which closes the connection
     */
    public String text() throws IOException, InterruptedException {
        return text(most);
    }

    /**
     * Reads the whole body as text, up to {@code most} bytes. Blocks.
     *
     * @throws HttpClientException {@link Reason#BODY_TOO_LARGE} if it is longer, which closes the
     *     connection
     * @throws InterruptedException if the thread is interrupted, which closes the connection
     */
    public String text(int most) throws IOException, InterruptedException {
        return new String(bytes(most), charset());
    }

    private Charset charset() {
        try {
            return exchange.responseHeader("Content-Type")
                    .flatMap(MediaType::parse)
                    .map(type -> type.charset(UTF_8))
                    .orElse(UTF_8);
        } catch (IllegalArgumentException e) {
            return UTF_8;
        }
    }

    /**
     * Returns the body as a stream, whose reads block until bytes arrive. Closing it before its end
     * closes the connection.
     */
    public InputStream inputStream() {
        begin();
        return new Stream();
    }

    /**
     * Returns the next bytes as soon as they arrive, or an empty array at the end of the body.
     * Never blocks; the stage completes on the event loop. Call it again when the stage has
     * completed.
     */
    public CompletionStage<byte[]> next() {
        begun.setPlain(true);
        return take();
    }

    /** Returns the body as the source of another body, of a server's response or of a request. */
    public BodySource source() {
        begin();
        return new Source(null, () -> {});
    }

    /**
     * Returns the body as the source of another body, and reports its failure and its end. Both are
     * called on the event loop, once at most.
     *
     * @param failed is called with the failure if the body breaks off; the reader of the source
     *     then gets a {@link CancellationException}, which is not logged a second time
     * @param closed is called when the source is closed, which it is at its end, too
     */
    public BodySource source(Consumer<Throwable> failed, Runnable closed) {
        begin();
        return new Source(failed, closed);
    }

    private final class Source implements PushSource {
        private final Consumer<Throwable> failed; // null for none
        private final Runnable whenClosed;
        private boolean closed;

        Source(Consumer<Throwable> failed, Runnable whenClosed) {
            this.failed = failed;
            this.whenClosed = whenClosed;
        }

        @Override
        public CompletionStage<byte[]> next() {
            CompletableFuture<byte[]> next = take();
            if (failed == null || next.isDone() && !next.isCompletedExceptionally()) {
                return next;
            }
            return next.handle(
                    (piece, thrown) -> {
                        if (thrown != null) {
                            throw reported(thrown);
                        }
                        return piece;
                    });
        }

        private RuntimeException reported(Throwable thrown) {
            failed.accept(thrown);
            return new CancellationException("the server's response broke off");
        }

        @Override
        public boolean pushTo(Sink sink) {
            if (whole != null || !exchange.loop().inLoop()) {
                return false;
            }
            exchange.pushTo(failed == null ? sink : new ReportingSink(sink));
            return true;
        }

        @Override
        public void resume() {
            exchange.resume();
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                ResponseBody.this.close();
                whenClosed.run();
            }
        }

        private final class ReportingSink implements Sink {
            private final Sink sink;

            ReportingSink(Sink sink) {
                this.sink = sink;
            }

            @Override
            public boolean data(byte[] bytes, int from, int to) {
                return sink.data(bytes, from, to);
            }

            @Override
            public boolean data(ReceivedBytes input, int count) {
                return sink.data(input, count);
            }

            @Override
            public void end() {
                sink.end();
            }

            @Override
            public void fail(Throwable thrown) {
                sink.fail(reported(thrown));
            }
        }
    }

    /** Discards the rest of the body. Closes the connection unless the whole body has arrived. */
    public void close() {
        if (whole == null) {
            exchange.cancel();
        }
    }

    private void begin() {
        if (!begun.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "The body has been read already: it can be read once, and is not kept.");
        }
    }

    private CompletableFuture<byte[]> take() {
        var next = new CompletableFuture<byte[]>();
        if (whole != null) {
            next.complete(wholeTaken ? new byte[0] : whole);
            wholeTaken = true;
            return next;
        }
        try {
            exchange.loop().execute(() -> exchange.take(next));
        } catch (RejectedExecutionException e) {
            next.completeExceptionally(exchange.stopped());
        }
        return next;
    }

    private final class Stream extends InputStream {
        private byte[] piece = {};
        private int at;
        private boolean ended;
        private boolean closed;

        private boolean fill() throws IOException {
            if (closed) {
                throw new IOException("The stream is closed.");
            }
            if (at < piece.length) {
                return true;
            }
            if (!ended) {
                HttpClient.refuseOnLoopThread("read", "next");
                try {
                    piece = HttpClient.await(take());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    exchange.cancel();
                    throw new java.io.InterruptedIOException("interrupted in a read of a body");
                }
                at = 0;
                ended = piece.length == 0;
            }
            return !ended;
        }

        @Override
        public int read() throws IOException {
            return fill() ? piece[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            Objects.checkFromIndexSize(from, length, into.length);
            if (length == 0) {
                return 0;
            }
            if (!fill()) {
                return -1;
            }
            int n = Math.min(length, piece.length - at);
            System.arraycopy(piece, at, into, from, n);
            at += n;
            return n;
        }

        @Override
        public int available() {
            return piece.length - at;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                if (!ended) {
                    ResponseBody.this.close();
                }
            }
        }
    }
}
