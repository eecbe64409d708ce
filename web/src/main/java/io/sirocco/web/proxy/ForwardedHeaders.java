// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Headers;
import io.sirocco.http.TrustedProxies.Field;
import io.sirocco.net.limit.Ip;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Set;

/**
 * Tells the server of the client: {@code X-Forwarded-For}, {@code -Proto} and {@code -Host}, or
 * {@code Forwarded} (RFC 7239). What a trusted proxy says is extended; what anybody else says of
 * this kind is dropped, since a client can forge it. Any thread.
 */
final class ForwardedHeaders {
    private static final Headers HTTP = Headers.of("X-Forwarded-Proto", "http");
    private static final Headers HTTPS = Headers.of("X-Forwarded-Proto", "https");

    private final boolean legacy;
    private final boolean standard;

    ForwardedHeaders(boolean legacy, boolean standard) {
        this.legacy = legacy;
        this.standard = standard;
    }

    /**
     * Returns whether a header of the request claims what these headers say, and so is not passed
     * on as it is. Servers that speak CGI do not tell {@code X_Forwarded_For} from {@code
     * X-Forwarded-For}.
     */
    static boolean claims(Headers headers, int i) {
        if (headers.isNamed(i, "Forwarded")) {
            return true;
        }
        String prefix = "X-Forwarded-";
        return headers.startsWith(i, "X")
                && headers.name(i).replace('_', '-').regionMatches(true, 0, prefix, 0, 12);
    }

    /** Adds the headers that a server gets. */
    void add(InboundRequest request, Headers.Builder to) {
        Set<Field> trusted = request.trustedHeaders;
        // The hop before us: the client itself, unless that is behind a proxy that we trust.
        SocketAddress hop = request.hop;
        if (legacy) {
            addLegacy(request, trusted, hop, to);
        }
        if (standard) {
            addStandard(request, trusted, hop, to);
        }
    }

    private static void addLegacy(
            InboundRequest request, Set<Field> trusted, SocketAddress hop, Headers.Builder to) {
        String chain = "";
        if (trusted.contains(Field.X_FORWARDED_FOR)) {
            chain = request.list("X-Forwarded-For");
        } else if (!trusted.isEmpty()) {
            chain = text(request.remoteAddress);
        }
        String last = text(hop);
        if (!last.isEmpty() && !(chain.equals(last) && !trusted.contains(Field.X_FORWARDED_FOR))) {
            chain = chain.isEmpty() ? last : chain + ", " + last;
        }
        if (!chain.isEmpty()) {
            to.add("X-Forwarded-For", chain);
        }
        to.add(request.isSecure() ? HTTPS : HTTP);
        if (!request.authority.isEmpty()) {
            to.add("X-Forwarded-Host", request.authority);
        }
    }

    private static void addStandard(
            InboundRequest request, Set<Field> trusted, SocketAddress hop, Headers.Builder to) {
        var elements = new StringBuilder();
        if (trusted.contains(Field.FORWARDED)) {
            elements.append(request.list("Forwarded"));
        } else if (!trusted.isEmpty() && !text(request.remoteAddress).equals(text(hop))) {
            elements.append("for=").append(node(request.remoteAddress));
        }
        if (!elements.isEmpty()) {
            elements.append(", ");
        }
        elements.append("for=").append(node(hop)).append(";proto=").append(request.scheme);
        if (!request.authority.isEmpty()) {
            elements.append(";host=").append(quoted(request.authority));
        }
        to.add("Forwarded", elements.toString());
    }

    /** Returns an address without its port; empty if it has no name, as of a Unix-domain socket. */
    private static String text(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet) || inet.isUnresolved()) {
            return "";
        }
        return Ip.text(inet.getAddress());
    }

    /** RFC 7239 6. */
    private static String node(SocketAddress address) {
        String text = text(address);
        if (text.isEmpty()) {
            return "unknown";
        }
        boolean six = ((InetSocketAddress) address).getAddress() instanceof Inet6Address;
        return six ? "\"[" + text + "]\"" : text;
    }

    /** Quotes all but letters, digits, dots and hyphens: others may separate what is forwarded. */
    private static String quoted(String authority) {
        for (int i = 0; i < authority.length(); i++) {
            char c = authority.charAt(i);
            boolean plain =
                    c >= 'a' && c <= 'z'
                            || c >= 'A' && c <= 'Z'
                            || c >= '0' && c <= '9'
                            || c == '.'
                            || c == '-';
            if (!plain) {
                return '"' + authority + '"'; // which has no quotation mark and no backslash
            }
        }
        return authority;
    }
}
