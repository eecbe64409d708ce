// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import java.util.Arrays;
import java.util.zip.Deflater;

/**
 * Compresses messages (RFC 7692 7.2.1), with context takeover or each by itself. The window of the
 * JDK has 2^15 bytes; a smaller one is respected by starting anew after as many bytes. Used by one
 * thread at a time; without context takeover, any thread.
 */
public final class Deflation {
    private static final int LEVEL = 1; // others hold the loop for several times as long
    private static final Pool<Deflater> POOL = new Pool<>(Deflation::deflater, Deflater::end);
    private static final int TAIL = 4; // 00 00 ff ff, which the receiver puts back

    private final Deflater own;
    private final int bits;

    /** Creates a compressor with context takeover, for a window of 2^bits bytes. */
    Deflation(int bits) {
        this.own = deflater();
        this.bits = bits;
    }

    private static Deflater deflater() {
        return new Deflater(LEVEL, true);
    }

    /** Compresses the next message. */
    public byte[] deflate(byte[] message) {
        return deflate(own, message, bits);
    }

    /** Compresses a message by itself, for a window of 2^bits bytes. */
    public static byte[] deflate(byte[] message, int bits) {
        Deflater deflater = POOL.take();
        try {
            return deflate(deflater, message, bits);
        } finally {
            deflater.reset();
            POOL.give(deflater);
        }
    }

    private static byte[] deflate(Deflater deflater, byte[] message, int bits) {
        if (message.length == 0) {
            return new byte[1]; // RFC 7692 7.2.3.6: zlib flushes nothing twice
        }
        boolean whole = bits == Agreement.MAX_BITS;
        int piece = whole ? message.length : 1 << bits;
        byte[] out = new byte[message.length / 2 + 64];
        int size = 0;
        for (int at = 0; at < message.length; at += piece) {
            deflater.setInput(message, at, Math.min(piece, message.length - at));
            int mode = whole ? Deflater.SYNC_FLUSH : Deflater.FULL_FLUSH;
            while (true) {
                if (out.length - size < 16) { // with less it might write the mark twice
                    out = Arrays.copyOf(out, out.length * 2);
                }
                size += deflater.deflate(out, size, out.length - size, mode);
                if (size < out.length) {
                    break;
                }
            }
        }
        return Arrays.copyOf(out, size - TAIL);
    }

    /** Frees native memory. */
    void end() {
        own.end();
    }
}
