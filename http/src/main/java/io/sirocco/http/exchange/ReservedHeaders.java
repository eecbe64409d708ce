// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Headers;
import java.util.List;

/** The response headers that the server sets itself. */
final class ReservedHeaders {
    private static final List<String> NAMES =
            List.of(
                    "Connection",
                    "Content-Length",
                    "Keep-Alive",
                    "Transfer-Encoding",
                    "Upgrade",
                    "Trailer");

    private ReservedHeaders() {}

    /** Returns whether handlers cannot set this header. */
    static boolean has(String name) {
        // Few other names begin like one of these, so most need no lookup.
        return !name.isEmpty()
                && "cktuCKTU".indexOf(name.charAt(0)) >= 0
                && NAMES.stream().anyMatch(name::equalsIgnoreCase);
    }

    /**
     * Returns one of these headers that is present, {@code Trailer} last; null if there is none.
     */
    static String in(Headers headers) {
        for (int i = 0; i < NAMES.size(); i++) {
            if (headers.has(NAMES.get(i))) {
                return NAMES.get(i);
            }
        }
        return null;
    }

    /** Returns whether a handler's header of this name is sent in the place of the server's. */
    static boolean overridable(String name) {
        return name.equalsIgnoreCase("Date") || name.equalsIgnoreCase("Server");
    }

    /** Returns whether one of the headers is sent in the place of the server's. */
    static boolean overrides(Headers headers) {
        return headers.has("Date") || headers.has("Server");
    }
}
