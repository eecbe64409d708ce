// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Whose pages may connect: those of our own host, and those that were named (RFC 6455 10.2, and
 * CORS for long polling). What sends no {@code Origin} is no browser. Immutable.
 */
record Origins(Optional<List<String>> named) {

    boolean admit(Request request) {
        Optional<String> origin = request.header("Origin").map(o -> o.toLowerCase(Locale.ROOT));
        return origin.isEmpty()
                || named.isEmpty()
                || named.get().contains(origin.get())
                || ofOurHost(origin.get(), request);
    }

    /** The scheme is left aside, since a proxy before us may have spoken TLS. */
    private static boolean ofOurHost(String origin, Request request) {
        int host = origin.indexOf("://") + 3;
        if (host < 3) {
            return false;
        }
        String port = origin.startsWith("https:") ? ":443" : ":80";
        String asked = request.authority().toLowerCase(Locale.ROOT);
        return without(port, origin.substring(host)).equals(without(port, asked));
    }

    private static String without(String port, String authority) {
        return authority.endsWith(port)
                ? authority.substring(0, authority.length() - port.length())
                : authority;
    }

    /** Tells the browser that the page may read the answer. */
    static Response allow(Response response, Optional<String> origin) {
        if (origin.isEmpty()) {
            return response;
        }
        return response.setHeader("Access-Control-Allow-Origin", origin.get())
                .setHeader("Access-Control-Allow-Credentials", "true")
                .setHeader("Vary", "Origin");
    }

    /** Answers a preflight. */
    static Response preflight(Request request) {
        Response answer =
                Response.empty(204)
                        .header("Access-Control-Allow-Methods", "GET, POST")
                        .header("Access-Control-Max-Age", "600");
        Optional<String> fields = request.headerList("Access-Control-Request-Headers");
        return fields.isEmpty()
                ? answer
                : answer.header("Access-Control-Allow-Headers", fields.get());
    }
}
