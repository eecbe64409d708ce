// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

/**
 * Translates {@code Path} of {@code Set-Cookie} as {@link LocationRewrite} does, and removes a
 * {@code Domain} that is the server's host, which would be another's for the client (RFC 6265
 * 5.2.3). Immutable.
 */
record CookiePathRewrite(LocationRewrite paths) {

    /**
     * @param authority of the server's URL
     */
    String setCookie(String value, String authority) {
        String host = host(authority);
        var out = new StringBuilder(value.length() + 16);
        for (String attribute : value.split(";", -1)) {
            String trimmed = attribute.strip();
            if (!out.isEmpty()
                    && starts(trimmed, "domain=")
                    && isHost(trimmed.substring(7), host)) {
                continue;
            }
            boolean first = out.isEmpty();
            if (!first) {
                out.append(';');
            }
            if (!first && starts(trimmed, "path=/")) {
                int equals = attribute.indexOf('=');
                out.append(attribute, 0, equals + 1).append(paths.path(trimmed.substring(5)));
            } else {
                out.append(attribute);
            }
        }
        return out.toString();
    }

    private static boolean starts(String text, String lowerCase) {
        return text.regionMatches(true, 0, lowerCase, 0, lowerCase.length());
    }

    private static boolean isHost(String domain, String host) {
        String bare = domain.startsWith(".") ? domain.substring(1) : domain;
        return bare.equalsIgnoreCase(host);
    }

    private static String host(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    }
}
