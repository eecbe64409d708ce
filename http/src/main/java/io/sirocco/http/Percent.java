// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.BitSet;

/** Percent-encoding of text as UTF-8 (RFC 3986 2.1). Any thread. */
public final class Percent {
    private static final BitSet UNRESERVED =
            Grammar.set("-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    private Percent() {}

    /**
     * Encodes all characters except the unreserved ones (RFC 3986 2.3). The result is valid in a
     * path segment, a query name or value, and a cookie.
     */
    public static String encode(String text) {
        return encode(text, false);
    }

    /** Encodes a whole path: as {@link #encode}, but keeps {@code /}. */
    public static String encodePath(String path) {
        return encode(path, true);
    }

    /**
     * Decodes text once. Bytes that are not UTF-8 become U+FFFD.
     *
     * @throws BadRequest if a {@code %} is not followed by two hexadecimal digits
     */
    public static String decode(String encoded) {
        return decode(encoded, false);
    }

    /** As {@link #decode(String)}; in forms and queries {@code +} is a space. */
    static String decode(String encoded, boolean plusIsSpace) {
        if (encoded.indexOf('%') < 0) {
            return plusIsSpace ? encoded.replace('+', ' ') : encoded;
        }
        byte[] bytes = encoded.getBytes(UTF_8);
        if (!wellFormed(bytes, 0, bytes.length)) {
            throw new BadRequest("A '%' must be followed by two hexadecimal digits.");
        }
        return new String(decoded(bytes, 0, bytes.length, plusIsSpace), UTF_8);
    }

    /** The text of a well-formed slice. */
    static String decode(byte[] bytes, int from, int to) {
        return Grammar.indexOf(bytes, from, to, '%') < 0
                ? new String(bytes, from, to - from, UTF_8)
                : new String(decoded(bytes, from, to, false), UTF_8);
    }

    /** The bytes of a well-formed slice. */
    static byte[] decoded(byte[] bytes, int from, int to, boolean plusIsSpace) {
        byte[] out = new byte[to - from];
        int size = 0;
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (b == '%') {
                b = (byte) (hex(bytes[i + 1]) << 4 | hex(bytes[i + 2]));
                i += 2;
            } else if (b == '+' && plusIsSpace) {
                b = ' ';
            }
            out[size++] = b;
        }
        return Arrays.copyOf(out, size);
    }

    /** RFC 3986 2.1: {@code pct-encoded = "%" HEXDIG HEXDIG}. */
    static boolean wellFormed(byte[] bytes, int from, int to) {
        for (int i = from; (i = Grammar.indexOf(bytes, i, to, '%')) >= 0; i += 3) {
            if (i + 2 >= to || hex(bytes[i + 1]) < 0 || hex(bytes[i + 2]) < 0) {
                return false;
            }
        }
        return true;
    }

    private static String encode(String text, boolean keepSlash) {
        if (Grammar.consistsOf(UNRESERVED, text)) {
            return text;
        }
        var out = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(UTF_8)) {
            if (b > 0 && UNRESERVED.get(b) || b == '/' && keepSlash) {
                out.append((char) b);
            } else {
                out.append('%').append(digit(b >> 4)).append(digit(b));
            }
        }
        return out.toString();
    }

    private static char digit(int nibble) {
        return "0123456789ABCDEF".charAt(nibble & 15);
    }

    private static int hex(byte b) {
        return b < 0 ? -1 : Character.digit(b, 16);
    }
}
