// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import java.util.Locale;
import java.util.Set;

/**
 * Headers that belong to one connection and are not forwarded (RFC 9110 7.6.1). Besides those that
 * {@code Connection} names they are a fixed set, since old peers do not name them. Any thread.
 */
final class HopByHop {
    /** In lower case. {@code Content-Length} is set anew with the body. */
    private static final Set<String> NAMES =
            Set.of(
                    "connection",
                    "content-length",
                    "http2-settings",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authentication-info",
                    "proxy-authorization",
                    "proxy-connection",
                    "te",
                    "transfer-encoding",
                    "upgrade");

    private HopByHop() {}

    /** Returns whether a header, in lower case, is one of the fixed set. */
    static boolean has(String lowerCase) {
        return switch (lowerCase.charAt(0)) { // most names begin otherwise
            case 'c', 'h', 'k', 'p', 't', 'u' -> NAMES.contains(lowerCase);
            default -> false;
        };
    }

    /** Returns the names in the values of {@code Connection}, in lower case. */
    static Set<String> named(String connection) {
        if (connection.isEmpty()
                || connection.equalsIgnoreCase("keep-alive")
                || connection.equalsIgnoreCase("close")) {
            return Set.of();
        }
        var names = new java.util.HashSet<String>();
        for (String option : connection.split(",")) {
            names.add(option.strip().toLowerCase(Locale.ROOT));
        }
        return names;
    }

    /** Returns whether a list of a header has a member, whose case does not matter. */
    static boolean lists(String values, String member) {
        for (String each : values.split(",")) {
            String name = each.strip();
            int end = name.indexOf(';');
            if ((end < 0 ? name : name.substring(0, end).strip()).equalsIgnoreCase(member)) {
                return true;
            }
        }
        return false;
    }
}
