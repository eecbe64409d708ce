// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Directives of {@code Cache-Control} (RFC 9111 5.2). Names are case-insensitive, an argument may
 * be a token or a quoted string, and the first of several directives of one name counts (4.2.1).
 * Immutable.
 */
final class CacheControl {
    static final CacheControl NONE = new CacheControl(Map.of());

    /** The largest number of seconds; larger ones count as this (RFC 9111 1.2.2). */
    static final long MAX_SECONDS = 1L << 31;

    /** The directive is absent. */
    static final long ABSENT = -1;

    /** The directive has no argument, or none that is a number. */
    static final long INVALID = -2;

    private final Map<String, String> directives;

    CacheControl(Map<String, String> directives) {
        this.directives = Map.copyOf(directives);
    }

    /** Parses a list; {@code null} for an absent header. */
    static CacheControl parse(String list) {
        if (list == null || list.isEmpty()) {
            return NONE;
        }
        var found = new HashMap<String, String>();
        for (int at = 0; at < list.length(); ) {
            int end = nameEnd(list, at);
            String name = list.substring(at, end).strip().toLowerCase(Locale.ROOT);
            String value = "";
            if (end < list.length() && list.charAt(end) == '=') {
                int from = skipSpace(list, end + 1);
                int closing =
                        from < list.length() && list.charAt(from) == '"'
                                ? quoteEnd(list, from)
                                : -1;
                end = comma(list, closing < 0 ? from : closing + 1);
                value =
                        closing < 0
                                ? list.substring(from, end).strip()
                                : unquote(list, from, closing);
            }
            if (!name.isEmpty()) {
                found.putIfAbsent(name, value);
            }
            at = end + 1;
        }
        return found.isEmpty() ? NONE : new CacheControl(found);
    }

    boolean has(String name) {
        return directives.containsKey(name);
    }

    /** Returns the argument in seconds, {@link #ABSENT} or {@link #INVALID}. */
    long seconds(String name) {
        String value = directives.get(name);
        return value == null ? ABSENT : seconds0(value);
    }

    /** Returns the number of seconds that {@code text} is (RFC 9111 1.2.2), or {@link #INVALID}. */
    static long seconds0(String text) {
        long value = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return INVALID;
            }
            value = Math.min(MAX_SECONDS, value * 10 + digit);
        }
        return text.isEmpty() ? INVALID : value;
    }

    private static int nameEnd(String list, int from) {
        int at = from;
        while (at < list.length() && list.charAt(at) != ',' && list.charAt(at) != '=') {
            at++;
        }
        return at;
    }

    private static int skipSpace(String list, int from) {
        int at = from;
        while (at < list.length() && (list.charAt(at) == ' ' || list.charAt(at) == '\t')) {
            at++;
        }
        return at;
    }

    /**
     * The closing quote; -1 if there is none: then a comma ends the argument, and hides nothing.
     */
    private static int quoteEnd(String list, int open) {
        for (int at = open + 1; at < list.length(); at++) {
            char c = list.charAt(at);
            if (c == '\\') {
                at++;
            } else if (c == '"') {
                return at;
            }
        }
        return -1;
    }

    private static String unquote(String list, int open, int closing) {
        return list.substring(open + 1, closing).replaceAll("\\\\(.)", "$1").strip();
    }

    private static int comma(String list, int from) {
        int at = list.indexOf(',', from);
        return at < 0 ? list.length() : at;
    }
}
