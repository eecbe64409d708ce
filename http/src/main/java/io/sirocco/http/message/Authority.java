// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.message;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@code uri-host [":" port]}, RFC 9110 7.2 and RFC 3986 3.2.2: a registered name or IPv4 address,
 * or an IPv6 address in brackets; no user information, no zone, no IPvFuture. Any thread.
 */
public final class Authority {
    private static final Pattern DOTTED = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

    private Authority() {}

    /** Returns whether the text is a host with or without a port. */
    public static boolean isValid(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return nameEnd(bytes, 0, bytes.length) >= 0;
    }

    /**
     * Returns the end of the host, where the port with its colon begins, or -1 if this is not an
     * authority.
     */
    public static int nameEnd(byte[] b, int from, int to) {
        int end = from < to && b[from] == '[' ? literal(b, from, to) : name(b, from, to);
        return end > from && (end == to || port(b, end, to)) ? end : -1;
    }

    /** Returns the port of {@code ":" *DIGIT}, or -1 if there are no digits. */
    static int portOf(byte[] b, int colon, int to) {
        if (to - colon < 2) {
            return -1;
        }
        int port = 0;
        for (int p = colon + 1; p < to; p++) {
            port = port * 10 + b[p] - '0';
        }
        return port;
    }

    private static boolean port(byte[] b, int colon, int to) {
        if (b[colon] != ':' || to - colon > 6) {
            return false;
        }
        int port = 0;
        for (int p = colon + 1; p < to; p++) {
            if (!Octets.digit(b[p])) {
                return false;
            }
            port = port * 10 + b[p] - '0';
        }
        return port <= 65535;
    }

    private static int name(byte[] b, int p, int to) {
        while (p < to) {
            if (Octets.NAME[b[p] & 0xFF]) {
                p++;
            } else if (b[p] == '%' && to - p > 2 && Octets.hex(b[p + 1]) && Octets.hex(b[p + 2])) {
                p += 3;
            } else {
                break;
            }
        }
        return p;
    }

    private static int literal(byte[] b, int from, int to) {
        int p = from + 1;
        while (p < to && b[p] != ']') {
            p++;
        }
        return p < to && ipv6(b, from + 1, p) ? p + 1 : -1;
    }

    /** Up to eight groups of up to four digits, one run of them left out, IPv4 for the last two. */
    private static boolean ipv6(byte[] b, int p, int to) {
        boolean gap = false;
        if (to - p >= 2 && b[p] == ':' && b[p + 1] == ':') {
            gap = true;
            p += 2;
        }
        int groups = 0;
        while (p < to) {
            int from = p;
            while (p < to && Octets.hex(b[p])) {
                p++;
            }
            if (p < to && b[p] == '.') {
                return ipv4(b, from, to) && enough(groups + 2, gap);
            }
            if (p == from || p - from > 4) {
                return false;
            }
            groups++;
            if (p == to) {
                return enough(groups, gap);
            }
            if (b[p++] != ':' || p == to) {
                return false;
            }
            if (b[p] == ':') {
                if (gap) {
                    return false;
                }
                gap = true;
                p++;
            }
        }
        return gap && enough(groups, true);
    }

    private static boolean enough(int groups, boolean gap) {
        return gap ? groups <= 7 : groups == 8;
    }

    /** Four numbers of 0 to 255 without leading zeros. */
    private static boolean ipv4(byte[] b, int p, int to) {
        for (int i = 0; i < 4; i++) {
            int from = p;
            int number = 0;
            while (p < to && p - from < 3 && Octets.digit(b[p])) {
                number = number * 10 + b[p++] - '0';
            }
            boolean zero = b[from] == '0' && p - from > 1;
            if (p == from || zero || number > 255) {
                return false;
            }
            if (i < 3 && (p == to || b[p++] != '.')) {
                return false;
            }
        }
        return p == to;
    }

    /**
     * Returns the address that a host of a URL is; empty if it is a name, which must be looked up.
     *
     * @throws IllegalArgumentException if it is written like an address and is none
     */
    public static Optional<InetAddress> literal(String host) {
        if (host.startsWith("[")) {
            boolean closed = host.endsWith("]");
            String bare = closed ? host.substring(1, host.length() - 1) : host;
            return Optional.of(InetAddress.ofLiteral(bare));
        }
        return DOTTED.matcher(host).matches()
                ? Optional.of(InetAddress.ofLiteral(host))
                : Optional.empty();
    }
}
