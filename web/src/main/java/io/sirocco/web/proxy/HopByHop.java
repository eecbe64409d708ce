// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.HeaderNames;
import io.sirocco.http.Headers;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Headers that belong to one connection and are not forwarded (RFC 9110 7.6.1). Besides those that
 * {@code Connection} names they are a fixed set, since old peers do not name them. Any thread.
 */
final class HopByHop {
    /** The fixed set. {@code Content-Length} is in it, since it is set anew with the body. */
    static final HeaderNames NAMES =
            HeaderNames.of(
                    "Connection",
                    "Content-Length",
                    "HTTP2-Settings",
                    "Keep-Alive",
                    "Proxy-Authenticate",
                    "Proxy-Authentication-Info",
                    "Proxy-Authorization",
                    "Proxy-Connection",
                    "TE",
                    "Transfer-Encoding",
                    "Upgrade");

    private HopByHop() {}

    /** Returns whether {@code Connection} names a header. */
    static boolean names(Set<String> named, Headers headers, int i) {
        return !named.isEmpty() && named.contains(headers.name(i).toLowerCase(Locale.ROOT));
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
