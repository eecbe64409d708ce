// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Classes of bytes, and eight of them at a time. Any thread. */
public final class Octets {
    public static final byte CR = '\r';
    public static final byte LF = '\n';
    public static final byte SP = ' ';
    public static final byte TAB = '\t';

    /** Returned instead of a position: the bytes ran out before anything was wrong. */
    public static final int MORE = -1;

    /** Returned instead of a position: a rule was broken, and it is noted. */
    public static final int BAD = -2;

    /** {@code tchar} of RFC 9110 5.6.2. */
    public static final boolean[] TOKEN = lettersDigitsAnd("!#$%&'*+-.^_`|~");

    /** What stands for itself in a {@code reg-name} of RFC 3986 3.2.2. */
    static final boolean[] NAME = lettersDigitsAnd("-._~!$&'()*+,;=");

    /** Visible characters, except those that a target's reader has to look at. */
    public static final boolean[] TARGET = visibleExcept("#%?");

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long ONES = 0x0101010101010101L;
    private static final long TOPS = 0x8080808080808080L;
    private static final long SPACES = 0x2020202020202020L;

    private Octets() {}

    public static long eight(byte[] b, int p) {
        return (long) LONG.get(b, p);
    }

    public static int four(byte[] b, int p) {
        return (int) INT.get(b, p);
    }

    /** Eight bytes with ASCII letters in lower case; other bytes may change too. */
    public static long eightLower(byte[] b, int p) {
        return (long) LONG.get(b, p) | SPACES;
    }

    /** Four bytes with ASCII letters in lower case; other bytes may change too. */
    public static int fourLower(byte[] b, int p) {
        return (int) INT.get(b, p) | (int) SPACES;
    }

    /** The first eight characters, as {@link #eight} reads them. */
    public static long eight(String s) {
        return (long) LONG.get(s.getBytes(StandardCharsets.ISO_8859_1), 0);
    }

    /** The first four characters, as {@link #four} reads them. */
    public static int four(String s) {
        return (int) INT.get(s.getBytes(StandardCharsets.ISO_8859_1), 0);
    }

    /**
     * Zero if all eight bytes are within 0x20..0x7E; else the lowest set bit tells the first one
     * that is not, by way of {@link #lane}.
     *
     * <p>In each lane {@code x - 0x20} sets the top bit below 0x20, {@code x + 1} at 0x7F, and
     * {@code x} from 0x80 on. A lane disturbs only those above it and only when it is a find
     * itself, so the lowest find is true.
     */
    public static long unprintable(long x) {
        return ((x - SPACES) | (x + ONES) | x) & TOPS;
    }

    /**
     * Zero if all eight bytes are ASCII letters and hyphens; else the lowest set bit tells the
     * first one that is not.
     *
     * <p>With the top bits cleared, {@code x + 0x1F} sets them from 'a' on, {@code x + 5} from
     * behind 'z' on, and {@code (x ^ '-') + 0x7F} everywhere but at a hyphen; no lane reaches its
     * neighbour.
     */
    public static long unlikeName(long x) {
        long lower = (x | SPACES) & ~TOPS;
        long letter = (lower + 0x1F * ONES) & ~(lower + 5 * ONES);
        return ((letter | ~unlike(x, '-')) & ~x & TOPS) ^ TOPS;
    }

    /**
     * Zero if all eight bytes stand for themselves in a target, as {@link #TARGET} has it; else the
     * lowest set bit tells the first one that does not.
     */
    public static long unlikeTarget(long x) {
        long special = ~(unlike(x, '#') & unlike(x, '%') & unlike(x, '?'));
        return ((x - 0x21 * ONES) | (x + ONES) | x | special) & TOPS;
    }

    /** Sets the top bit of each lane whose lower seven bits are not those of {@code c}. */
    private static long unlike(long x, char c) {
        return ((x ^ c * ONES) & ~TOPS) + 0x7F * ONES;
    }

    /** The first byte that a mask tells, 0 to 7. */
    public static int lane(long mask) {
        return Long.numberOfTrailingZeros(mask) >>> 3;
    }

    public static boolean hex(byte c) {
        return hexValue(c) >= 0;
    }

    /** 0 to 15, or -1. */
    public static int hexValue(byte c) {
        if (digit(c)) {
            return c - '0';
        }
        int lower = c | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    public static boolean digit(byte c) {
        return c >= '0' && c <= '9';
    }

    public static boolean space(byte c) {
        return c == SP || c == TAB;
    }

    /**
     * Returns whether the bytes are this text of lower-case letters, digits and hyphens, in any
     * case.
     */
    public static boolean same(byte[] b, int from, int to, String lower) {
        if (to - from != lower.length()) {
            return false;
        }
        for (int i = 0; i < lower.length(); i++) {
            if (lower(b[from + i]) != lower.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the bytes from {@code from} on are this ASCII text, in any case. */
    public static boolean same(byte[] b, int from, String text) {
        for (int i = 0; i < text.length(); i++) {
            byte c = b[from + i];
            char wanted = text.charAt(i);
            if (c != wanted && lower(c) != lower(wanted)) {
                return false;
            }
        }
        return true;
    }

    static int lower(int c) {
        return c >= 'A' && c <= 'Z' ? c | 0x20 : c & 0xFF;
    }

    public static String text(byte[] b, int from, int to) {
        return new String(b, from, to - from, StandardCharsets.ISO_8859_1);
    }

    private static boolean[] lettersDigitsAnd(String others) {
        boolean[] set = new boolean[256];
        for (char c = 0; c < 128; c++) {
            boolean letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
            set[c] = letter || c >= '0' && c <= '9' || others.indexOf(c) >= 0;
        }
        return set;
    }

    private static boolean[] visibleExcept(String others) {
        boolean[] set = new boolean[256];
        for (char c = 0x21; c < 0x7F; c++) {
            set[c] = others.indexOf(c) < 0;
        }
        return set;
    }
}
