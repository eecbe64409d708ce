// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.http.Routes;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The path pattern of a route. Immutable.
 *
 * @param parameters its names; "*" for a wildcard
 * @param segments split at its slashes; every parameter is "{}", and the last one may be "*" or a
 *     suffix such as "*.php"
 */
record RoutePath(String text, Set<String> parameters, List<String> segments) {
    private static final String PARAMETER = "{}";
    private static final String REST = "*";

    /**
     * Orders by precedence, as the router does: literals, then parameters, then suffixes, the
     * longest first, then wildcards.
     */
    static final Comparator<RoutePath> MOST_SPECIFIC =
            (a, b) -> {
                int shared = Math.min(a.segments.size(), b.segments.size());
                for (int i = 0; i < shared; i++) {
                    String mine = a.segments.get(i);
                    String theirs = b.segments.get(i);
                    int order = Integer.compare(rank(mine), rank(theirs));
                    if (order == 0 && isSuffix(mine)) {
                        order = Integer.compare(theirs.length(), mine.length());
                    }
                    if (order != 0) return order;
                }
                return Integer.compare(b.segments.size(), a.segments.size());
            };

    /** Parses a pattern by the rules of the router. */
    static RoutePath parse(String text) {
        try {
            List<String> names = Routes.parameters(text);
            List<String> segments =
                    List.of(text.substring(1).split("/", -1)).stream()
                            .map(segment -> segment.startsWith("{") ? PARAMETER : segment)
                            .toList();
            return new RoutePath(text, new LinkedHashSet<>(names), segments);
        } catch (IllegalArgumentException e) {
            throw Texts.refused(text, e);
        }
    }

    /** Returns whether this pattern matches a decoded path that is split at its slashes. */
    boolean matches(String[] path) {
        for (int i = 0; i < segments.size(); i++) {
            String expected = segments.get(i);
            if (i >= path.length) return false;
            if (expected.equals(REST)) return true;
            if (isSuffix(expected)) return rest(path, i).endsWith(expected.substring(1));
            boolean fits =
                    expected.equals(PARAMETER) ? !path[i].isEmpty() : expected.equals(path[i]);
            if (!fits) return false;
        }
        return segments.size() == path.length;
    }

    /**
     * Returns whether this pattern matches everything that another one matches, and they differ.
     */
    boolean covers(RoutePath other) {
        for (int i = 0; i < segments.size(); i++) {
            if (i >= other.segments.size()) return false;
            String theirs = other.segments.get(i);
            switch (segments.get(i)) {
                case REST -> {
                    return !segments.equals(other.segments);
                }
                case PARAMETER -> {
                    if (theirs.isEmpty() || theirs.startsWith(REST)) return false;
                }
                case String suffix when isSuffix(suffix) -> {
                    String last = other.segments.getLast();
                    return !last.equals(PARAMETER)
                            && last.endsWith(suffix.substring(1))
                            && !segments.equals(other.segments);
                }
                case String literal -> {
                    if (!literal.equals(theirs)) return false;
                }
            }
        }
        return segments.size() == other.segments.size() && !segments.equals(other.segments);
    }

    @Override
    public String toString() {
        return text;
    }

    /** Returns a path from a segment on. */
    private static String rest(String[] path, int from) {
        return String.join("/", List.of(path).subList(from, path.length));
    }

    private static boolean isSuffix(String segment) {
        return segment.length() > 1 && segment.startsWith(REST);
    }

    private static int rank(String segment) {
        if (isSuffix(segment)) return 2;
        return switch (segment) {
            case REST -> 3;
            case PARAMETER -> 1;
            default -> 0;
        };
    }
}
