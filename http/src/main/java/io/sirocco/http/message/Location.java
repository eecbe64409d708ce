// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.BitSet;

/** The value of the field {@code Location}: a URI reference (RFC 9110 10.2.2). Any thread. */
public final class Location {
    /** RFC 3986 2.2 and 2.3, without {@code #} and {@code %}. */
    private static final BitSet LITERAL =
            Grammar.set(
                    "-._~:/?[]@!$&'()*+,;=0123456789"
                            + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    private static final String HEX = "0123456789ABCDEF";

    private Location() {}

    /**
     * {@code text} with all that a URI cannot have percent-encoded, as UTF-8; itself when there is
     * nothing. A backslash becomes {@code %5C}: browsers would take it for a slash.
     *
     * @throws IllegalArgumentException for a control character, which says where
     */
    public static String encode(String text) {
        String trimmed = Grammar.trim(text);
        int at = 0;
        while (at < trimmed.length() && isLiteral(trimmed, at)) {
            at++;
        }
        return at == trimmed.length() ? trimmed : encode(trimmed, at);
    }

    private static String encode(String text, int from) {
        var encoded = new StringBuilder(text.length() + 16).append(text, 0, from);
        for (int at = from; at < text.length(); ) {
            int c = text.codePointAt(at);
            if (c < ' ' || c == 0x7f) {
                throw new IllegalArgumentException(
                        "The Location has the control character U+%04X at index %d; remove or encode it."
                                .formatted(c, at));
            }
            if (isLiteral(text, at)) {
                encoded.append((char) c);
            } else {
                for (byte b : Character.toString(c).getBytes(UTF_8)) {
                    encoded.append('%').append(HEX.charAt(b >> 4 & 15)).append(HEX.charAt(b & 15));
                }
            }
            at += Character.charCount(c);
        }
        return encoded.toString();
    }

    /** Returns whether the character at {@code at} stands as it is; a fragment begins once only. */
    private static boolean isLiteral(String text, int at) {
        char c = text.charAt(at);
        return switch (c) {
            case '#' -> text.indexOf('#') == at;
            case '%' ->
                    at + 2 < text.length()
                            && Character.digit(text.charAt(at + 1), 16) >= 0
                            && Character.digit(text.charAt(at + 2), 16) >= 0
                            && text.charAt(at + 1) < 0x80
                            && text.charAt(at + 2) < 0x80;
            default -> LITERAL.get(c);
        };
    }
}
