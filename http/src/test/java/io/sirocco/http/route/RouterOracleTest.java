// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.route.Router.Found;
import io.sirocco.http.route.Router.MethodNotAllowed;
import io.sirocco.http.route.Router.Route;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tree against the definition: of all routes that match and serve, the most specific. */
class RouterOracleTest {
    private static final String[] SEGMENTS = {"a", "b", "{x}", "{x}", "*", "*a", "*ba", ""};
    private static final String[] ASKED = {"a", "b", "c", "", "%61", "a%2Fb", "ba", "b%61"};
    private static final String[] METHODS = {"GET", "HEAD", "PUT", "*"};

    private static final String[][] REQUIRED = {
        {}, {}, {"x: 1"}, {"x: 2"}, {"x"}, {"y: 1"}, {"x: 1", "y"}, {"x", "y"}
    };
    private static final String[][] SENT = {
        {}, {"X", "1"}, {"X", "2"}, {"Y", "1"}, {"y", "1", "x", "1"}, {"x", "3", "Y", ""}
    };

    private final Random random = new Random(1);

    @Test
    void theTreeFindsWhatTheDefinitionSays() {
        compare(300);
    }

    @Tag("heavy")
    @Test
    void alsoInThousandsOfTrees() {
        compare(2_000);
    }

    private void compare(int tables) {
        for (int table = 0; table < tables; table++) {
            List<Route<String>> routes = routes();
            var router = new Router<>(routes);
            for (int i = 0; i < 50; i++) {
                String method = METHODS[random.nextInt(3)];
                String path = path(ASKED);
                String[] sent = SENT[random.nextInt(SENT.length)];
                String found =
                        switch (router.match(method, "", path, RouterTest.fields(sent))) {
                            case Found<String>(var target, var _) -> target;
                            case MethodNotAllowed<String> _ -> "405";
                            case Router.NotFound<String> _ -> "404";
                        };
                assertEquals(
                        defined(routes, method, path, List.of(sent)),
                        found,
                        method + path + List.of(sent) + routes);
            }
        }
    }

    private List<Route<String>> routes() {
        var routes = new TreeMap<String, Route<String>>();
        for (int i = random.nextInt(12); i >= 0; i--) {
            String method = METHODS[random.nextInt(METHODS.length)];
            String path = path(SEGMENTS).replaceAll("/(\\*\\w*)/.*", "/$1").replaceAll("//+", "/");
            for (int n = 0; path.contains("{x}"); n++) {
                path = path.replaceFirst("\\{x}", "{p" + n + "}");
            }
            RequiredHeaders required = RequiredHeaders.NONE;
            for (String header : REQUIRED[random.nextInt(REQUIRED.length)]) {
                String[] parts = header.split(": ");
                required = required.and(parts[0], Arrays.copyOfRange(parts, 1, parts.length));
            }
            String target = method + path + " " + required;
            routes.put(target, new Route<>(method, "", path, required, target));
        }
        return new ArrayList<>(routes.values());
    }

    private String path(String[] segments) {
        var path = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            path.append('/').append(segments[random.nextInt(segments.length)]);
        }
        return path.toString();
    }

    private static String defined(
            List<Route<String>> routes, String method, String path, List<String> sent) {
        var matching =
                routes.stream()
                        .filter(route -> matches(route.path(), path))
                        .filter(route -> required(route).stream().allMatch(one -> has(sent, one)))
                        .toList();
        return matching.stream()
                .filter(route -> rank(route, method) < 3)
                .min(
                        Comparator.<Route<String>, String>comparing(route -> kinds(route.path()))
                                .thenComparing(route -> rank(route, method))
                                .thenComparing(route -> -required(route).size())
                                .thenComparing(
                                        route ->
                                                required(route).stream()
                                                        .filter(one -> one.endsWith("*"))
                                                        .count()))
                .map(Route::target)
                .orElse(matching.isEmpty() ? "404" : "405");
    }

    private static boolean matches(String pattern, String path) {
        String regex = pattern.replaceAll("\\{p\\d}", "[^/]+").replace("*", ".*");
        return path.replace("%61", "a").matches(regex);
    }

    private static List<String> required(Route<String> route) {
        String all = route.headers().toString();
        return all.isEmpty() ? List.of() : List.of(all.split(", "));
    }

    private static boolean has(List<String> sent, String required) {
        String[] parts = required.split(": ");
        for (int i = 0; i < sent.size(); i += 2) {
            boolean named = sent.get(i).equalsIgnoreCase(parts[0]);
            if (named && (parts[1].equals("*") || sent.get(i + 1).equals(parts[1]))) {
                return true;
            }
        }
        return false;
    }

    /** One digit for each segment: literal, parameter, suffixes, wildcard. */
    private static String kinds(String pattern) {
        return pattern.replaceAll("\\{p\\d}", "1")
                .replaceAll("\\*ba", "2")
                .replaceAll("\\*a", "3")
                .replaceAll("[ab]", "0")
                .replace("*", "4");
    }

    private static int rank(Route<String> route, String method) {
        if (route.method().equals(method)) {
            return 0;
        }
        if (method.equals("HEAD") && route.method().equals("GET")) {
            return 1;
        }
        return route.method().equals(Router.ANY) ? 2 : 3;
    }
}
