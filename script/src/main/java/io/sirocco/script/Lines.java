// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Set;

/**
 * Requests and headers as they enter and leave a context: one string of lines, which costs less
 * than an object of many members. No line contains a line break. Any thread.
 */
final class Lines {
    private static final Set<String> FRAMING =
            Set.of(
                    "connection",
                    "content-length",
                    "keep-alive",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    /** Lines of a head before the headers. */
    private static final int FACTS = 8;

    /**
     * Characters of the headers of a message that a script sends, and of other parts of its head.
     */
    private static final int LONGEST = 128 << 10;

    private Lines() {}

    /** Returns the facts of a request, and its headers from the ninth line on. */
    static String head(Request request) {
        String target = request.target();
        int query = target.indexOf('?');
        var out = new StringBuilder(512);
        out.append(request.method()).append('\n').append(request.path()).append('\n');
        out.append(query < 0 ? "" : target.substring(query + 1)).append('\n');
        out.append(request.version()).append('\n').append(request.authority()).append('\n');
        out.append(request.scheme()).append('\n').append(address(request.remoteAddress()));
        out.append('\n').append(request.id());
        request.headers((name, value) -> out.append('\n').append(name).append('\n').append(value));
        return out.toString();
    }

    /** Returns a header of a {@link #head}: "" if it has none, and all values if it has several. */
    static String header(String head, String name) {
        String value = "";
        int at = 0;
        for (int i = 0; i < FACTS && at >= 0; i++) {
            at = next(head, at);
        }
        while (at >= 0) {
            int from = next(head, at); // of the value
            int end = head.indexOf('\n', from);
            if (from - 1 - at == name.length()
                    && head.regionMatches(true, at, name, 0, name.length())) {
                String one = head.substring(from, end < 0 ? head.length() : end);
                value = value.isEmpty() ? one : value + ", " + one;
            }
            at = end < 0 ? -1 : end + 1;
        }
        return value;
    }

    /** Returns where the next line begins, or -1. */
    private static int next(String lines, int from) {
        int end = lines.indexOf('\n', from);
        return end < 0 ? -1 : end + 1;
    }

    private static String address(SocketAddress address) {
        return address instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : "";
    }

    /**
     * Returns the target of a request that a script sends.
     *
     * @throws IllegalArgumentException if it is no path with visible characters of ASCII only, or
     *     too long
     */
    static String target(String path) {
        boolean valid = bounded("path", path).startsWith("/");
        for (int i = 0; valid && i < path.length(); i++) {
            valid = path.charAt(i) > ' ' && path.charAt(i) < 0x7f;
        }
        if (!valid) {
            throw new IllegalArgumentException("A script has set a malformed path.");
        }
        return path;
    }

    /**
     * Returns the method of a request that a script sends.
     *
     * @throws IllegalArgumentException if it is no token (RFC 9110 5.6.2), or too long
     */
    static String method(String name) {
        Headers.of(bounded("method", name), ""); // whose names are tokens, too
        return name;
    }

    /** Returns headers as lines of names and values. */
    static String of(Headers headers) {
        var out = new StringBuilder();
        headers.forEach(
                (name, value) ->
                        out.append(out.isEmpty() ? "" : "\n")
                                .append(name)
                                .append('\n')
                                .append(value));
        return out.toString();
    }

    /**
     * Returns headers from lines of names and values.
     *
     * @param all whether to keep those that the server sets
     * @throws IllegalArgumentException if a name or value is invalid, or they are too long
     */
    static Headers headers(String flat, boolean all) {
        if (flat.isEmpty()) {
            return Headers.none();
        }
        String[] lines = bounded("headers", flat).split("\n", -1);
        if (all) {
            return Headers.of(lines);
        }
        var kept = new ArrayList<String>(lines.length);
        for (int i = 0; i + 1 < lines.length; i += 2) {
            if (!FRAMING.contains(lines[i].toLowerCase(Locale.ROOT))) {
                kept.add(lines[i]);
                kept.add(lines[i + 1]);
            }
        }
        return Headers.of(kept.toArray(String[]::new));
    }

    /**
     * Returns a part of the head of a message.
     *
     * @throws IllegalArgumentException if it is too long
     */
    static String bounded(String part, String text) {
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "A script has set a part of a message ("
                            + part
                            + ") of more than "
                            + LONGEST
                            + " characters.");
        }
        return text;
    }
}
