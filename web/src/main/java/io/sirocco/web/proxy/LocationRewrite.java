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
     * @param authority of the server's URL
     * @param host that the server was sent
     */
    String location(String value, String authority, String host) {
        int from = 0;
        int scheme = value.indexOf("://");
        if (scheme > 0 && isHttp(value.substring(0, scheme)) || value.startsWith("//")) {
            int begin = value.startsWith("//") ? 2 : scheme + 3;
            int end = end(value, begin);
            String named = value.substring(begin, end);
            if (!named.equalsIgnoreCase(authority) && !named.equalsIgnoreCase(host)) {
                return value;
            }
            from = end;
            if (from == value.length() || value.charAt(from) != '/') {
                return rooted(path("/")) + value.substring(from);
            }
        } else if (!value.startsWith("/")) {
            return value; // relative to the path, or another scheme
        }
        String rest = value.substring(from);
        int end = rest.length();
        for (int i = 0; i < rest.length(); i++) {
            if (rest.charAt(i) == '?' || rest.charAt(i) == '#') {
                end = i;
                break;
            }
        }
        return rooted(path(rest.substring(0, end))) + rest.substring(end);
    }

    /**
     * Returns a path in a form that names no host: what is behind two slashes does (RFC 3986 4.2).
     */
    private static String rooted(String path) {
        boolean namesHost = path.startsWith("//") || path.startsWith("/\\"); // as browsers read it
        return namesHost ? "/." + path : path;
    }

    private static boolean isHttp(String scheme) {
        return scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https");
    }

    private static int end(String value, int from) {
        for (int i = from; i < value.length(); i++) {
            if ("/?#".indexOf(value.charAt(i)) >= 0) {
                return i;
            }
        }
        return value.length();
    }

    /** Returns a path of the server as one of the route. */
    String path(String path) {
        if (!begins(path, prefix)) {
            return path;
        }
        String rest = path.substring(prefix.length());
        return strip + (rest.isEmpty() && strip.isEmpty() ? "/" : rest);
    }

    /** Returns whether a path begins with these segments, all of them. */
    static boolean begins(String path, String segments) {
        return path.startsWith(segments)
                && (path.length() == segments.length() || path.charAt(segments.length()) == '/');
    }
}
