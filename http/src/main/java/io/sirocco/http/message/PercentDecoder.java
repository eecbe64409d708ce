// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** Decodes percent-encoded bytes (RFC 3986 2.1) where they lie. Any thread. */
public final class PercentDecoder {
    private PercentDecoder() {}

    /** The text of a well-formed slice. */
    public static String decode(byte[] bytes, int from, int to) {
        return Grammar.indexOf(bytes, from, to, '%') < 0
                ? new String(bytes, from, to - from, UTF_8)
                : new String(decoded(bytes, from, to, false), UTF_8);
    }

    /** The bytes of a well-formed slice. */
    public static byte[] decoded(byte[] bytes, int from, int to, boolean plusIsSpace) {
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
    public static boolean wellFormed(byte[] bytes, int from, int to) {
        for (int i = from; (i = Grammar.indexOf(bytes, i, to, '%')) >= 0; i += 3) {
            if (i + 2 >= to || hex(bytes[i + 1]) < 0 || hex(bytes[i + 2]) < 0) {
                return false;
            }
        }
        return true;
    }

    private static int hex(byte b) {
        return b < 0 ? -1 : Character.digit(b, 16);
    }
}
