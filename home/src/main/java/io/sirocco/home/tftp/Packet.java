// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.tftp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * A packet of RFC 1350 5:
 *
 * <pre>
 *   RRQ, WRQ   01 or 02 | file name | 0 | mode | 0      options (RFC 2347) may follow; they are ignored
 *   DATA       03       | block     | 0 to 512 bytes
 *   ACK        04       | block
 *   ERROR      05       | code      | text | 0
 * </pre>
 *
 * Immutable, except that a caller must not change the bytes of {@link Data}.
 */
sealed interface Packet {
    /** The most bytes of a file in one packet; a packet with less is the last one. */
    int BLOCK = 512;

    /** The longest packet that is sent or expected, an RRQ with a long name included. */
    int MAX_LENGTH = 4 + BLOCK;

    /** Asks for a file, or announces one if {@code write}. */
    record Request(boolean write, String file, Mode mode) implements Packet {}

    /** A block of a file. */
    record Data(int block, byte[] content) implements Packet {}

    /** The acknowledgement of a block, or of a WRQ if 0. */
    record Ack(int block) implements Packet {}

    /** The end of a transfer. */
    record Failure(int code, String text) implements Packet {}

    /** Anything else. */
    record Invalid() implements Packet {}

    /** Reads {@code bytes[0..length)}. Never throws. */
    static Packet parse(byte[] bytes, int length) {
        if (length < 4 || bytes[0] != 0) {
            return new Invalid();
        }
        int number = (bytes[2] & 0xff) << 8 | bytes[3] & 0xff;
        return switch (bytes[1]) {
            case 1, 2 -> request(bytes, length);
            case 3 ->
                    length <= MAX_LENGTH
                            ? new Data(number, Arrays.copyOfRange(bytes, 4, length))
                            : new Invalid();
            case 4 -> new Ack(number);
            case 5 -> new Failure(number, printable(string(bytes, 4, end(bytes, 4, length))));
            default -> new Invalid();
        };
    }

    private static Packet request(byte[] bytes, int length) {
        int nameEnd = end(bytes, 2, length);
        int modeEnd = end(bytes, Math.min(length, nameEnd + 1), length);
        if (length > MAX_LENGTH || nameEnd == 2 || modeEnd == length) {
            return new Invalid();
        }
        String file = string(bytes, 2, nameEnd);
        String mode = string(bytes, nameEnd + 1, modeEnd);
        if (file.chars().anyMatch(Character::isISOControl)) {
            return new Invalid();
        }
        for (Mode known : Mode.values()) {
            if (known.text().equalsIgnoreCase(mode)) {
                return new Request(bytes[1] == 2, file, known);
            }
        }
        return new Invalid();
    }

    private static int end(byte[] bytes, int from, int length) {
        int at = from;
        while (at < length && bytes[at] != 0) {
            at++;
        }
        return at;
    }

    private static String string(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, UTF_8);
    }

    /** A log must not show what a peer makes of it. */
    private static String printable(String text) {
        return text.replaceAll("\\p{Cc}", "?");
    }

    /** Returns the bytes of this packet. */
    default byte[] bytes() {
        return switch (this) {
            case Request(boolean write, String file, Mode mode) ->
                    join(write ? 2 : 1, file.getBytes(UTF_8), new byte[1], terminated(mode.text()));
            case Data(int block, byte[] content) -> join(3, number(block), content);
            case Ack(int block) -> join(4, number(block));
            case Failure(int code, String text) -> join(5, number(code), terminated(text));
            case Invalid _ -> throw new IllegalArgumentException("not a packet");
        };
    }

    private static byte[] terminated(String text) {
        return (text + '\0').getBytes(UTF_8);
    }

    private static byte[] number(int number) {
        return new byte[] {(byte) (number >> 8), (byte) number};
    }

    private static byte[] join(int operation, byte[]... parts) {
        var bytes = new ByteArrayOutputStream(MAX_LENGTH);
        bytes.write(0);
        bytes.write(operation);
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }
}
