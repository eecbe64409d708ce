// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * The secondary cache key of a response (RFC 9111 4.1): the request headers that {@code Vary} and
 * the options name, with the values of the request that led to it. Values are normalised where
 * their meaning allows it. Immutable.
 *
 * @param names headers in lower case, and {@code cookie:NAME} for a cookie
 * @param values the value of each; {@link #ABSENT} if the request had none
 */
record VarySelector(List<String> names, List<String> values) {
    /** No header has this value. */
    private static final String ABSENT = "\0";

    private static final String COOKIE = "cookie:";

    static VarySelector of(Collection<String> vary, CacheRequest request) {
        var names = new TreeSet<String>(vary);
        names.addAll(request.rules.keyHeaders());
        request.rules.keyCookies().forEach(cookie -> names.add(COOKIE + cookie));
        List<String> all = List.copyOf(names);
        return new VarySelector(all, all.stream().map(name -> value(name, request)).toList());
    }

    boolean matches(CacheRequest request) {
        for (int i = 0; i < names.size(); i++) {
            if (!value(names.get(i), request).equals(values.get(i))) {
                return false;
            }
        }
        return true;
    }

    int bytes() {
        int sum = 0;
        for (int i = 0; i < names.size(); i++) {
            sum += names.get(i).length() + values.get(i).length() + 64;
        }
        return sum;
    }

    private static String value(String name, CacheRequest request) {
        String value =
                name.startsWith(COOKIE)
                        ? request.cookie(name.substring(COOKIE.length()))
                        : request.list(name);
        if (value == null) {
            return ABSENT;
        }
        return switch (name) {
            case "accept-encoding" -> codings(value);
            case "accept", "accept-language", "accept-charset" ->
                    noSpaces(value).toLowerCase(Locale.ROOT);
            default -> value;
        };
    }

    /** Codings are case-insensitive, and their order has no meaning (RFC 9110 12.5.3). */
    private static String codings(String value) {
        String[] all = noSpaces(value).toLowerCase(Locale.ROOT).split(",");
        var kept = new ArrayList<String>();
        for (String coding : all) {
            if (!coding.isEmpty()) {
                kept.add(coding.replaceFirst(";q=1(\\.0{0,3})?$", ""));
            }
        }
        String[] sorted = kept.toArray(String[]::new);
        Arrays.sort(sorted);
        return String.join(",", sorted);
    }

    /**
     * Whitespace around separators has no meaning in these headers, which have no quoted strings.
     */
    private static String noSpaces(String value) {
        return value.indexOf('"') >= 0 ? value : value.replace(" ", "").replace("\t", "");
    }
}
