// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

/**
 * Finds segments that a server may resolve (RFC 3986 5.2.4), so that it serves another path than
 * the one that was routed: {@code .} and {@code ..}, also percent-encoded, behind an encoded slash
 * or a backslash, or with parameters behind a semicolon. Any thread.
 */
final class DotSegments {
    private DotSegments() {}

    static boolean in(String path) {
        if (path.indexOf('.') < 0 && path.indexOf('%') < 0) {
            return false; // nearly all that have none
        }
        int dots = 0; // of the segment, which had nothing else so far; -1 when it had
        for (int i = 0; i < path.length(); i++) {
            int c = path.charAt(i);
            if (c == '%' && i + 2 < path.length()) {
                c =
                        Character.digit(path.charAt(i + 1), 16) * 16
                                + Character.digit(path.charAt(i + 2), 16);
                i += 2;
            }
            if (c == '/' || c == '\\') {
                if (dots == 1 || dots == 2) {
                    return true;
                }
                dots = 0;
            } else if (c == ';' && (dots == 1 || dots == 2)) {
                return true;
            } else if (c == '.' && dots >= 0) {
                dots++;
            } else {
                dots = -1;
            }
        }
        return dots == 1 || dots == 2;
    }
}
