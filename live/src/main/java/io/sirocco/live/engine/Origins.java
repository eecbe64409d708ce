// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Whose pages may connect: those of our own host, and those that were named (RFC 6455 10.2, and
 * CORS for long polling), where {@code https://*.example.org} is any host below that one. What
 * sends no {@code Origin} is no browser. Immutable.
 */
public record Origins(Optional<List<String>> named) {
    private static final Pattern NAMED =
            Pattern.compile(
                    "null|file://"
                            + "|[a-z][a-z0-9+.-]*://((\\*\\.)?[a-z0-9._-]+|\\[[0-9a-f:.]+])(:\\d{1,5})?");
    private static final Pattern LABELS = Pattern.compile("[a-z0-9_-]+(\\.[a-z0-9_-]+)*");

    /**
     * Returns an origin as browsers send it, or a pattern of some, in lower case and without the
     * default port.
     *
     * @throws IllegalArgumentException when no page can have it
     */
    public static String named(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (!NAMED.matcher(lower).matches()) {
            throw new IllegalArgumentException(
                    "'"
                            + text
                            + "' is no origin: write scheme, host and port without a path, such as"
                            + " https://app.example.org, or https://*.example.org for all below it;"
                            + " null for sandboxed pages, file:// for apps that send that.");
        }
        return without(port(lower), lower);
    }

    boolean admit(Request request) {
        Optional<String> origin = request.header("Origin").map(o -> o.toLowerCase(Locale.ROOT));
        return origin.isEmpty()
                || named.isEmpty()
                || named.get().stream().anyMatch(each -> names(each, origin.get()))
                || ofOurHost(origin.get(), request);
    }

    private static boolean names(String named, String origin) {
        int star = named.indexOf('*');
        if (star < 0) {
            return named.equals(origin);
        }
        int behind = origin.length() - (named.length() - star - 1);
        return behind > star
                && origin.startsWith(named.substring(0, star))
                && origin.endsWith(named.substring(star + 1))
                && LABELS.matcher(origin).region(star, behind).matches();
    }

    private static String port(String origin) {
        return origin.startsWith("https:") ? ":443" : ":80";
    }

    /** The scheme is left aside, since a proxy before us may have spoken TLS. */
    private static boolean ofOurHost(String origin, Request request) {
        int host = origin.indexOf("://") + 3;
        if (host < 3) {
            return false;
        }
        String port = port(origin);
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
