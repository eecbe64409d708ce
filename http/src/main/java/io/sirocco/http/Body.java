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
 * The body of a request, as bytes, as text or as a stream. Reading blocks until the client has sent
 * what is asked for, and throws an {@link IOException} when it does not within its deadline, or is
 * gone.
 *
 * <p>A body that was read as bytes or as text is kept until the response, and may be read again in
 * any of the three ways: by a filter and by the handler behind it, for example. One of which a
 * stream has been read is gone: to read it again throws an {@link IllegalStateException}. Used by
 * one thread at a time.
 */
public final class Body {
    /** Bytes that {@link #bytes} and {@link #text} hold in memory unless told otherwise. */
    public static final int IN_MEMORY = 16 << 20;

    private final Exchange exchange;
    private final Request request;
    private Reader reader;
    private byte[] collected; // once all of it was read at once

    Body(Exchange exchange, Request request) {
        this.exchange = exchange;
        this.request = request;
    }

    /** The length that the client stated; empty for a body in chunks. */
    public OptionalLong length() {
        if (exchange.body == null) {
            return OptionalLong.of(0);
        }
        long stated = exchange.body.length();
        return stated < 0 ? OptionalLong.empty() : OptionalLong.of(stated);
    }

    /** All of it, up to {@link #IN_MEMORY} bytes; the same array each time. */
    public byte[] bytes() throws IOException {
        return bytes(IN_MEMORY);
    }

    /**
     * All of it; the same array each time.
     *
     * @throws BadRequest with status 413 when it is longer than {@code most} bytes
     * @throws IllegalStateException when some of it was read as a stream
     */
    public byte[] bytes(int most) throws IOException {
        if (collected == null) {
            collected = collect(most);
        } else if (collected.length > most) {
            throw tooLarge(most);
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

    /** All of it as text, in the charset that its type names or else UTF-8. */
    public String text() throws IOException {
        return new String(
                bytes(), request.contentType().map(type -> type.charset(UTF_8)).orElse(UTF_8));
    }

    /**
     * All of it, as it comes; from memory if it was read as bytes or as text before.
     *
     * @throws IllegalStateException when some of a stream of it was read
     */
    public InputStream inputStream() {
        if (collected != null) {
            return new ByteArrayInputStream(collected);
        }
        if (reader == null) {
            reader = new Reader();
        } else if (reader.begun && !reader.failed) {
            throw new IllegalStateException(
                    "The body has been read already: read it once as a stream, or with bytes() or"
                            + " text(), which keep it.");
        }
        return reader;
    }

    /**
     * Returns the next bytes as soon as they are there, and an empty array at the end of the body.
     * Never blocks: for {@link ExecutionMode#INLINE} handlers that {@linkplain
     * Route#startBeforeBody start before the body}. Ask again when the last stage has completed,
     * and do not mix it with the other methods.
     *
     * @return completes on {@link Request#loop}; exceptionally with an {@link IOException} when the
     *     body does not arrive. A response that completes with that exception has the right status
     */
    public CompletionStage<byte[]> next() {
        return exchange.nextOfBodyLater();
    }

    /**
     * Returns the trailers that the client sent behind the body (RFC 9110 6.5), without those that
     * must not be trailers; none before all of the body was read.
     */
    public Headers trailers() {
        return exchange.bodyTrailers();
    }

    private final class Reader extends InputStream {
        private byte[] piece = {};
        private int at;
        private boolean ended;
        private boolean keeps; // what comes is collected
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

        /** The whole body, without a copy when it came in one piece. */
        byte[] takeAll(int length) throws IOException {
            if (length > 0 && at == 0 && fill() && piece.length == length) {
                byte[] whole = piece;
                piece = new byte[0];
                ended = true;
                return whole;
            }
            return readNBytes(length); // grows with what comes, not with what is promised
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
