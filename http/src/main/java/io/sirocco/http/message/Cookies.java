// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses the {@code Cookie} header. Any thread. */
public final class Cookies {
    private Cookies() {}

    /**
     * Returns the names and values of all {@code Cookie} headers, in order: HTTP/2 allows several,
     * and front ends pass them on (RFC 9113 8.2.3). Parsing is lenient, because other applications
     * of the same site can set cookies (RFC 6265 5.4): a pair without a name or {@code =} is
     * skipped, quotes around a value are removed, and the first cookie of a name wins, which has
     * the longest path. Values are not decoded.
     */
    public static Map<String, String> parse(List<String> fields) {
        var cookies = new LinkedHashMap<String, String>();
        for (String field : fields) {
            parse(field, cookies);
        }
        return Collections.unmodifiableMap(cookies);
    }

    private static void parse(String field, Map<String, String> cookies) {
        for (int from = 0; from < field.length(); ) {
            int semicolon = field.indexOf(';', from);
            int end = semicolon < 0 ? field.length() : semicolon;
            int equals = field.indexOf('=', from, end);
            if (equals >= 0) {
                String name = Grammar.trim(field.substring(from, equals));
                if (!name.isEmpty()) {
                    cookies.putIfAbsent(name, value(field.substring(equals + 1, end)));
                }
            }
            from = end + 1;
        }
    }

    private static String value(String raw) {
        String value = Grammar.trim(raw);
        boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
    }
}
