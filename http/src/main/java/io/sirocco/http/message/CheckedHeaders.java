// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Headers;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.List;

/**
 * {@link Headers} of what a parser has checked, and the bytes of headers for those that send them.
 * Any thread.
 */
public final class CheckedHeaders {
    private static Access access; // set by the initialiser of Headers

    /** What {@link Headers} lets this package do. */
    public interface Access {
        /** Returns headers of these arrays, which must not change any more. */
        Headers of(byte[] lines, int[] marks, Charset charset);

        /** Returns the array of the headers, which must not be changed. */
        byte[] lines(Headers headers);
    }

    private CheckedHeaders() {}

    /** Called once, by {@link Headers}. */
    public static void access(Access access) {
        CheckedHeaders.access = access;
    }

    private static Access access() {
        if (access == null) {
            Headers.none(); // not in an initialiser here: two threads could wait for each other
        }
        return access;
    }

    /** Returns the headers as they are sent. The array must not be changed. */
    public static byte[] lines(Headers headers) {
        return access().lines(headers);
    }

    /** Returns a copy of the fields. */
    public static Headers of(Fields fields) {
        int count = fields.count();
        if (count == 0) {
            return Headers.none();
        }
        return areLines(fields) ? copied(fields) : composed(fields);
    }

    /** Returns whether the fields lie one behind the other, each in the form that is sent. */
    private static boolean areLines(Fields fields) {
        byte[] b = fields.bytes();
        for (int i = 0, last = fields.count() - 1; i <= last; i++) {
            int colon = fields.nameTo(i);
            int end = fields.valueTo(i);
            if (fields.valueFrom(i) != colon + 2
                    || b[colon + 1] != ' '
                    || end + 2 > b.length
                    || b[end] != '\r'
                    || b[end + 1] != '\n'
                    || i < last && fields.nameFrom(i + 1) != end + 2) {
                return false;
            }
        }
        return true;
    }

    private static Headers copied(Fields fields) {
        int count = fields.count();
        int from = fields.nameFrom(0);
        int to = fields.valueTo(count - 1) + 2;
        int[] marks = new int[2 * count + 1];
        for (int i = 0; i < count; i++) {
            marks[2 * i] = fields.nameFrom(i) - from;
            marks[2 * i + 1] = fields.nameTo(i) - from;
        }
        marks[2 * count] = to - from;
        return access().of(Arrays.copyOfRange(fields.bytes(), from, to), marks, ISO_8859_1);
    }

    private static Headers composed(Fields fields) {
        int count = fields.count();
        int size = 0;
        for (int i = 0; i < count; i++) {
            size += fields.nameTo(i) - fields.nameFrom(i) + fields.valueTo(i) - fields.valueFrom(i);
        }
        var lines = new Lines(count, size);
        for (int i = 0; i < count; i++) {
            lines.add(
                    fields.bytes(),
                    fields.nameFrom(i),
                    fields.nameTo(i),
                    fields.bytes(),
                    fields.valueFrom(i),
                    fields.valueTo(i));
        }
        return lines.headers(ISO_8859_1);
    }

    /** Returns headers of alternating names and values, which may be any text without CR and LF. */
    public static Headers ofText(List<String> namesAndValues) {
        int size = 0;
        for (String each : namesAndValues) {
            size += each.getBytes(UTF_8).length;
        }
        var lines = new Lines(namesAndValues.size() / 2, size);
        for (int i = 0; i < namesAndValues.size(); i += 2) {
            byte[] name = namesAndValues.get(i).getBytes(UTF_8);
            byte[] value = namesAndValues.get(i + 1).getBytes(UTF_8);
            lines.add(name, 0, name.length, value, 0, value.length);
        }
        return lines.headers(UTF_8);
    }

    /** Lines that are composed of names and values. */
    private static final class Lines {
        private final byte[] bytes;
        private final int[] marks;
        private int at;
        private int count;

        Lines(int count, int size) {
            bytes = new byte[size + 4 * count];
            marks = new int[2 * count + 1];
        }

        void add(byte[] name, int nameFrom, int nameTo, byte[] value, int valueFrom, int valueTo) {
            marks[count++] = at;
            put(name, nameFrom, nameTo);
            marks[count++] = at;
            bytes[at++] = ':';
            bytes[at++] = ' ';
            put(value, valueFrom, valueTo);
            bytes[at++] = '\r';
            bytes[at++] = '\n';
        }

        private void put(byte[] from, int begin, int end) {
            System.arraycopy(from, begin, bytes, at, end - begin);
            at += end - begin;
        }

        Headers headers(Charset charset) {
            marks[count] = at;
            return access().of(bytes, marks, charset);
        }
    }
}
