// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Reads {@code ; name=value ; name="value"} behind a media type or a disposition (RFC 9110 5.6.6).
 * It takes what it can and never fails: a piece that is no parameter is skipped, the first of two
 * with one name wins, an unfinished quotation ends with the text. Any thread.
 */
public final class ParameterList {
    private final String text;
    private final boolean anyPair;
    private int at;

    private ParameterList(String text, int at, boolean anyPair) {
        this.text = text;
        this.at = at;
        this.anyPair = anyPair;
    }

    /**
     * Parameters by lower-case name.
     *
     * @param anyPair whether a backslash hides any character behind it (RFC 9110 5.6.4), or only a
     *     quotation mark and another backslash: old browsers send {@code filename="C:\a.txt"}
     */
    public static Map<String, String> parse(String text, int from, boolean anyPair) {
        return new ParameterList(text, from, anyPair).parse();
    }

    private Map<String, String> parse() {
        var found = new LinkedHashMap<String, String>();
        while (at < text.length()) {
            String name = Grammar.trim(until("=;")).toLowerCase(Locale.ROOT);
            if (at < text.length() && text.charAt(at) == '=') {
                at++;
                String value = value();
                if (Grammar.isToken(name)) {
                    found.putIfAbsent(name, value);
                }
            }
            until(";");
            at++;
        }
        return Collections.unmodifiableMap(found);
    }

    private String value() {
        int from = at;
        while (from < text.length() && Grammar.isBlank(text.charAt(from))) {
            from++;
        }
        if (from < text.length() && text.charAt(from) == '"') {
            at = from + 1;
            return quoted();
        }
        return Grammar.trim(until(";"));
    }

    private String quoted() {
        var value = new StringBuilder();
        while (at < text.length() && text.charAt(at) != '"') {
            if (text.charAt(at) == '\\' && at + 1 < text.length() && hides(text.charAt(at + 1))) {
                at++;
            }
            value.append(text.charAt(at++));
        }
        at++;
        return value.toString();
    }

    private boolean hides(char next) {
        return anyPair || next == '"' || next == '\\';
    }

    private String until(String ends) {
        int from = Math.min(at, text.length());
        at = from;
        while (at < text.length() && ends.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(from, at);
    }
}
