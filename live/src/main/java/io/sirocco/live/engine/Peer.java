// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.Request;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who is at the other end, from its first request.
 *
 * @param address of the client
 * @param lines header fields as {@code Name: value} and a line feed, one string for the sake of
 *     memory
 */
public record Peer(String address, String lines) {
    private static final Set<String> LEFT_OUT =
            Set.of(
                    "connection",
                    "upgrade",
                    "sec-websocket-key",
                    "sec-websocket-version",
                    "sec-websocket-extensions");

    static Peer of(Request request, String address) {
        var lines = new StringBuilder(256);
        request.headers(
                (name, value) -> {
                    if (!LEFT_OUT.contains(name.toLowerCase(Locale.ROOT))) {
                        lines.append(name).append(": ").append(value).append('\n');
                    }
                });
        return new Peer(address, lines.toString());
    }

    /**
     * Returns this with some of its headers alone.
     *
     * @param longest the names in lower case, and how long a value may be at most
     */
    public Peer only(Map<String, Integer> longest) {
        var some = new StringBuilder(128);
        for (int at = 0; at < lines.length(); ) {
            int end = lines.indexOf('\n', at);
            int colon = lines.indexOf(": ", at);
            int most =
                    longest.getOrDefault(lines.substring(at, colon).toLowerCase(Locale.ROOT), -1);
            if (end - colon - 2 <= most) {
                some.append(lines, at, end + 1);
            }
            at = end + 1;
        }
        return new Peer(address, some.isEmpty() ? "" : some.toString());
    }

    /** Returns how many bytes of memory the headers take, roughly. */
    int size() {
        return lines.length();
    }

    /** The first header field of this name. */
    public Optional<String> header(String name) {
        String wanted = name + ": ";
        for (int at = 0; at < lines.length(); ) {
            int end = lines.indexOf('\n', at);
            if (lines.regionMatches(true, at, wanted, 0, wanted.length())) {
                return Optional.of(lines.substring(at + wanted.length(), end));
            }
            at = end + 1;
        }
        return Optional.empty();
    }
}
