// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import static io.sirocco.app.admin.MetricsSampler.rate;

import io.sirocco.web.cache.CacheStats;
import java.util.ArrayList;
import java.util.List;

/**
 * A response cache on the dashboard: its figures in the last ten seconds, and what it stores.
 * Immutable.
 *
 * @param requests per second
 * @param hits requests that it served without asking a server about them, per second
 * @param evicted responses that made room for others, per second
 * @param entries responses that are stored
 * @param memory bytes of them in memory
 * @param disk bytes of them on the disk
 * @param failures bodies not stored since the disk failed or was full, since the start
 */
record CacheRow(
        String name,
        double requests,
        double hits,
        double evicted,
        long entries,
        long memory,
        long disk,
        long failures) {
    private static final int MAX = 20;

    static List<CacheRow> of(Snapshot now, Snapshot before, double seconds) {
        var rows = new ArrayList<CacheRow>();
        now.caches()
                .forEach(
                        (name, stats) -> {
                            CacheStats earlier = before.caches().get(name);
                            boolean continues =
                                    earlier != null && requests(earlier) <= requests(stats);
                            if (rows.size() < MAX) {
                                rows.add(of(name, stats, continues ? earlier : NONE, seconds));
                            }
                        });
        return rows;
    }

    private static final CacheStats NONE = new CacheStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    private static CacheRow of(String name, CacheStats now, CacheStats before, double seconds) {
        return new CacheRow(
                name,
                rate(requests(now) - requests(before), seconds),
                rate(served(now) - served(before), seconds),
                rate(now.evicted() - before.evicted(), seconds),
                now.entries(),
                now.memoryBytes(),
                now.diskBytes(),
                now.diskFailures());
    }

    private static long requests(CacheStats stats) {
        return served(stats) + stats.misses() + stats.revalidated() + stats.bypassed();
    }

    private static long served(CacheStats stats) {
        return stats.hits() + stats.collapsed();
    }
}
