// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses messages (RFC 7692 7.2.2), with context takeover or each by itself, which needs no
 * memory between messages. Used by one thread at a time; {@link #SHARED} by any thread.
 */
final class Inflation {
    /** For all who have agreed on no context. */
    static final Inflation SHARED = new Inflation(null);

    private static final Pool<Inflater> POOL = new Pool<>(() -> new Inflater(true), Inflater::end);

    /** The bytes that the sender has omitted. */
    private static final byte[] TAIL = {0, 0, (byte) 0xff, (byte) 0xff};

    private static final int LEAST = 256;

    private final Inflater own; // null for one of the pool at each message

    Inflation(Inflater own) {
        this.own = own;
    }

    /** Decompresses the next message, which may have {@code most} bytes. */
    Result inflate(byte[] bytes, int from, int to, int most) {
        if (own != null) {
            return inflate(own, bytes, from, to, most);
        }
        Inflater inflater = POOL.take();
        try {
            return inflate(inflater, bytes, from, to, most);
        } finally {
            inflater.reset();
            POOL.give(inflater);
        }
    }

    /** The result: bytes, or a violation that is not null. */
    record Result(byte[] bytes, Violation violation) {}

    private static Result inflate(Inflater inflater, byte[] bytes, int from, int to, int most) {
        byte[] out = new byte[(int) Math.min(Math.max((to - from) * 4L, LEAST), most + 1L)];
        int size = 0;
        boolean atTail = false;
        inflater.setInput(bytes, from, to - from);
        try {
            while (true) {
                if (size == out.length) {
                    out = Arrays.copyOf(out, (int) Math.min(out.length * 2L, most + 1L));
                }
                int n = inflater.inflate(out, size, out.length - size);
                size += n;
                if (size > most) {
                    return new Result(null, Violation.MESSAGE_TOO_LARGE);
                }
                if (size == out.length) {
                    continue; // it may have more
                }
                if (inflater.finished()) { // a final block, behind which others may begin
                    int rest = inflater.getRemaining();
                    boolean inTail = atTail;
                    inflater.reset();
                    if (inTail) {
                        inflater.setInput(TAIL, TAIL.length - rest, rest);
                    } else {
                        inflater.setInput(bytes, to - rest, rest);
                    }
                } else if (inflater.needsDictionary()) {
                    return new Result(null, Violation.BAD_COMPRESSION);
                } else if (inflater.needsInput()) {
                    if (atTail) {
                        return new Result(Arrays.copyOf(out, size), null);
                    }
                    atTail = true;
                    inflater.setInput(TAIL);
                } else if (n == 0) {
                    return new Result(null, Violation.BAD_COMPRESSION);
                }
            }
        } catch (DataFormatException e) {
            return new Result(null, Violation.BAD_COMPRESSION);
        }
    }

    /** Frees native memory. */
    void end() {
        if (own != null) {
            own.end();
        }
    }
}
