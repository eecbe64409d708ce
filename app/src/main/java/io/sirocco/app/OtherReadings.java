// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.http.Percent;
import java.util.ArrayList;
import java.util.List;

/**
 * Other paths that a server may read a request path as, so that it serves what another route
 * protects: it may decode {@code %2F}, take a backslash for a slash, merge slashes, drop parameters
 * behind a semicolon, end a path at NUL, or find a script in the middle of it ({@code /a.php/x}).
 * Any thread.
 */
final class OtherReadings {
    private OtherReadings() {}

    /** Returns the decoded paths; for most requests there are none. */
    static List<String> of(String path) {
        int firstDot = path.indexOf('.');
        boolean script = firstDot >= 0 && path.indexOf('/', firstDot) >= 0;
        if (!script
                && path.indexOf('%') < 0
                && path.indexOf('\\') < 0
                && path.indexOf(';') < 0
                && !path.contains("//")) {
            return List.of();
        }
        var all = new ArrayList<String>(2);
        String plain = plain(path);
        all.add(plain);
        int from = plain.indexOf('.');
        for (int end = plain.indexOf('/', from); from >= 0 && end >= 0; ) {
            all.add(plain.substring(0, end));
            from = plain.indexOf('.', end);
            end = plain.indexOf('/', Math.max(from, end + 1));
        }
        return all;
    }

    private static String plain(String path) {
        String decoded = Percent.decode(path).replace('\\', '/');
        int nul = decoded.indexOf('\0');
        String text = nul < 0 ? decoded : decoded.substring(0, nul);
        var plain = new StringBuilder(text.length());
        boolean parameter = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            parameter = c == ';' || parameter && c != '/';
            boolean again = c == '/' && !plain.isEmpty() && plain.charAt(plain.length() - 1) == '/';
            if (!parameter && !again) {
                plain.append(c);
            }
        }
        return plain.isEmpty() || plain.charAt(0) != '/' ? "/" + plain : plain.toString();
    }
}
