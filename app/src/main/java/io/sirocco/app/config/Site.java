// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.http.Routes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One {@code [[site]]}. Immutable.
 *
 * @param hosts in lower case, {@code *.example.org} for all subdomains; empty: all hosts that no
 *     other site names
 * @param canonicalHost the other hosts of the site are redirected to it
 * @param mime media types by file name extension, without the dot
 * @param routes in the order of the file, which does not matter
 */
public record Site(
        List<String> hosts,
        Optional<String> canonicalHost,
        Files files,
        Cache cache,
        Rules rules,
        Map<String, String> mime,
        List<Route> routes) {

    static Site read(Table table) {
        List<String> hosts = table.list("hosts", List.of(), Values.text(Site::host));
        Optional<String> canonical = table.value("canonical-host", Values.text(Site::name));
        Files files = Files.read(table);
        Cache cache = Cache.read(table);
        Rules rules = Rules.read(table);
        Map<String, String> mime = table.map("mime", false, Site::checkMime);
        List<Route> routes = routes(table);
        table.end();
        return new Site(hosts, canonical, files, cache, rules, mime, routes);
    }

    private static String host(String text) {
        try {
            if (!text.isEmpty() && !text.equals("*")) return Routes.hostPattern(text);
        } catch (IllegalArgumentException e) {
            throw Texts.refused(text, e);
        }
        throw new ConfigError("is not a host: \"" + text + "\"", "write hosts = [] for any host");
    }

    private static String name(String text) {
        if (!text.startsWith("*")) return host(text);
        throw new ConfigError(
                "must be a single host: \"" + text + "\"",
                "write \"" + text.replaceFirst("^\\*\\.?", "") + "\"");
    }

    private static void checkMime(String ending, String type) {
        if (ending.startsWith(".")) {
            throw new ConfigError("begins with a dot", "write " + ending.substring(1));
        }
        Texts.mediaType(type);
    }

    /** Reads the routes; each inherits from those that cover it, in any order of the file. */
    private static List<Route> routes(Table site) {
        Map<Table, RouteMatch> matches = matches(site);
        List<Map.Entry<Table, RouteMatch>> nearest =
                matches.entrySet().stream()
                        .sorted(
                                (a, b) ->
                                        RouteMatch.MOST_SPECIFIC.compare(
                                                a.getValue(), b.getValue()))
                        .toList();
        var routes = new ArrayList<Route>();
        matches.forEach(
                (own, match) -> {
                    var behind = new ArrayList<Table>();
                    nearest.stream()
                            .filter(other -> other.getValue().covers(match))
                            .forEach(other -> behind.add(other.getKey()));
                    behind.add(site);
                    routes.add(Route.read(own, match, behind));
                });
        return List.copyOf(routes);
    }

    /** Reads which requests each route is for, and reports duplicates. */
    private static Map<Table, RouteMatch> matches(Table site) {
        var matches = new LinkedHashMap<Table, RouteMatch>();
        var read = new LinkedHashMap<RouteMatch, SourcePosition>();
        for (Table own : site.tables("route", "[[site.route]]")) {
            RoutePath path =
                    own.needed(
                            "path",
                            Node.of("/"),
                            "path = \"/docs/*\"",
                            Values.text(RoutePath::parse));
            RouteMatch match = RouteMatch.read(own, path);
            matches.put(own, match);
            if (!own.peek("path").equals(Optional.of(path.text()))) continue; // has its own error
            read.entrySet().stream()
                    .filter(other -> other.getKey().hides(match))
                    .findFirst()
                    .ifPresent(
                            other ->
                                    own.error(
                                            "path",
                                            match.isOnlyPath()
                                                    ? "two routes of this site have the same path: \""
                                                            + path
                                                            + "\""
                                                    : "two routes of this site match the same"
                                                            + " requests: \""
                                                            + other.getKey()
                                                            + "\" and \""
                                                            + match
                                                            + "\"",
                                            "the other one is in line " + other.getValue().line()));
            read.putIfAbsent(match, own.position("path"));
        }
        return matches;
    }
}
