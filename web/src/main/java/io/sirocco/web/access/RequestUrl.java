// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.http.Request;
import java.util.regex.Pattern;

/**
 * The parts of the requested URL, as the client sent them, from which the URL of a redirect is
 * made. Any thread.
 */
final class RequestUrl {
    private static final Pattern HOST =
            Pattern.compile("(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::\\d{1,5})?");

    private RequestUrl() {}

    /** Returns the query without its question mark; empty if there is none. */
    static String query(Request request) {
        String target = request.target();
        int mark = target.indexOf('?');
        return mark < 0 ? "" : target.substring(mark + 1);
    }

    /** Returns the path and the query. */
    static String pathAndQuery(Request request) {
        String query = query(request);
        String path = request.path().isEmpty() ? "/" : request.path();
        return query.isEmpty() ? path : path + '?' + query;
    }

    /** Returns the requested port with its colon; empty if the request names none. */
    static String port(Request request) {
        String host = request.authority();
        int colon = host.lastIndexOf(':');
        return colon > host.lastIndexOf(']') && colon < host.length() - 1
                ? host.substring(colon)
                : "";
    }

    /** Returns whether a string is a host, with or without a port. */
    static boolean isHost(String text) {
        return HOST.matcher(text).matches();
    }
}
