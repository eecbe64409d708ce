// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.http.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds the route of a request for a decoded path in one site, as the router of the server does:
 * the most specific one wins. A path without a route has the options of the site. Immutable.
 */
public final class RouteTable {
    private record Entry(RoutePath path, Route route) {}

    private final List<Entry> entries;
    private final Route site;

    /** Creates the table of {@code site}. */
    public RouteTable(Site site) {
        var found = new ArrayList<Entry>();
        for (Route route : site.routes()) {
            found.add(new Entry(route.match().pattern(), route));
        }
        found.sort((a, b) -> RouteMatch.MOST_SPECIFIC.compare(a.route.match(), b.route.match()));
        this.entries = List.copyOf(found);
        this.site = new Route("/*", new Action.Serve(), site.files(), site.rules());
    }

    /**
     * Returns the route that serves a request if its path were {@code path}, which begins with a
     * slash and is not encoded.
     */
    public Route at(String path, Request request) {
        String[] segments = path.substring(1).split("/", -1);
        Entry best = null;
        for (Entry entry : entries) {
            RouteMatch match = entry.route.match();
            if (!entry.path.matches(segments) || !match.matches(request)) {
                continue;
            }
            if (best == null) {
                best = entry;
            } else if (RoutePath.MOST_SPECIFIC.compare(best.path, entry.path) != 0) {
                break;
            } else if (match.rank(request.method()) < best.route.match().rank(request.method())) {
                best = entry;
            }
        }
        return best == null ? site : best.route;
    }

    /** Returns the routes that may serve requests for a path, by their methods and headers. */
    public Stream<Route> all(String path) {
        String[] segments = path.substring(1).split("/", -1);
        var found = new ArrayList<Route>();
        for (Entry entry : entries) {
            if (!entry.path.matches(segments)) continue;
            found.add(entry.route);
            if (entry.route.match().isOnlyPath()) return found.stream();
        }
        found.add(site);
        return found.stream();
    }

    /** Returns all routes, and the one for all other paths. */
    public Stream<Route> all() {
        return Stream.concat(entries.stream().map(Entry::route), Stream.of(site));
    }
}
