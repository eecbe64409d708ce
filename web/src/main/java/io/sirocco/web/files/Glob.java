// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

/**
 * A pattern of names: {@code *} stands for any characters, {@code ?} for one. With a slash in it it
 * is compared with the whole path, which begins with a slash; without one with the last name.
 * Immutable.
 */
record Glob(String pattern) {

    /** Compares with a path from the root on, without its first slash. */
    boolean matches(String path) {
        return pattern.indexOf('/') >= 0
                ? matches(pattern, "/" + path)
                : matches(pattern, path.substring(path.lastIndexOf('/') + 1));
    }

    /** Comes back to the last star only, so its cost is the product of both lengths at most. */
    private static boolean matches(String pattern, String text) {
        int p = 0;
        int t = 0;
        int star = -1;
        int resume = 0;
        while (t < text.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resume = t;
            } else if (p < pattern.length() && fits(pattern.charAt(p), text.charAt(t))) {
                p++;
                t++;
            } else if (star >= 0) {
                p = star + 1;
                t = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }

    private static boolean fits(char pattern, char text) {
        return pattern == '?' || pattern == text;
    }
}
