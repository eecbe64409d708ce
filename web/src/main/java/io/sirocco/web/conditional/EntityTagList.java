// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.conditional;

/**
 * Lists of entity tags as clients send them in {@code If-Match} and {@code If-None-Match}. Any
 * thread.
 */
public final class EntityTagList {
    private EntityTagList() {}

    /**
     * Returns whether a list, or {@code *}, contains this strong tag. A weak one in the list counts
     * if {@code weakly} is set (RFC 9110 8.8.3.2). Nothing after a malformed tag counts.
     */
    public static boolean contains(String list, String tag, boolean weakly) {
        if (list.equals(tag) || list.equals("*")) {
            return true;
        }
        for (int at = 0, end; at < list.length(); at = end + 1) {
            char c = list.charAt(at);
            if (c == ' ' || c == '\t' || c == ',') {
                end = at;
                continue;
            }
            boolean weak = list.startsWith("W/", at);
            int from = weak ? at + 2 : at;
            if (from >= list.length() || list.charAt(from) != '"') {
                return false;
            }
            end = list.indexOf('"', from + 1);
            if (end < 0) {
                return false;
            }
            boolean same =
                    end + 1 - from == tag.length()
                            && list.regionMatches(from, tag, 0, tag.length());
            if (same && (weakly || !weak)) {
                return true;
            }
        }
        return false;
    }
}
