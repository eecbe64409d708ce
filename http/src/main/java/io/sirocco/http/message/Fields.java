// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import io.sirocco.http.RequestError;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * A section of field lines: a view of bytes that its creator owns, in their order, names in the
 * case they came in, values without the whitespace around them. Loop-confined, except a copy.
 */
public class Fields {
    private static final int[] NONE = {};

    public byte[] bytes = {};

    /** Index in {@link #bytes} that all offsets are relative to. */
    public int base;

    /** Four for each field: name from, name to, value from, value to. */
    public int[] offsets = NONE;

    public int count;
    public RequestError rule;
    public int at;

    public Fields() {}

    public Fields(Fields other, int length) {
        bytes = Arrays.copyOfRange(other.bytes, other.base, other.base + length);
        offsets = Arrays.copyOf(other.offsets, other.count * 4);
        count = other.count;
    }

    /** Returns the number of header lines. */
    public final int count() {
        return count;
    }

    /** Returns the array that all positions refer to. */
    public final byte[] bytes() {
        return bytes;
    }

    /** Returns the start of the name of header {@code i}. */
    public final int nameFrom(int i) {
        return base + offsets[4 * i];
    }

    /** Returns the end of the name of header {@code i}. */
    public final int nameTo(int i) {
        return base + offsets[4 * i + 1];
    }

    /** Returns the start of the value of header {@code i}. */
    public final int valueFrom(int i) {
        return base + offsets[4 * i + 2];
    }

    /** Returns the end of the value of header {@code i}. */
    public final int valueTo(int i) {
        return base + offsets[4 * i + 3];
    }

    /** The name of field {@code i} as it came. */
    public final String name(int i) {
        return Octets.text(bytes, nameFrom(i), nameTo(i));
    }

    /** The value of field {@code i}, one character for each byte (ISO-8859-1). */
    public final String value(int i) {
        return Octets.text(bytes, valueFrom(i), valueTo(i));
    }

    /** The first field of this name, whatever its case, or -1. */
    public final int find(String name) {
        return find(name, 0);
    }

    /** The first field of this name from field {@code i} on, whatever its case, or -1. */
    public final int find(String name, int i) {
        for (; i < count; i++) {
            if (nameTo(i) - nameFrom(i) == name.length() && named(i, name)) {
                return i;
            }
        }
        return -1;
    }

    /** As {@link #find(String)}, for a name that is kept as lower-case bytes. */
    public final int find(byte[] lowerCaseName) {
        for (int i = 0; i < count; i++) {
            if (nameTo(i) - nameFrom(i) == lowerCaseName.length && named(i, lowerCaseName)) {
                return i;
            }
        }
        return -1;
    }

    private boolean named(int i, String name) {
        int from = nameFrom(i);
        for (int k = 0; k < name.length(); k++) {
            if (Octets.lower(bytes[from + k]) != Octets.lower(name.charAt(k))) {
                return false;
            }
        }
        return true;
    }

    private boolean named(int i, byte[] name) {
        int from = nameFrom(i);
        for (int k = 0; k < name.length; k++) {
            if (Octets.lower(bytes[from + k]) != name[k]) {
                return false;
            }
        }
        return true;
    }

    /** Forgets the fields whose names, as they came, are {@code unwanted}. */
    public final void dropIf(Predicate<String> unwanted) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (!unwanted.test(name(i))) {
                System.arraycopy(offsets, 4 * i, offsets, 4 * kept++, 4);
            }
        }
        count = kept;
    }

    /** Notes the rule that the byte at a position of {@link #bytes} breaks. */
    public final int reject(RequestError broken, int position) {
        rule = broken;
        at = position - base;
        return Octets.BAD;
    }
}
