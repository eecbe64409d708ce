// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import java.util.Set;
import java.util.TreeSet;

/** The response headers that the server sets itself. */
final class ReservedHeaders {
    private static final Set<String> NAMES = names();

    private ReservedHeaders() {}

    private static Set<String> names() {
        var names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(
                Set.of(
                        "Connection",
                        "Content-Length",
                        "Keep-Alive",
                        "Trailer",
                        "Transfer-Encoding",
                        "Upgrade"));
        return names;
    }

    /** Returns whether handlers cannot set this header. */
    static boolean has(String name) {
        // Few other names begin like one of these, so most need no lookup.
        return !name.isEmpty() && "cktuCKTU".indexOf(name.charAt(0)) >= 0 && NAMES.contains(name);
    }

    /** Returns whether a handler's header of this name is sent in the place of the server's. */
    static boolean overridable(String name) {
        return name.equalsIgnoreCase("Date") || name.equalsIgnoreCase("Server");
    }
}
