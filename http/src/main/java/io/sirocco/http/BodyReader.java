// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.h1.Chunked;

/**
 * Reads the body of one request off the connection, by its length or by its chunks. Loop-confined.
 */
final class BodyReader {
    private final Chunked chunks; // null when the length was stated
    private final Incoming incoming;
    private long left;
    private long received;
    private Rule rule;
    private boolean discarding;
    private boolean ended;
    private long discarded;
    private boolean waiting;
    private long waitingSince;
    private long waited; // by the handler for the client, in milliseconds, before that

    BodyReader(boolean chunked, long length, long most, Incoming incoming) {
        this.chunks = chunked ? new Chunked(most) : null;
        this.left = chunked ? 0 : length;
        this.incoming = incoming;
    }

    /**
     * Reads on in {@code bytes[from..to)}; answers where it stopped: behind the body, or at {@code
     * to}.
     */
    int read(byte[] bytes, int from, int to) {
        int next = chunks == null ? readLength(bytes, from, to) : readChunks(bytes, from, to);
        if (discarding) {
            discarded += next - from; // chunk lines included
        }
        return next;
    }

    private int readLength(byte[] bytes, int from, int to) {
        int end = (int) Math.min(to, from + left);
        take(bytes, from, end);
        left -= end - from;
        ended = left == 0;
        return end;
    }

    private int readChunks(byte[] bytes, int from, int to) {
        int at = from;
        while (true) {
            switch (chunks.decode(bytes, at, to)) {
                case DATA -> take(bytes, chunks.dataFrom(), chunks.dataTo());
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

    private void take(byte[] bytes, int from, int to) {
        received += to - from;
        if (!discarding) {
            incoming.add(bytes, from, to);
        }
    }

    boolean ended() {
        return ended;
    }

    /** The rule that it breaks, or null. */
    Rule rule() {
        return rule;
    }

    long received() {
        return received;
    }

    /** Bytes that are still to come as far as they are known. */
    long left() {
        return left;
    }

    void discard() {
        discarding = true;
    }

    /** Bytes thrown away so far. */
    long discarded() {
        return discarded;
    }

    /** From now on the client keeps us waiting. */
    void waiting(long now) {
        if (!waiting) {
            waiting = true;
            waitingSince = now;
        }
    }

    /** Bytes have come, and nobody waits for more at the moment. */
    void served(long now) {
        if (waiting) {
            waiting = false;
            waited += now - waitingSince;
        }
    }

    /** Milliseconds for which the client has kept us waiting. */
    long waited(long now) {
        return waiting ? waited + now - waitingSince : waited;
    }

    /** When the client, at the least rate that is allowed, should have sent the next bytes. */
    long deadline(Endpoint endpoint) {
        if (endpoint.bodyMillis() == 0 || !waiting) {
            return Long.MAX_VALUE;
        }
        long earned = endpoint.bodyRate() == 0 ? 0 : received * 1000 / endpoint.bodyRate();
        return waitingSince - waited + endpoint.bodyMillis() + earned;
    }
}
