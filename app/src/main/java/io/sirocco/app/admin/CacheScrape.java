// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.web.cache.CacheStats;
import io.sirocco.web.cache.ResponseCache;
import io.sirocco.web.metrics.Exposition;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The metrics of response caches in {@code /metrics}. */
final class CacheScrape {
    private CacheScrape() {}

    static void add(Exposition text, Map<String, ResponseCache> caches) {
        if (caches.isEmpty()) return;
        var all = new LinkedHashMap<String, CacheStats>();
        caches.forEach((name, cache) -> all.put(name, cache.stats()));
        text.counter(
                "sirocco_cache_hits_total",
                "Requests served from the cache without a server, stale responses among them.");
        each(text, all, CacheStats::hits);
        text.counter(
                "sirocco_cache_misses_total",
                "Requests forwarded since nothing suitable was stored.");
        each(text, all, CacheStats::misses);
        text.counter(
                "sirocco_cache_revalidated_total",
                "Requests served after a server confirmed the stored response.");
        each(text, all, CacheStats::revalidated);
        text.counter("sirocco_cache_stale_total", "Requests served with a stale response.");
        each(text, all, CacheStats::stale);
        text.counter(
                "sirocco_cache_collapsed_total",
                "Requests served by the response to another request in progress.");
        each(text, all, CacheStats::collapsed);
        text.counter("sirocco_cache_bypassed_total", "Requests forwarded without a lookup.");
        each(text, all, CacheStats::bypassed);
        text.counter("sirocco_cache_stored_total", "Responses stored.");
        each(text, all, CacheStats::stored);
        text.counter("sirocco_cache_evicted_total", "Responses evicted to make room.");
        each(text, all, CacheStats::evicted);
        text.gauge("sirocco_cache_entries", "Responses that are stored.");
        each(text, all, CacheStats::entries);
        text.gauge("sirocco_cache_memory_bytes", "Bytes of stored responses in memory.");
        each(text, all, CacheStats::memoryBytes);
        text.gauge("sirocco_cache_disk_bytes", "Bytes of stored responses on the disk.");
        each(text, all, CacheStats::diskBytes);
        text.counter(
                "sirocco_cache_disk_failures_total",
                "Bodies not stored since the disk failed or was full.");
        each(text, all, CacheStats::diskFailures);
    }

    private static void each(
            Exposition text, Map<String, CacheStats> caches, ToDoubleFunction<CacheStats> value) {
        caches.forEach((name, stats) -> text.sample(value.applyAsDouble(stats), "cache", name));
    }
}
