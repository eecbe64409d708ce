// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.compress;

import java.util.List;
import java.util.Optional;

/**
 * The content codings that a client accepts (RFC 9110 12.5.3): for each known coding a weight from
 * 0, never, to 1000. Immutable.
 */
public final class AcceptEncoding {
    /**
     * No field: in theory all codings are welcome, in practice it is none that can be compressed.
     */
    private static final AcceptEncoding ABSENT = new AcceptEncoding();

    private static final int UNSAID = -1;
    private static final int MAX = 1000;

    private final int[] weights = {UNSAID, UNSAID, UNSAID};
    private int identity = UNSAID;
    private int others = UNSAID;

    private AcceptEncoding() {}

    /**
     * Reads the value of the field; null when there is none. What is malformed in it is skipped.
     */
    public static AcceptEncoding of(String field) {
        if (field == null) {
            return ABSENT;
        }
        var accepted = new AcceptEncoding();
        int length = field.length();
        for (int from = 0; from < length; ) {
            int comma = field.indexOf(',', from);
            int to = comma < 0 ? length : comma;
            accepted.member(field, from, to);
            from = to + 1;
        }
        return accepted;
    }

    private void member(String field, int from, int to) {
        int start = skipBlanks(field, from, to);
        int semicolon = field.indexOf(';', start);
        int end = semicolon < 0 || semicolon > to ? to : semicolon;
        int weight = end == to ? MAX : weight(field, end + 1, to);
        while (end > start && isBlank(field.charAt(end - 1))) {
            end--;
        }
        if (weight < 0) {
            return;
        }
        switch (end - start) {
            case 1 -> {
                if (field.charAt(start) == '*') others = weight;
            }
            case 2 -> note(Coding.BROTLI, "br", field, start, weight);
            case 4 -> {
                note(Coding.GZIP, "gzip", field, start, weight);
                note(Coding.ZSTD, "zstd", field, start, weight);
            }
            case 6 -> note(Coding.GZIP, "x-gzip", field, start, weight); // RFC 9110 8.4.1.3
            case 8 -> {
                if (field.regionMatches(true, start, "identity", 0, 8)) identity = weight;
            }
            default -> {}
        }
    }

    private void note(Coding coding, String name, String field, int start, int weight) {
        if (field.regionMatches(true, start, name, 0, name.length())) {
            weights[coding.ordinal()] = weight;
        }
    }

    /** {@code q=0.123} as 123; -1 when it is something else. */
    private static int weight(String field, int from, int to) {
        int at = skipBlanks(field, from, to);
        while (to > at && isBlank(field.charAt(to - 1))) {
            to--;
        }
        if (to - at < 3
                || to - at > 7
                || (field.charAt(at) | 0x20) != 'q'
                || field.charAt(at + 1) != '='
                || to - at > 3 && field.charAt(at + 3) != '.') {
            return -1;
        }
        int value = 0;
        for (int i = 0, digit = at + 2; i < 4; i++, digit = at + 3 + i) {
            int c = digit < to ? field.charAt(digit) : '0';
            if (c < '0' || c > '9') {
                return -1;
            }
            value = value * 10 + c - '0';
        }
        return value <= MAX ? value : -1;
    }

    private static int skipBlanks(String field, int from, int to) {
        while (from < to && isBlank(field.charAt(from))) {
            from++;
        }
        return from;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    /** How much the client likes a coding; 0 if it does not take it. */
    public int weight(Coding coding) {
        int said = weights[coding.ordinal()];
        return said != UNSAID ? said : Math.max(0, others);
    }

    /**
     * Of what is offered the coding that the client likes best, and of those that it likes as much
     * as each other the first. Empty when it would rather have none.
     */
    public Optional<Coding> best(List<Coding> offered) {
        Coding best = null;
        int most = Math.max(0, identity); // unsaid: welcome, and less so than any that was said
        for (int i = 0; i < offered.size(); i++) {
            int weight = weight(offered.get(i));
            if (weight > most || best == null && weight == most && weight > 0) {
                best = offered.get(i);
                most = weight;
            }
        }
        return Optional.ofNullable(best);
    }

    /**
     * Returns whether what is not compressed will do: unless it says {@code identity;q=0} or {@code
     * *;q=0}.
     */
    public boolean takesIdentity() {
        return identity != UNSAID ? identity > 0 : others != 0;
    }
}
