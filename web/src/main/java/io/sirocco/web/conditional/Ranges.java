// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.conditional;

import java.util.ArrayList;
import java.util.List;

/** The ranges that {@code Range} requests of a representation (RFC 9110 14.2). Immutable. */
public sealed interface Ranges {
    /** Nothing that we would heed: send all of it. */
    record All() implements Ranges {}

    /** What is not there: 416. */
    record None() implements Ranges {}

    /** These, in the order in which they were asked for; no two of them touch. */
    record Some(List<ByteRange> ranges) implements Ranges {}

    /** The field is ignored. */
    Ranges ALL = new All();

    /** The field cannot be satisfied. */
    Ranges NONE = new None();

    /**
     * Reads the field. An unknown unit, a malformed list and more than {@code most} ranges are
     * ignored: all of it is sent. Ranges that overlap or touch become one (RFC 9110 15.3.7.2).
     *
     * @param size of the representation in bytes
     */
    static Ranges parse(String field, long size, int most) {
        int equals = field.indexOf('=');
        if (equals < 0
                || !field.substring(0, equals).equalsIgnoreCase("bytes")
                || field.startsWith(" ", equals + 1)
                || field.startsWith("\t", equals + 1)) {
            return ALL; // whitespace may stand around commas only
        }
        var found = new ArrayList<ByteRange>();
        int count = 0;
        boolean endOfNothing = false; // a suffix of an empty file, which no Content-Range can say
        for (int from = equals + 1, to; from <= field.length(); from = to + 1) {
            int comma = field.indexOf(',', from);
            to = comma < 0 ? field.length() : comma;
            String spec = field.substring(from, to).strip();
            if (spec.isEmpty()) {
                continue; // RFC 9110 5.6.1.2: a recipient must accept a few of these
            }
            if (++count > most) {
                return ALL;
            }
            int dash = spec.indexOf('-');
            if (dash < 0) {
                return ALL;
            }
            long first = number(spec, 0, dash);
            long last = number(spec, dash + 1, spec.length());
            boolean open = dash == spec.length() - 1;
            if (first == BAD || last == BAD || dash == 0 && open) {
                return ALL;
            }
            if (dash == 0) {
                if (last > 0 && size > 0) {
                    add(new ByteRange(Math.max(0, size - last), size - 1), found);
                }
                endOfNothing |= last > 0 && size == 0;
            } else if (!open && last < first) {
                return ALL;
            } else if (first < size) {
                add(new ByteRange(first, open ? size - 1 : Math.min(last, size - 1)), found);
            }
        }
        if (count == 0 || endOfNothing) {
            return ALL;
        }
        return found.isEmpty() ? NONE : new Some(List.copyOf(found));
    }

    /** Not a number. */
    long BAD = -1;

    /** Digits as a number, up to the largest; 0 for none. */
    private static long number(String text, int from, int to) {
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return BAD;
            }
            value = value > Long.MAX_VALUE / 10 - 1 ? Long.MAX_VALUE - 9 : value * 10 + digit;
        }
        return value;
    }

    /**
     * Those that it touches become one with it, in the place of the first of them. One look at each
     * will do: they do not touch one another, so none is reached but by the new one.
     */
    private static void add(ByteRange range, List<ByteRange> found) {
        ByteRange whole = range;
        int place = found.size();
        for (int i = found.size() - 1; i >= 0; i--) {
            if (found.get(i).touches(range)) {
                whole = whole.plus(found.remove(i));
                place = i;
            }
        }
        found.add(place, whole);
    }
}
