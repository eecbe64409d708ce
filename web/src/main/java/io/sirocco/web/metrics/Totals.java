// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

import io.sirocco.http.RequestError;
import java.util.Map;
import java.util.SortedMap;

/**
 * All that {@link Metrics} has counted, at one moment. Immutable.
 *
 * @param routes by pattern; {@link Metrics#NO_ROUTE} is what no route matched, {@link
 *     Metrics#REFUSED} what did not come so far
 * @param refused by rule; none that has not refused anything
 * @param failed handlers that threw
 */
public record Totals(
        SortedMap<String, RouteTotals> routes, Map<RequestError, Long> refused, long failed) {

    /** All routes together. */
    public RouteTotals all() {
        return routes.values().stream().reduce(RouteTotals.none(), RouteTotals::plus);
    }
}
