// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

/**
 * Finds the frames that a server sends: whole and not masked (RFC 6455 5.2). It reads no messages
 * that are in several fragments: no server of Socket.IO sends such. Allocates nothing, and points
 * at payloads where they lie, which the reader of messages in {@code http}, with its copies and its
 * checks of UTF-8, does not. Loop-confined.
 *
 * <pre>
 *   |F|R|op | |M|len7| [len16 | len64] payload
 * </pre>
 */
final class FrameReader {
    /** Longer ones are taken for something else than frames. */
    static final int MAX = 1 << 20;

    private boolean malformed;
    private int opcode;
    private int from;
    private int to;

    /**
     * Reads the frame that begins at {@code from}; returns where it ends, or -1 if it is malformed
     * or not all there.
     */
    int read(byte[] b, int from, int to) {
        malformed = false;
        if (to - from < 2) {
            return -1;
        }
        malformed = (b[from] & 0xf0) != 0x80 || b[from + 1] < 0 || (b[from] & 15) == 0;
        opcode = b[from] & 15;
        int p = from + 2;
        long length = b[from + 1];
        if (length > 125) {
            int bytes = length == 126 ? 2 : 8;
            if (malformed || to - p < bytes) {
                return -1;
            }
            length = number(b, p, bytes);
            p += bytes;
        }
        malformed |= length < 0 || length > MAX;
        if (malformed || to - p < length) {
            return -1;
        }
        this.from = p;
        this.to = p + (int) length;
        return this.to;
    }

    private static long number(byte[] b, int from, int bytes) {
        long value = 0;
        for (int i = from; i < from + bytes; i++) {
            value = value << 8 | b[i] & 0xff;
        }
        return value;
    }

    boolean malformed() {
        return malformed;
    }

    int opcode() {
        return opcode;
    }

    /** Where the payload begins. */
    int from() {
        return from;
    }

    /** Where it ends. */
    int to() {
        return to;
    }
}
