// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

import java.util.HashMap;
import java.util.Map;

/**
 * What was answered on one route, since the start or between two moments. Immutable.
 *
 * @param requests how many, by method and status
 * @param latency how long they took
 * @param bytesIn of their bodies
 * @param bytesOut of the bodies of the responses
 */
public record RouteTotals(
        Map<Outcome, Long> requests, Latency latency, long bytesIn, long bytesOut) {

    /** Nothing. */
    public static RouteTotals none() {
        return new RouteTotals(Map.of(), Latency.none(), 0, 0);
    }

    /** Requests whose status is from {@code from} up to, but not including, {@code to}. */
    public long requests(int from, int to) {
        return requests.entrySet().stream()
                .filter(one -> one.getKey().status() >= from && one.getKey().status() < to)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Both together. */
    public RouteTotals plus(RouteTotals other) {
        return combined(other, 1);
    }

    /** What came since {@code earlier}. */
    public RouteTotals since(RouteTotals earlier) {
        return combined(earlier, -1);
    }

    private RouteTotals combined(RouteTotals other, int sign) {
        var sums = new HashMap<>(requests);
        other.requests.forEach((outcome, count) -> sums.merge(outcome, sign * count, Long::sum));
        return new RouteTotals(
                Map.copyOf(sums),
                sign > 0 ? latency.plus(other.latency) : latency.since(other.latency),
                bytesIn + sign * other.bytesIn,
                bytesOut + sign * other.bytesOut);
    }
}
