// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Origins of web pages (RFC 6454 6.2): which pages may open a WebSocket or read a response. One is
 * {@code https://app.example.org}, with the port unless it is the default of the scheme; {@code
 * https://*.example.org} stands for all hosts below that one; {@code null} for sandboxed pages and
 * those of files, which any page can become; {@code file://} for apps that send that. Upper and
 * lower case are the same. Immutable.
 */
public final class Origins {
    /** No origin at all. */
    public static final Origins NONE = new Origins(Set.of(), List.of());

    /**
     * Possessive: to backtrack over thousands of labels that a client sends overflows the stack.
     */
    private static final String HOST = "[a-z0-9_-]++(?:\\.[a-z0-9_-]++)*+";

    private static final Pattern ORIGIN =
            Pattern.compile(
                    "([a-z][a-z0-9+.-]*://)(?:(\\*\\.)?"
                            + HOST
                            + "|\\[[0-9a-f:.]+])(?::(\\d{1,5}))?");
    private static final Pattern LABELS = Pattern.compile(HOST);

    private final Set<String> exact;
    private final List<Subdomains> patterns;

    /** All hosts below one: {@code https://}, labels, {@code .example.org}. */
    private record Subdomains(String before, String after) {
        boolean contains(String origin) {
            int end = origin.length() - after.length();
            return end > before.length()
                    && origin.startsWith(before)
                    && origin.endsWith(after)
                    && LABELS.matcher(origin).region(before.length(), end).matches();
        }
    }

    private Origins(Set<String> exact, List<Subdomains> patterns) {
        this.exact = exact;
        this.patterns = patterns;
    }

    /**
     * Returns a set of origins.
     *
     * @throws IllegalArgumentException if one is not an origin, with what to write instead
     */
    public static Origins of(List<String> origins) {
        var exact = new HashSet<String>();
        var patterns = new ArrayList<Subdomains>();
        for (String text : origins) {
            String origin = normalize(text);
            Matcher m = ORIGIN.matcher(origin);
            if (origin.equals("null") || origin.equals("file://")) {
                exact.add(origin);
            } else if (!m.matches()
                    || m.group(3) != null && Integer.parseInt(m.group(3)) > 65_535) {
                throw new IllegalArgumentException(
                        "'"
                                + text
                                + "' is not an origin. Write the scheme, the host and the port"
                                + " without a path, as in https://app.example.org or"
                                + " http://localhost:3000, or https://*.example.org for all hosts"
                                + " below one.");
            } else if (m.group(2) == null) {
                exact.add(origin);
            } else {
                patterns.add(new Subdomains(m.group(1), origin.substring(m.end(2) - 1)));
            }
        }
        return new Origins(Set.copyOf(exact), List.copyOf(patterns));
    }

    /** Returns whether the value of an {@code Origin} header is among them. */
    public boolean contains(String origin) {
        String normalized = normalize(origin);
        return exact.contains(normalized)
                || patterns.stream().anyMatch(each -> each.contains(normalized));
    }

    /**
     * Returns whether the page that sent a request may have its response: if its origin is among
     * these or has the host and port of the request, or if there is no {@code Origin}, which means
     * that the client is not a browser (RFC 6455 10.2). The scheme may differ from that of the
     * request, because a proxy may have terminated TLS.
     */
    public boolean admits(Request request) {
        List<String> sent = new ArrayList<>(1);
        request.headers(
                (name, value) -> {
                    if (name.equalsIgnoreCase("Origin")) {
                        sent.add(value);
                    }
                });
        return sent.isEmpty()
                || sent.size() == 1
                        && (contains(sent.getFirst()) || isOfHost(sent.getFirst(), request));
    }

    private static boolean isOfHost(String origin, Request request) {
        int host = origin.indexOf("://") + 3;
        if (host < 3 || host == origin.length()) {
            return false;
        }
        String scheme = origin.substring(0, host);
        return normalize(origin).equals(normalize(scheme + request.authority()));
    }

    /** In lower case and without the default port, as browsers send it. */
    private static String normalize(String origin) {
        String lower = origin.toLowerCase(Locale.ROOT);
        Optional<String> port =
                lower.startsWith("https://")
                        ? Optional.of(":443")
                        : lower.startsWith("http://") ? Optional.of(":80") : Optional.empty();
        return port.filter(lower::endsWith)
                .map(each -> lower.substring(0, lower.length() - each.length()))
                .orElse(lower);
    }
}
