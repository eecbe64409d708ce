// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;

/**
 * The body of a request: read once, as bytes, as text or as a stream. Reading blocks until the
 * client has sent what is asked for, and throws an {@link IOException} when it does not within its
 * deadline, or is gone. Used by one thread at a time.
 */
public final class Body {
    /** Bytes that {@link #bytes} and {@link #text} hold in memory unless told otherwise. */
    public static final int IN_MEMORY = 16 << 20;

    private final Exchange exchange;
    private final Request request;
    private Reader reader;

    Body(Exchange exchange, Request request) {
        this.exchange = exchange;
        this.request = request;
    }

    /** The length that the client stated; empty for a body in chunks. */
    public OptionalLong length() {
        return exchange.bodyLength();
    }

    /** All of it, up to {@link #IN_MEMORY} bytes. */
    public byte[] bytes() throws IOException {
        return bytes(IN_MEMORY);
    }

    /**
     * All of it.
     *
     * @throws BadRequest with status 413 when it is longer than {@code most} bytes
     */
    public byte[] bytes(int most) throws IOException {
        InputStream in = stream();
        long stated = length().orElse(-1);
        if (stated > most) {
            throw tooLarge(most);
        }
        if (stated >= 0) {
            return ((Reader) in).takeAll((int) stated);
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

    /** All of it, as it comes. */
    public InputStream stream() {
        if (reader == null) {
            reader = new Reader();
        }
        return reader;
    }

    private final class Reader extends InputStream {
        private byte[] piece = {};
        private int at;
        private boolean ended;

        private boolean fill() throws IOException {
            if (at < piece.length) {
                return true;
            }
            if (!ended) {
                piece = exchange.nextOfBody();
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
