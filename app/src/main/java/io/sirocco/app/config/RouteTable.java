// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds the route of a decoded path in one site, as the router of the server does: the most
 * specific one wins. A path without a route has the options of the site. Immutable.
 */
public final class RouteTable {
    private record Entry(RoutePath path, Route route) {}

    private final List<Entry> entries;
    private final Route site;

    /** Creates the table of {@code site}. */
    public RouteTable(Site site) {
        var found = new ArrayList<Entry>();
        for (Route route : site.routes()) {
            found.add(new Entry(RoutePath.parse(route.path()), route));
        }
        found.sort(Comparator.comparing(Entry::path, RoutePath.MOST_SPECIFIC));
        this.entries = List.copyOf(found);
        this.site = new Route("/*", new Action.Serve(), site.files(), site.rules());
    }

    /** Returns the route that serves a path, which begins with a slash and is not encoded. */
    public Route at(String path) {
        String[] segments = path.substring(1).split("/", -1);
        for (Entry entry : entries) {
            if (entry.path.matches(segments)) return entry.route;
        }
        return site;
    }

    /** Returns all routes, and the one for all other paths. */
    public Stream<Route> all() {
        return Stream.concat(entries.stream().map(Entry::route), Stream.of(site));
    }
}
