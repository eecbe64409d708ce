// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.Request;
import java.util.List;
import java.util.function.Function;

/**
 * A header that a proxy sets, or removes if the value is empty. Immutable.
 *
 * @param name of the header
 * @param value if it is the same for all requests; else null
 * @param variable returns the value for a request; null if that is constant
 */
record HeaderRule(String name, String value, Function<Request, String> variable) {
    static HeaderRule of(String name, String value) {
        return new HeaderRule(name, value, null);
    }

    /** Returns whether one of the rules depends on the request. */
    static boolean anyVariable(List<HeaderRule> rules) {
        return rules.stream().anyMatch(rule -> rule.variable != null);
    }

    /** Returns the rules with their values for a request. */
    static List<HeaderRule> resolved(List<HeaderRule> rules, Request request) {
        return rules.stream().map(rule -> rule.resolved(request)).toList();
    }

    /** Returns this rule with its value for a request. */
    HeaderRule resolved(Request request) {
        return variable == null ? this : of(name, visible(variable.apply(request)));
    }

    /**
     * Returns {@code text} as the value of a header: strips it, and percent-encodes characters that
     * are neither visible ASCII nor spaces.
     */
    static String visible(String text) {
        String value = text.strip();
        if (value.chars().allMatch(HeaderRule::isVisible)) {
            return value;
        }
        var all = new StringBuilder();
        for (byte b : value.getBytes(UTF_8)) {
            if (isVisible(b)) {
                all.append((char) b);
            } else {
                all.append('%').append("%02X".formatted(b));
            }
        }
        return all.toString();
    }

    private static boolean isVisible(int c) {
        return c >= ' ' && c < 0x7f;
    }
}
