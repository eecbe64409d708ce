// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.live.LiveMetrics;
import java.util.List;
import java.util.Optional;

/**
 * The current values of the dashboard, besides its charts. Immutable.
 *
 * @param state of the server
 * @param description the addresses and the transport
 * @param version of Sirocco
 * @param java version of the JVM
 * @param up seconds since the start of the process
 * @param answered requests with a response since the start
 * @param failed exceptions of handlers, since the start
 * @param acceptFailures since the start
 * @param memoryRefused times that a connection was refused memory or lost it, since the start
 * @param dropped lines of the access log, since the start
 * @param longestTurn of any loop since the start, in microseconds
 * @param heapMax bytes that the heap may grow to
 * @param routes the busiest first
 * @param refusals the most frequent first
 * @param upstreams that routes forward to
 * @param caches of responses, by name
 * @param channels empty if they are off
 */
record Overview(
        String state,
        String description,
        String version,
        String java,
        long up,
        long answered,
        long failed,
        long acceptFailures,
        long memoryRefused,
        long dropped,
        long longestTurn,
        long heapMax,
        List<RouteRow> routes,
        List<RefusalRow> refusals,
        List<UpstreamRow> upstreams,
        List<CacheRow> caches,
        Optional<LiveMetrics> channels) {

    /**
     * The figures of a route in the last ten seconds.
     *
     * @param requests per second
     * @param p50 latency in microseconds, as {@code p99}; -1 without responses
     * @param clientErrors responses with 4xx, per second
     * @param serverErrors responses with 5xx, per second
     * @param bytesOut of bodies, per second
     * @param total requests since the start
     */
    record RouteRow(
            String route,
            double requests,
            long p50,
            long p99,
            double clientErrors,
            double serverErrors,
            double bytesOut,
            long total) {}

    /**
     * A rule that has refused requests.
     *
     * @param source the clause of the rule, or {@code access}
     * @param recent per second, in the last ten seconds
     * @param total since the start
     */
    record RefusalRow(String rule, String source, double recent, long total) {}
}
