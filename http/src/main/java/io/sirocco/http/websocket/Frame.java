// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/**
 * Frames as they are written, one for each message (RFC 6455 5.2):
 *
 * <pre>
 *    0               1               2               3
 *   +-+-+-+-+-------+-+-------------+-------------------------------+
 *   |F|R|R|R|       |M|             | 126: length of 16 bits        |
 *   |I|S|S|S|opcode |A|   length    | 127: length of 64 bits        |
 *   |N|V|V|V|       |S|  0 to 125   +-------------------------------+
 *   | |1|2|3|       |K|             | key of 32 bits, if masked     |
 *   +-+-+-+-+-------+-+-------------+-------------------------------+
 * </pre>
 */
public final class Frame {
    public static final int CONTINUATION = 0;
    public static final int TEXT = 1;
    public static final int BINARY = 2;
    public static final int CLOSE = 8;
    public static final int PING = 9;
    public static final int PONG = 10;

    /** Bit of the first byte: the last frame of its message. */
    public static final int FIN = 0x80;

    /** Bit of the first byte: the message is compressed (RFC 7692 6). */
    public static final int COMPRESSED = 0x40;

    /** Bit of the second byte. */
    static final int MASKED = 0x80;

    /** The maximum length of the payload of a control frame. */
    public static final int CONTROL = 125;

    /** The maximum length of a frame header. */
    public static final int LONGEST_HEAD = 14;

    private Frame() {}

    /** Returns the length of the header of an unmasked frame. */
    static int headSize(int length) {
        return length <= CONTROL ? 2 : length <= 0xffff ? 4 : 10;
    }

    /** Returns the length of a whole frame from {@code from}. */
    static long size(Role from, int length) {
        return headSize(length) + (from == Role.CLIENT ? 4L : 0L) + length;
    }

    /**
     * Writes the header of an unmasked frame; {@code first} is its first byte.
     *
     * @return the index after the header
     */
    static int head(byte[] to, int at, int first, int length) {
        to[at] = (byte) first;
        if (length <= CONTROL) {
            to[at + 1] = (byte) length;
            return at + 2;
        }
        int size = length <= 0xffff ? 2 : 8;
        to[at + 1] = (byte) (size == 2 ? 126 : 127);
        for (int i = 0; i < size; i++) {
            to[at + 2 + i] = (byte) ((long) length >>> 8 * (size - 1 - i));
        }
        return at + 2 + size;
    }

    /** Returns a frame of a server. */
    public static byte[] of(int first, byte[] payload) {
        byte[] frame = new byte[headSize(payload.length) + payload.length];
        int at = head(frame, 0, first, payload.length);
        System.arraycopy(payload, 0, frame, at, payload.length);
        return frame;
    }

    /** Returns a frame of a client. The key must be unpredictable (RFC 6455 5.3). */
    public static byte[] masked(int first, byte[] payload, int key) {
        int size = headSize(payload.length);
        byte[] frame = new byte[size + 4 + payload.length];
        head(frame, 0, first, payload.length);
        frame[1] |= (byte) MASKED;
        for (int i = 0; i < 4; i++) {
            frame[size + i] = (byte) (key >>> 24 - 8 * i);
        }
        System.arraycopy(payload, 0, frame, size + 4, payload.length);
        Mask.apply(frame, size + 4, frame.length, key, 0);
        return frame;
    }

    /** Returns the payload of a close frame. A reason that is too long is cut. */
    public static byte[] closing(int code, String reason) {
        byte[] text = reason.getBytes(UTF_8);
        int length = Math.min(text.length, CONTROL - 2);
        while (length < text.length && length > 0 && (text[length] & 0xc0) == 0x80) {
            length--; // within a character
        }
        byte[] payload = new byte[2 + length];
        payload[0] = (byte) (code >>> 8);
        payload[1] = (byte) code;
        System.arraycopy(text, 0, payload, 2, length);
        return payload;
    }

    /** Returns the reason in the payload of a close frame that was checked. */
    static String reason(byte[] payload) {
        return payload.length <= 2
                ? ""
                : new String(Arrays.copyOfRange(payload, 2, payload.length), UTF_8);
    }
}
