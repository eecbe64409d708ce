// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.http.Request;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The requests that a route is for. Immutable.
 *
 * @param path the pattern, as {@link io.sirocco.http.Routes} takes it
 * @param methods empty for all
 * @param headers those that a request must have, by their names in lower case, with the values of
 *     which it needs one; an empty list for any value
 */
public record RouteMatch(String path, List<String> methods, Map<String, List<String>> headers) {
    private static final String PRESENT = "*";

    /** Orders routes of one path and method: more headers, then more headers with values. */
    private static final Comparator<RouteMatch> MOST_HEADERS =
            (a, b) -> {
                int order = Integer.compare(b.headers.size(), a.headers.size());
                return order != 0 ? order : Integer.compare(b.exact(), a.exact());
            };

    /** Orders by precedence, as the router does, but for the method. */
    static final Comparator<RouteMatch> MOST_SPECIFIC =
            (a, b) -> {
                int order = RoutePath.MOST_SPECIFIC.compare(a.pattern(), b.pattern());
                return order != 0 ? order : MOST_HEADERS.compare(a, b);
            };

    static RouteMatch of(String path) {
        return new RouteMatch(path, List.of(), Map.of());
    }

    static RouteMatch read(Table own, RoutePath path) {
        List<String> methods =
                own.value("methods", Values.list(Values.text(RouteMatch::method)))
                        .orElse(List.of());
        if (methods.isEmpty() && own.isEmptyList("methods")) {
            own.error("methods", "\"methods\" is empty", "remove it for all methods");
        }
        Map<String, List<String>> headers = own.entries("match-headers", RouteMatch::values);
        var byName = new TreeMap<String, List<String>>();
        headers.forEach(
                (name, values) -> {
                    if (byName.put(name.toLowerCase(Locale.ROOT), values) != null) {
                        own.error(
                                "match-headers",
                                "\"match-headers\" has \"" + name + "\" twice",
                                "write one list of values");
                    }
                });
        return new RouteMatch(path.text(), methods, byName);
    }

    private static String method(String text) {
        String upper = text.toUpperCase(Locale.ROOT);
        if (text.equals(PRESENT)) {
            throw new ConfigError("contains \"*\"", "remove \"methods\" for all methods");
        }
        Texts.token(text);
        if (text.equals(upper)) return text;
        throw new ConfigError(
                "contains \"" + text + "\"", "methods are case-sensitive: write \"" + upper + "\"");
    }

    /** Reads {@code "1"}, {@code ["1", "2"]}, or {@code "*"} for any value. */
    private static List<String> values(String name, Node node) {
        if (Texts.token(name).equalsIgnoreCase("Host")) {
            throw new ConfigError("is no condition of a route", "use \"hosts\" of [[site]]");
        }
        List<String> values =
                node instanceof Node.Items
                        ? Values.list(Values.text(Texts::fieldValue)).read(node)
                        : List.of(Texts.fieldValue(Values.text(node)));
        if (values.isEmpty()) throw new ConfigError("is empty", "write \"*\" for any value");
        return values.contains(PRESENT) ? List.of() : values;
    }

    RoutePath pattern() {
        return RoutePath.parse(path);
    }

    /** Returns whether it is for every request of its path. */
    public boolean isOnlyPath() {
        return methods.isEmpty() && headers.isEmpty();
    }

    private int exact() {
        return (int) headers.values().stream().filter(values -> !values.isEmpty()).count();
    }

    /** Returns whether the method and the headers of a request are those of the route. */
    boolean matches(Request request) {
        if (rank(request.method()) == 3) return false;
        var missing = new HashSet<>(headers.keySet());
        if (!missing.isEmpty()) {
            request.headers(
                    (name, value) -> {
                        String key = name.toLowerCase(Locale.ROOT);
                        List<String> values = headers.get(key);
                        if (values != null && (values.isEmpty() || values.contains(value))) {
                            missing.remove(key);
                        }
                    });
        }
        return missing.isEmpty();
    }

    /** Returns how well it fits a method: 0 for its own, 3 for none. {@code GET} serves HEAD. */
    int rank(String method) {
        if (methods.isEmpty()) return 2;
        if (methods.contains(method)) return 0;
        return method.equals("HEAD") && methods.contains("GET") ? 1 : 3;
    }

    /** Returns whether this route is for all requests that another one is for, and for others. */
    boolean covers(RouteMatch other) {
        boolean samePath = pattern().segments().equals(other.pattern().segments());
        boolean same = samePath && methods.equals(other.methods) && headers.equals(other.headers);
        return !same
                && (samePath || pattern().covers(other.pattern()))
                && coversMethods(other)
                && include(other);
    }

    private boolean coversMethods(RouteMatch other) {
        return methods.isEmpty()
                || !other.methods.isEmpty()
                        && other.methods.stream().allMatch(method -> rank(method) < 3);
    }

    /** Returns whether every request with the headers of another route has those of this one. */
    private boolean include(RouteMatch other) {
        return headers.entrySet().stream()
                .allMatch(
                        header -> {
                            List<String> theirs = other.headers.get(header.getKey());
                            List<String> ours = header.getValue();
                            return theirs != null
                                    && (ours.isEmpty()
                                            || !theirs.isEmpty() && ours.containsAll(theirs));
                        });
    }

    /** Returns whether a route that stands behind this one misses requests that it names. */
    boolean hides(RouteMatch later) {
        boolean shared =
                methods.isEmpty()
                        ? later.methods.isEmpty()
                        : methods.stream().anyMatch(later.methods::contains);
        return shared
                && pattern().segments().equals(later.pattern().segments())
                && MOST_HEADERS.compare(this, later) == 0
                && include(later);
    }

    /** Returns it as it stands in messages, such as {@code GET /a (x-canary: 1)}. */
    @Override
    public String toString() {
        var conditions = new ArrayList<String>();
        headers.forEach(
                (name, values) ->
                        conditions.add(
                                name
                                        + ": "
                                        + (values.isEmpty()
                                                ? PRESENT
                                                : String.join(" or ", values))));
        return (methods.isEmpty() ? "" : String.join(", ", methods) + " ")
                + path
                + (conditions.isEmpty() ? "" : " (" + String.join(", ", conditions) + ")");
    }
}
