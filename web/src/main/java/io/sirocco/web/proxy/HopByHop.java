// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Headers that belong to one connection and are not forwarded (RFC 9110 7.6.1). Besides those that
 * {@code Connection} names they are a fixed set, since old peers do not name them. Any thread.
 */
final class HopByHop {
    private HopByHop() {}

    /**
     * Returns whether a header is one of the fixed set. {@code Content-Length} is, since it is set
     * anew with the body. Called for each header, and so without a copy in lower case.
     */
    static boolean has(String name) {
        return switch (name.length()) {
            case 2 -> name.equalsIgnoreCase("TE");
            case 7 -> name.equalsIgnoreCase("Upgrade");
            case 10 -> name.equalsIgnoreCase("Connection") || name.equalsIgnoreCase("Keep-Alive");
            case 14 ->
                    name.equalsIgnoreCase("Content-Length")
                            || name.equalsIgnoreCase("HTTP2-Settings");
            case 16 -> name.equalsIgnoreCase("Proxy-Connection");
            case 17 -> name.equalsIgnoreCase("Transfer-Encoding");
            case 18 -> name.equalsIgnoreCase("Proxy-Authenticate");
            case 19 -> name.equalsIgnoreCase("Proxy-Authorization");
            case 25 -> name.equalsIgnoreCase("Proxy-Authentication-Info");
            default -> false;
        };
    }

    /** Returns whether {@code Connection} names a header. */
    static boolean names(Set<String> named, String name) {
        return !named.isEmpty() && named.contains(name.toLowerCase(Locale.ROOT));
    }

    /** Returns the names in the values of {@code Connection}, in lower case. */
    static Set<String> named(String connection) {
        if (connection.isEmpty()
                || connection.equalsIgnoreCase("keep-alive")
                || connection.equalsIgnoreCase("close")) {
            return Set.of();
        }
        var names = new HashSet<String>();
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
