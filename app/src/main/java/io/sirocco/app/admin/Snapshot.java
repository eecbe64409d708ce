// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.ServerStats;
import io.sirocco.live.Live;
import io.sirocco.live.LiveMetrics;
import io.sirocco.web.cache.CacheStats;
import io.sirocco.web.metrics.Metrics;
import io.sirocco.web.metrics.Totals;
import io.sirocco.web.proxy.UpstreamStats;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** All counters at one time; the difference of two is a {@link Sample}. Immutable. */
record Snapshot(
        long nanos,
        Totals totals,
        List<ServerStats> loops,
        Map<String, Long> refusals,
        List<UpstreamStats> upstreams,
        Map<String, CacheStats> caches,
        Optional<LiveMetrics> channels) {

    static Snapshot of(Subject subject, Metrics metrics) {
        return new Snapshot(
                System.nanoTime(),
                metrics.totals(),
                subject.stats(),
                Map.copyOf(subject.refusals()),
                List.copyOf(subject.upstreams()),
                caches(subject),
                subject.live().map(Live::metrics));
    }

    private static Map<String, CacheStats> caches(Subject subject) {
        var all = new TreeMap<String, CacheStats>();
        subject.caches().forEach((name, cache) -> all.put(name, cache.stats()));
        return all;
    }

    long sum(ToLongFunction<ServerStats> value) {
        return loops.stream().mapToLong(value).sum();
    }

    /** Returns whether the counters continue those of {@code earlier}; a restart resets them. */
    boolean continues(Snapshot earlier) {
        return loops.size() == earlier.loops.size()
                && sum(ServerStats::requests) >= earlier.sum(ServerStats::requests);
    }
}
