// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;

/**
 * The text of a datagram, {@code bytes[start..end)}: a name and fields, separated by colons. Blanks
 * and control characters at both ends do not belong to it. Nothing here throws for wrong input.
 * Used by one thread.
 */
final class Fields {
    private final byte[] bytes;
    private int start;
    private int end;

    /** Takes the text {@code bytes[from..to)}. */
    Fields(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.start = from;
        this.end = to;
        while (start < end && isBlank(bytes[start])) {
            start++;
        }
        while (start < end && isBlank(bytes[end - 1])) {
            end--;
        }
    }

    private static boolean isBlank(byte b) {
        return b >= 0 && b <= ' ';
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns whether {@code bytes[at..to)} begins with {@code name}. */
    static boolean startsWith(byte[] name, byte[] bytes, int at, int to) {
        if (to - at < name.length) {
            return false;
        }
        for (int i = 0; i < name.length; i++) {
            if (bytes[at + i] != name[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the text is {@code name}. */
    boolean is(byte[] name) {
        return end - start == name.length && startsWith(name, bytes, start, end);
    }

    /** Returns whether the text begins with {@code name}, and skips that. */
    boolean skip(byte[] name) {
        if (!startsWith(name, bytes, start, end)) {
            return false;
        }
        start += name.length;
        return true;
    }

    /** Returns whether the rest has exactly {@code count} fields. */
    boolean hasFields(int count) {
        return colons(count) == count - 1;
    }

    /** Returns whether the rest has {@code count} fields or more. */
    boolean hasAtLeast(int count) {
        return colons(count) >= count - 1;
    }

    /** Returns whether the next field is empty. */
    boolean isEmpty() {
        return fieldEnd() == start;
    }

    /** Returns whether the next field is empty and others follow, and skips it then. */
    boolean skipEmpty() {
        boolean empty = start < end && bytes[start] == ':';
        start += empty ? 1 : 0;
        return empty;
    }

    /** Counts the colons that are left, up to {@code most} of them. */
    private int colons(int most) {
        int found = 0;
        for (int i = start; i < end && found < most; i++) {
            if (bytes[i] == ':') {
                found++;
            }
        }
        return found;
    }

    /** Ends the field at {@code start}. */
    private int fieldEnd() {
        int at = start;
        while (at < end && bytes[at] != ':') {
            at++;
        }
        return at;
    }

    /** Reads an address in dotted decimal; null when the field is none. */
    Inet4Address address() {
        int to = fieldEnd();
        byte[] address = new byte[4];
        int part = 0;
        int digits = 0;
        int value = 0;
        for (int i = start; i <= to; i++) {
            int digit = i < to ? bytes[i] - '0' : -1;
            if (digit >= 0 && digit <= 9 && digits < 3) {
                value = 10 * value + digit;
                digits++;
            } else if ((i == to ? part == 3 : bytes[i] == '.' && part < 3)
                    && digits > 0
                    && value <= 255) {
                address[part++] = (byte) value;
                digits = 0;
                value = 0;
            } else {
                return null;
            }
        }
        start = Math.min(end, to + 1);
        try {
            return (Inet4Address) InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address has four bytes", e);
        }
    }

    /** Reads 1 to {@code most} hex digits; -1 when the field is anything else. */
    long hex(int most) {
        int to = fieldEnd();
        if (to == start || to - start > most) {
            return -1;
        }
        long value = 0;
        for (int i = start; i < to; i++) {
            int digit = Character.digit(bytes[i], 16); // a negative byte is no digit
            if (digit < 0) {
                return -1;
            }
            value = value << 4 | digit;
        }
        start = Math.min(end, to + 1);
        return value;
    }

    /** Reads all that is left, colons included. */
    String rest() {
        return new String(bytes, start, end - start, UTF_8);
    }
}
