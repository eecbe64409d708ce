// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.http.websocket.Frame;
import io.sirocco.http.websocket.Mask;
import io.sirocco.net.Connection;
import java.util.Arrays;

/**
 * Writes a client's frames, each masked with a key of its own (RFC 6455 5.3): {@code begin}, then
 * what the payload is put together from, then {@code send}. The keys are not secret: what is sent
 * is not, either. The head is put before the payload where that lies, so that a frame is written
 * once; {@link Frame} makes arrays of whole ones. One for each loop. Loop-confined.
 */
final class FrameWriter {
    private static final int HEAD = Frame.LONGEST_HEAD;

    private byte[] b = new byte[256];
    private int end;
    private int key = 0x9e3779b9;

    FrameWriter begin() {
        end = HEAD;
        return this;
    }

    FrameWriter put(byte[] bytes) {
        return put(bytes, 0, bytes.length);
    }

    FrameWriter put(byte[] bytes, int from, int to) {
        int n = to - from;
        room(n);
        System.arraycopy(bytes, from, b, end, n);
        end += n;
        return this;
    }

    /** Characters of ASCII. */
    FrameWriter put(String text) {
        return put(text.getBytes(ISO_8859_1));
    }

    FrameWriter put(char c) {
        room(1);
        b[end++] = (byte) c;
        return this;
    }

    /** Decimal digits of a number that is not negative. */
    FrameWriter put(long number) {
        int digits = 1;
        for (long rest = number; rest > 9; rest /= 10) {
            digits++;
        }
        room(digits);
        end += digits;
        int at = end;
        long rest = number;
        for (int i = 0; i < digits; i++) {
            b[--at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return this;
    }

    private void room(int more) {
        if (end + more > b.length) {
            b = Arrays.copyOf(b, Math.max(end + more, 2 * b.length));
        }
    }

    /** Writes it as a text message; returns the bytes of the frame. */
    int sendText(Connection to) {
        return send(to, Frame.TEXT);
    }

    int send(Connection to, int opcode) {
        int at = frame(opcode);
        to.write(b, at, end);
        return end - at;
    }

    /** The frame of a text message, as bytes of its own. */
    byte[] text() {
        int at = frame(Frame.TEXT);
        return Arrays.copyOfRange(b, at, end);
    }

    /** Returns where the frame begins: its head stands before the payload, which is masked. */
    private int frame(int opcode) {
        int length = end - HEAD;
        key ^= key << 13; // Marsaglia, "Xorshift RNGs", 2003
        key ^= key >>> 17;
        key ^= key << 5;
        int at = HEAD;
        for (int i = 3, k = key; i >= 0; i--, k >>>= 8) {
            b[--at] = (byte) k;
        }
        if (length < 126) {
            b[--at] = (byte) (0x80 | length);
        } else {
            int bytes = length < 1 << 16 ? 2 : 8;
            for (long i = 0, rest = length; i < bytes; i++, rest >>= 8) {
                b[--at] = (byte) rest;
            }
            b[--at] = (byte) (0x80 | (bytes == 2 ? 126 : 127));
        }
        b[--at] = (byte) (0x80 | opcode);
        Mask.apply(b, HEAD, end, key, 0);
        return at;
    }
}
