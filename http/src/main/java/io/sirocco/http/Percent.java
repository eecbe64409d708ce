// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.message.Grammar;
import io.sirocco.http.message.PercentDecoder;
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
        if (!PercentDecoder.wellFormed(bytes, 0, bytes.length)) {
            throw new BadRequest("A '%' must be followed by two hexadecimal digits.");
        }
        return new String(PercentDecoder.decoded(bytes, 0, bytes.length, plusIsSpace), UTF_8);
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
}
