// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Request;
import java.util.regex.Pattern;

/**
 * The parts of what a client asked for, as sent, that an address elsewhere is put together from.
 */
final class RequestUrl {
    private static final Pattern HOST =
            Pattern.compile("(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::\\d{1,5})?");

    private RequestUrl() {}

    /** What stands behind the question mark; empty when there is none. */
    static String query(Request request) {
        String target = request.target();
        int mark = target.indexOf('?');
        return mark < 0 ? "" : target.substring(mark + 1);
    }

    /** Path and query. */
    static String pathAndQuery(Request request) {
        String query = query(request);
        String path = request.path().isEmpty() ? "/" : request.path();
        return query.isEmpty() ? path : path + '?' + query;
    }

    /** The port that was asked for with its colon; empty when none was named. */
    static String port(Request request) {
        String host = request.authority();
        int colon = host.lastIndexOf(':');
        return colon > host.lastIndexOf(']') && colon < host.length() - 1
                ? host.substring(colon)
                : "";
    }

    /** Whether a text is a host, perhaps with a port. */
    static boolean isHost(String text) {
        return HOST.matcher(text).matches();
    }
}
