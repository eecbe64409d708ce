// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

import io.sirocco.http.Monitor.CompletedRequest;
import io.sirocco.http.Monitor.RejectedRequest;
import io.sirocco.http.RequestError;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What one loop has counted. Only its loop writes, any thread reads. */
final class LoopCounts {
    private final Map<String, RouteCounts> routes = new ConcurrentHashMap<>();
    private final long[] refused = new long[RequestError.values().length];
    private String lastRoute = ""; // mostly the next one's, too
    private RouteCounts last;

    void add(CompletedRequest answered) {
        String route = answered.route();
        if (route != lastRoute || last == null) { // the same text for each request of a route
            last = route(route.isEmpty() ? Metrics.NO_ROUTE : route);
            lastRoute = route;
        }
        last.add(answered);
    }

    private RouteCounts route(String name) {
        RouteCounts known = routes.get(name);
        if (known != null) {
            return known;
        }
        String bounded = routes.size() < Metrics.MAX_ROUTES ? name : Metrics.OTHER_ROUTES;
        return routes.computeIfAbsent(bounded, none -> new RouteCounts());
    }

    void add(RejectedRequest rejected) {
        refused[rejected.error().ordinal()]++;
        if (rejected.alone()) {
            route(Metrics.REFUSED).refused(rejected.method(), rejected.error().status());
        }
    }

    void addTo(Map<String, RouteTotals> sums, Map<RequestError, Long> refusals) {
        routes.forEach((name, counts) -> sums.merge(name, counts.totals(), RouteTotals::plus));
        for (RequestError rule : RequestError.values()) {
            if (refused[rule.ordinal()] > 0) {
                refusals.merge(rule, refused[rule.ordinal()], Long::sum);
            }
        }
    }
}
