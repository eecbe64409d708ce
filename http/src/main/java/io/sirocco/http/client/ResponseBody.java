// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.BodySource;
import io.sirocco.http.MediaType;
import io.sirocco.http.client.HttpClientException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The body of a response: read it once, as bytes, as text, as a stream, or piece by piece without a
 * thread. What is not read yet holds the server back: at most about 64 KiB wait here.
 *
 * <p>Failures are {@link HttpClientException}s: {@link Reason#BODY_TRUNCATED}, {@link
 * Reason#BODY_TIMEOUT} and the rules of the chunked coding above all. Any thread, one at a time;
 * the methods that block must not be called on the thread of a loop.
 */
public final class ResponseBody {
    private final ClientExchange exchange;
    private final long length;
    private final byte[] whole; // null unless it was all there with the head
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
     * How many bytes it has, if the server has said so; in a response to HEAD, how many it would
     * have.
     */
    public OptionalLong length() {
        return length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
    }

    /**
     * All of it, of {@link HttpClientSettings#maxBodyBytes} at most.
     *
     * @throws HttpClientException {@link Reason#BODY_TOO_LARGE} when it is longer; the connection
     *     is closed
     */
    public byte[] bytes() throws IOException, InterruptedException {
        return bytes(most);
    }

    /** The same with a limit of its own. */
    public byte[] bytes(int most) throws IOException, InterruptedException {
        HttpClient.refuseOnLoopThread("bytes", "bytesLater");
        return HttpClient.await(bytesLater(most));
    }

    /** The same without blocking; completed on the loop. */
    public CompletionStage<byte[]> bytesLater() {
        return bytesLater(most);
    }

    /** The same with a limit of its own. */
    public CompletableFuture<byte[]> bytesLater(int most) {
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

        private void took(byte[] piece, Throwable thrown) {
            if (thrown != null) {
                result.completeExceptionally(thrown);
            } else if (piece.length == 0) {
                result.complete(all.toByteArray());
            } else if (all.size() + (long) piece.length > most) {
                result.completeExceptionally(tooLarge(most));
            } else {
                all.write(piece, 0, piece.length);
                ask();
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
     * All of it as text, in the charset that its type names or else UTF-8; else as {@link #bytes}.
     */
    public String text() throws IOException, InterruptedException {
        return text(most);
    }

    /** The same with a limit of its own, in bytes. */
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
     * A stream of it, whose reads park their virtual thread while nothing is there. Closing it
     * before its end closes the connection.
     */
    public InputStream inputStream() {
        begin();
        return new Stream();
    }

    /**
     * Returns the next bytes as soon as they are there, and an empty array at the end of the body.
     * Never blocks; the stage is completed on the loop. Ask again when it has completed: until then
     * the server is held back.
     */
    public CompletionStage<byte[]> next() {
        begun.setPlain(true);
        return take();
    }

    /** It as the source of another body: of a response of the server, or of a request. */
    public BodySource source() {
        begin();
        return new BodySource() {
            @Override
            public CompletionStage<byte[]> next() {
                return take();
            }

            @Override
            public void close() {
                ResponseBody.this.close();
            }
        };
    }

    /** Gives up what has not been read yet; the connection is closed if that is not all there. */
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
