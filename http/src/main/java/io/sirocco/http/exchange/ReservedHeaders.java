// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.HeaderNames;
import io.sirocco.http.Headers;

/** The response headers that the server sets itself. */
final class ReservedHeaders {
    private static final HeaderNames FRAMING =
            HeaderNames.of(
                    "Connection", "Content-Length", "Keep-Alive", "Transfer-Encoding", "Upgrade");
    private static final HeaderNames OVERRIDABLE = HeaderNames.of("Date", "Server");

    private ReservedHeaders() {}

    /** Returns whether handlers cannot set this header. */
    static boolean has(String name) {
        return FRAMING.contains(name) || name.equalsIgnoreCase("Trailer");
    }

    /** Returns a header that describes the connection; null if there is none. */
    static String framing(Headers headers) {
        int at = FRAMING.first(headers);
        return at < 0 ? null : headers.name(at);
    }

    /** Returns whether a handler's header of this name is sent in the place of the server's. */
    static boolean overridable(String name) {
        return OVERRIDABLE.contains(name);
    }

    /** Returns whether one of the headers is sent in the place of the server's. */
    static boolean overrides(Headers headers) {
        return OVERRIDABLE.first(headers) >= 0;
    }
}
