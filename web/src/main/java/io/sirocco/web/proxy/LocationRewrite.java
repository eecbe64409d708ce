// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

/**
 * Translates references of a server to the paths of the route: the reverse of {@code strip} and
 * {@code prefix}. Immutable.
 *
 * @param strip the beginning of the route's paths; empty for none
 * @param prefix the beginning of the server's paths; empty for none
 */
record LocationRewrite(String strip, String prefix) {

    /**
     * Returns a value of {@code Location} or {@code Content-Location} for the client. A reference
     * to the server, or to the host that it was told, becomes a path of the route; a path below the
     * prefix, too. Others are unchanged.
     *
     * <p>References are read as browsers do (WHATWG URL 4.4): a backslash is a slash, a tab is
     * nothing, and what is before an {@code @} is not the host. But a reference that names another
     * host only because of a backslash becomes a path, which it is by RFC 3986.
     *
     * @param authority of the server's URL
     * @param host that the server was sent
     */
    String location(String value, String authority, String host) {
        String reference = value.replace("\t", "");
        int scheme = Math.max(reference.indexOf(':'), 0);
        if (!isHttp(reference.substring(0, scheme))) {
            scheme = -1;
        }
        int from = scheme + 1;
        int begin = from;
        while (begin < reference.length() && isSlash(reference.charAt(begin))) {
            begin++;
        }
        if (scheme >= 0 ? begin - from < 2 : begin == 0) {
            return value; // relative to the path, or another scheme
        }
        if (begin - from >= 2) {
            int end = endOf("/\\?#", reference, begin);
            String named = reference.substring(begin, end);
            named = named.substring(named.lastIndexOf('@') + 1);
            if (named.equalsIgnoreCase(authority) || named.equalsIgnoreCase(host)) {
                from = end;
            } else if (scheme >= 0 || reference.startsWith("//")) {
                return value;
            }
        }
        int end = endOf("?#", reference, from);
        String path = reference.substring(from, end).replace('\\', '/');
        return rooted(path(path.isEmpty() ? "/" : path)) + reference.substring(end);
    }

    /**
     * Returns a path in a form that names no host: what is behind two slashes does (RFC 3986 4.2).
     */
    private static String rooted(String path) {
        return path.startsWith("//") ? "/." + path : path;
    }

    private static boolean isSlash(char c) {
        return c == '/' || c == '\\';
    }

    private static boolean isHttp(String scheme) {
        return scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https");
    }

    private static int endOf(String delimiters, String value, int from) {
        for (int i = from; i < value.length(); i++) {
            if (delimiters.indexOf(value.charAt(i)) >= 0) {
                return i;
            }
        }
        return value.length();
    }

    /** Returns a path of the server as one of the route. */
    String path(String path) {
        int end = endOfSegments(path, prefix);
        if (end < 0) {
            return path;
        }
        String rest = path.substring(end);
        return strip + (rest.isEmpty() && strip.isEmpty() ? "/" : rest);
    }

    /**
     * Returns where these segments end at the beginning of a path, all of them; -1 if it begins
     * otherwise. As for routes, an encoded letter is that letter, and {@code %2F} separates nothing
     * (RFC 3986 6.2.2.2).
     */
    static int endOfSegments(String path, String segments) {
        int at = 0;
        for (int i = 0; i < segments.length(); i += width(segments, i)) {
            if (at >= path.length() || character(path, at) != character(segments, i)) {
                return -1;
            }
            at += width(path, at);
        }
        return at == path.length() || path.charAt(at) == '/' ? at : -1;
    }

    /** Returns what stands at a place of a path; for an encoded slash none that a path may have. */
    private static int character(String path, int at) {
        if (width(path, at) == 1) {
            return path.charAt(at);
        }
        int octet = Integer.parseInt(path, at + 1, at + 3, 16);
        return octet == '/' ? -1 : octet;
    }

    private static int width(String path, int at) {
        return path.charAt(at) == '%'
                        && at + 2 < path.length()
                        && Character.digit(path.charAt(at + 1), 16) >= 0
                        && Character.digit(path.charAt(at + 2), 16) >= 0
                ? 3
                : 1;
    }
}
