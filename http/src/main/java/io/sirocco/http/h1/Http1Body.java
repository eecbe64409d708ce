// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.Headers;
import io.sirocco.http.RequestError;
import io.sirocco.http.exchange.Exchange;
import io.sirocco.http.message.Trailers;

/**
 * The framing of one request body in HTTP/1.1: by its length or in chunks (RFC 9112 6 and 7).
 * Loop-confined.
 */
final class Http1Body {
    private final Chunked chunks; // null when the length was stated
    private long left;
    private boolean begun;
    private boolean ended;
    private RequestError rule;
    private boolean discards;
    private long discarded;

    Http1Body(boolean chunked, long length, long most) {
        this.chunks = chunked ? new Chunked(most) : null;
        this.left = chunked ? 0 : length;
    }

    /**
     * Reads {@code bytes[from..to)} and passes content to {@code exchange}. Returns where it
     * stopped: after the body, or at {@code to}.
     */
    int read(byte[] bytes, int from, int to, Exchange exchange) {
        int next =
                chunks == null
                        ? readLength(bytes, from, to, exchange)
                        : readChunks(bytes, from, to, exchange);
        if (discards) {
            discarded += next - from; // chunk lines included
        }
        return next;
    }

    private int readLength(byte[] bytes, int from, int to, Exchange exchange) {
        int end = (int) Math.min(to, from + left);
        begun |= end > from;
        exchange.received(bytes, from, end);
        left -= end - from;
        ended = left == 0;
        return end;
    }

    private int readChunks(byte[] bytes, int from, int to, Exchange exchange) {
        int at = from;
        while (true) {
            switch (chunks.decode(bytes, at, to)) {
                case DATA -> {
                    begun = true;
                    exchange.received(bytes, chunks.dataFrom(), chunks.dataTo());
                }
                case END -> {
                    ended = true;
                    return chunks.next();
                }
                case MORE -> {
                    return to;
                }
                case REJECTED -> {
                    rule = chunks.rule();
                    return to;
                }
            }
            at = chunks.next();
        }
    }

    /** Returns whether the whole body was read. */
    boolean ended() {
        return ended;
    }

    /** Returns the trailers of a complete body. */
    Headers trailers() {
        return chunks == null || chunks.trailers().count() == 0
                ? Headers.none()
                : Trailers.of(chunks.trailers());
    }

    /** Returns the error of the framing, or null. */
    RequestError rule() {
        return rule;
    }

    /** Returns whether some content was read. */
    boolean begun() {
        return begun;
    }

    /** Returns the number of bytes that are still expected, as far as they are known. */
    long left() {
        return left;
    }

    /** Drops further content. */
    void discard() {
        discards = true;
    }

    /** Returns the number of bytes that were read since {@link #discard}. */
    long discarded() {
        return discarded;
    }
}
