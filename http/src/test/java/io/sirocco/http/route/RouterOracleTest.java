// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.http.route.Router.Found;
import io.sirocco.http.route.Router.MethodNotAllowed;
import io.sirocco.http.route.Router.Route;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The tree against the definition: of all routes that match and serve, the most specific. */
class RouterOracleTest {
    private static final String[] SEGMENTS = {"a", "b", "{x}", "{x}", "*", ""};
    private static final String[] ASKED = {"a", "b", "c", "", "%61", "a%2Fb"};
    private static final String[] METHODS = {"GET", "HEAD", "PUT", "*"};

    private final Random random = new Random(1);

    @Test
    void theTreeFindsWhatTheDefinitionSays() {
        for (int table = 0; table < 2_000; table++) {
            List<Route<String>> routes = routes();
            var router = new Router<>(routes);
            for (int i = 0; i < 50; i++) {
                String method = METHODS[random.nextInt(3)];
                String path = path(ASKED);
                String found =
                        switch (router.match(method, "", path)) {
                            case Found<String>(var target, var _) -> target;
                            case MethodNotAllowed<String> _ -> "405";
                            case Router.NotFound<String> _ -> "404";
                        };
                assertEquals(defined(routes, method, path), found, method + path + routes);
            }
        }
    }

    private List<Route<String>> routes() {
        var routes = new TreeMap<String, Route<String>>();
        for (int i = random.nextInt(12); i >= 0; i--) {
            String method = METHODS[random.nextInt(METHODS.length)];
            String path = path(SEGMENTS).replaceAll("/\\*/.*", "/*").replaceAll("//+", "/");
            for (int n = 0; path.contains("{x}"); n++) {
                path = path.replaceFirst("\\{x}", "{p" + n + "}");
            }
            routes.put(method + path, new Route<>(method, "", path, method + path));
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

    private static String defined(List<Route<String>> routes, String method, String path) {
        var matching = routes.stream().filter(route -> matches(route.path(), path)).toList();
        return matching.stream()
                .filter(route -> rank(route, method) < 3)
                .min(
                        Comparator.<Route<String>, String>comparing(route -> kinds(route.path()))
                                .thenComparing(route -> rank(route, method)))
                .map(Route::target)
                .orElse(matching.isEmpty() ? "404" : "405");
    }

    private static boolean matches(String pattern, String path) {
        String regex = pattern.replaceAll("\\{p\\d}", "[^/]+").replace("*", ".*");
        return path.replace("%61", "a").matches(regex);
    }

    /** One digit for each segment: literal, parameter, wildcard. */
    private static String kinds(String pattern) {
        return pattern.replaceAll("[^/{*]*\\{p\\d}", "1").replaceAll("[ab]", "0").replace("*", "2");
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
