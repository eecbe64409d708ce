// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * The body of a request. Read it as {@link #bytes}, as {@link #text}, as an {@link #inputStream},
 * or asynchronously by {@link #next}.
 *
 * <pre>{@code
 * byte[] all = request.body().bytes();             // at most 16 MiB
 * byte[] small = request.body().bytes(10_000);     // a longer body throws BadRequest, which becomes 413
 * request.body().inputStream().transferTo(out);    // any length, up to the limit of the route
 * }</pre>
 *
 * <p>Reading blocks until the client has sent the data; a virtual thread parks meanwhile. It throws
 * an {@link IOException} if the body exceeds the {@linkplain Config#maxBodyBytes limit} or the
 * {@linkplain Config#bodyTimeout timeout}, or if the client disconnects. A handler that does not
 * catch it responds with the right status.
 *
 * <p>Bytes and text are kept until the response, so that a filter can read them before the handler,
 * in any of the three ways. A stream can be read once; reading the body again throws {@link
 * IllegalStateException}. Used by one thread at a time.
 */
public final class Body {
    /** The default limit of {@link #bytes()} and {@link #text()}: 16 MiB. */
    public static final int IN_MEMORY = 16 << 20;

    private final Exchange exchange;
    private final Request request;
    private Reader reader;
    private byte[] collected; // once all of it was read at once

    Body(Exchange exchange, Request request) {
        this.exchange = exchange;
        this.request = request;
    }

    /**
     * Returns the length in bytes, if the client sent it; empty for a chunked body, 0 if there is
     * no body.
     */
    public OptionalLong length() {
        if (exchange.body == null) {
            return OptionalLong.of(0);
        }
        long stated = exchange.body.length();
        return stated < 0 ? OptionalLong.empty() : OptionalLong.of(stated);
    }

    /**
     * Returns the whole body, up to {@link #IN_MEMORY} bytes. Each call returns the same array.
     *
     * @throws BadRequest with status 413 if the body is longer
     * @throws IllegalStateException if some of the body was read as a stream
     * @throws IOException if the body does not arrive
     */
    public byte[] bytes() throws IOException {
        return bytes(IN_MEMORY);
    }

    /**
     * Returns the whole body. Each call returns the same array.
     *
     * @param limit the maximum length in bytes
     * @throws BadRequest with status 413 if the body is longer
     * @throws IllegalStateException if some of the body was read as a stream
     * @throws IOException if the body does not arrive
     */
    public byte[] bytes(int limit) throws IOException {
        if (collected == null) {
            collected = collect(limit);
        } else if (collected.length > limit) {
            throw tooLarge(limit);
        }
        return collected;
    }

    private byte[] collect(int most) throws IOException {
        var in = (Reader) inputStream();
        in.keeps = true;
        long stated = length().orElse(-1);
        if (stated > most) {
            throw tooLarge(most);
        }
        if (stated >= 0) {
            return in.takeAll((int) stated);
        }
        var all = new ByteArrayOutputStream();
        byte[] piece = new byte[8192];
        for (int n; (n = in.read(piece)) >= 0; ) {
            if (all.size() + n > most) {
                throw tooLarge(most);
            }
            all.write(piece, 0, n);
        }
        return all.toByteArray();
    }

    private static BadRequest tooLarge(int most) {
        return new BadRequest(413, "The body is longer than " + most + " bytes.");
    }

    /**
     * Returns the whole body as text, up to {@link #IN_MEMORY} bytes, decoded by the charset of its
     * media type or as UTF-8.
     *
     * @throws BadRequest with status 413 if the body is longer
     * @throws IllegalStateException if some of the body was read as a stream
     * @throws IOException if the body does not arrive
     */
    public String text() throws IOException {
        return new String(
                bytes(), request.contentType().map(type -> type.charset(UTF_8)).orElse(UTF_8));
    }

    /**
     * Returns the body as a stream that blocks until data arrives. If the body was read as bytes or
     * text before, the stream reads from memory.
     *
     * @throws IllegalStateException if some of the body was read as a stream
     */
    public InputStream inputStream() {
        if (collected != null) {
            return new ByteArrayInputStream(collected);
        }
        if (reader == null) {
            reader = new Reader();
        } else if (reader.begun && !reader.failed) {
            throw new IllegalStateException(
                    "The body has already been read as a stream: read it once, or with bytes() or"
                            + " text(), which keep it.");
        }
        return reader;
    }

    /**
     * Returns the next bytes as soon as they arrive, an empty array at the end of the body. Never
     * blocks. For {@link ExecutionMode#INLINE} handlers that {@linkplain Route#startBeforeBody
     * start before the body}. Call it again only after the previous stage has completed, and do not
     * combine it with the other methods.
     *
     * @return a stage that completes on {@link Request#loop}; exceptionally with an {@link
     *     IOException} if the body does not arrive. An {@linkplain Response#async asynchronous
     *     response} that completes with this exception has the right status
     */
    public CompletionStage<byte[]> next() {
        return exchange.nextOfBodyLater();
    }

    /**
     * Returns the trailers of the request (RFC 9110 6.5), without those that are not allowed as
     * trailers. Empty until the whole body was read.
     */
    public Headers trailers() {
        return exchange.bodyTrailers();
    }

    private final class Reader extends InputStream {
        private byte[] piece = {};
        private int at;
        private boolean ended;
        private boolean keeps; // received bytes are collected
        private boolean begun;
        private boolean failed; // and will again

        private boolean fill() throws IOException {
            if (at < piece.length) {
                return true;
            }
            begun = true;
            if (!ended) {
                failed = true;
                piece = exchange.nextOfBody(keeps);
                failed = false;
                at = 0;
                ended = piece.length == 0;
            }
            return !ended;
        }

        /** Returns the whole body, without a copy if it arrived in one piece. */
        byte[] takeAll(int length) throws IOException {
            if (length > 0 && at == 0 && fill() && piece.length == length) {
                byte[] whole = piece;
                piece = new byte[0];
                ended = true;
                return whole;
            }
            return readNBytes(
                    length); // grows with the received bytes, not with the announced length
        }

        @Override
        public int read() throws IOException {
            return fill() ? piece[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
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
    }
}
