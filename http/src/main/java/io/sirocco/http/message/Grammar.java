// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import java.util.BitSet;

/** Character classes and searches that several parsers share. Immutable. */
public final class Grammar {
    private static final BitSet TOKEN =
            set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    private Grammar() {}

    public static BitSet set(String chars) {
        var set = new BitSet(128);
        chars.chars().forEach(set::set);
        return set;
    }

    public static boolean consistsOf(BitSet set, CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            if (!set.get(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** RFC 9110 5.6.2: {@code token = 1*tchar}. */
    public static boolean isToken(CharSequence text) {
        return !text.isEmpty() && consistsOf(TOKEN, text);
    }

    /** RFC 9110 5.6.2: {@code tchar}. */
    public static boolean isTokenChar(char c) {
        return TOKEN.get(c);
    }

    /** RFC 9110 5.5: a field value has no control characters but HTAB. */
    public static boolean isFieldText(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' && c != '\t' || c == 0x7f) {
                return false;
            }
        }
        return true;
    }

    /** RFC 9110 5.6.3: {@code OWS = *( SP / HTAB )} removed from both ends. */
    public static String trim(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isBlank(text.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    public static boolean isBlank(int c) {
        return c == ' ' || c == '\t';
    }

    /** Where the byte stands first in a slice, or -1. */
    public static int indexOf(byte[] bytes, int from, int to, char wanted) {
        for (int i = from; i < to; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return -1;
    }
}
