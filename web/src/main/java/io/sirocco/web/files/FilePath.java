// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import java.io.File;

/**
 * Decides which paths may name a file. A path is read in two forms: as the client sent it, where an
 * encoded slash differs from a plain one, and decoded once, as names separated by {@code /}. A path
 * that passes is the only spelling of its file; links are the responsibility of {@link
 * io.sirocco.net.RootDirectory}. Any thread.
 */
final class FilePath {
    private static final boolean WINDOWS = File.separatorChar == '\\';
    private static final String WELL_KNOWN = ".well-known"; // RFC 8615

    private FilePath() {}

    /**
     * Returns whether a path as it was sent has no percent triplet that would become a separator or
     * the end of a name: {@code %2F}, {@code %5C} or {@code %00}. Such a path walks around routes:
     * {@code /admin%2Fx} is not below {@code /admin/*}.
     */
    static boolean honest(String sent) {
        for (int i = sent.indexOf('%'); i >= 0 && i + 2 < sent.length(); ) {
            char high = sent.charAt(i + 1);
            int low = sent.charAt(i + 2) | 0x20;
            if (high == '2' && low == 'f'
                    || high == '5' && low == 'c'
                    || high == '0' && low == '0') {
                return false;
            }
            i = sent.indexOf('%', i + 3);
        }
        return true;
    }

    /**
     * Returns whether all segments of a decoded path are names: none is empty (but for the last
     * one, which says that a directory is meant), {@code .} or {@code ..}, and no byte is a control
     * character, a backslash or none of UTF-8. Hidden names begin with a dot; those below {@code
     * .well-known} are not hidden by it.
     */
    static boolean plain(String path, boolean hidden) {
        int length = path.length();
        for (int i = 0; i < length; i++) {
            if (!plain(path.charAt(i))) {
                return false;
            }
        }
        for (int from = 0; from < length; ) {
            int slash = path.indexOf('/', from);
            int to = slash < 0 ? length : slash;
            if (to == from || path.charAt(from) == '.' && !dotted(path, from, to, hidden)) {
                return false;
            }
            if (WINDOWS && ". ".indexOf(path.charAt(to - 1)) >= 0) {
                return false; // would be dropped there: another name for the same file
            }
            from = to + 1;
        }
        return true;
    }

    private static boolean plain(char c) {
        return c >= ' ' && c != 0x7f && c != '\\' && c != '\uFFFD' && !(WINDOWS && c == ':');
    }

    private static boolean dotted(String path, int from, int to, boolean hidden) {
        boolean leadsElsewhere = to - from == 1 || to - from == 2 && path.charAt(from + 1) == '.';
        boolean wellKnown = from == 0 && path.startsWith(WELL_KNOWN) && to == WELL_KNOWN.length();
        return !leadsElsewhere && (hidden || wellKnown);
    }
}
