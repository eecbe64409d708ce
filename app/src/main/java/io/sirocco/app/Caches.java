// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Caching;
import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.SharedCache;
import io.sirocco.app.config.SharedCache.Store;
import io.sirocco.web.cache.CacheOptions;
import io.sirocco.web.cache.CacheRules;
import io.sirocco.web.cache.ResponseCache;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The response caches of a configuration. A reload keeps those whose table is unchanged, with what
 * is stored, and those whose folder is open already, which have changed settings only after a
 * restart. Used by one thread, then frozen.
 */
final class Caches implements AutoCloseable {
    private final Configuration configuration;
    private final boolean opensDisks;
    private final Map<SharedCache, ResponseCache> all = new LinkedHashMap<>();
    private Optional<Caches> before; // until these are in effect

    /**
     * @param opensDisks false to verify a configuration while another process may serve it
     */
    Caches(Configuration configuration, Optional<Caches> before, boolean opensDisks) {
        this.configuration = configuration;
        this.before = before;
        this.opensDisks = opensDisks;
    }

    /**
     * Returns the cache of a route, with its rules.
     *
     * @throws ConfigError if its folder cannot be used
     */
    ResponseCache of(Caching rules) {
        List<SharedCache> tables = configuration.caches();
        for (int i = 0; i < tables.size(); i++) {
            SharedCache table = tables.get(i);
            if (rules.name().isEmpty() || rules.name().get().equals(table.name())) {
                return of(table, i).withRules(chosen -> set(chosen, rules));
            }
        }
        return of(SharedCache.usual(), -1).withRules(chosen -> set(chosen, rules));
    }

    private ResponseCache of(SharedCache table, int index) {
        return all.computeIfAbsent(
                table, wanted -> kept(wanted).orElseGet(() -> open(wanted.store(), index)));
    }

    private Optional<ResponseCache> kept(SharedCache table) {
        if (before.isEmpty()) return Optional.empty();
        ResponseCache same = before.get().all.get(table);
        if (same != null) return Optional.of(same);
        return before.get().all.entrySet().stream()
                .filter(old -> old.getKey().store().sharesFolder(table.store()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private ResponseCache open(Store store, int index) {
        try {
            return ResponseCache.create(options -> set(options, store));
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw new ConfigError(e, "cache", index, "disk", "folder");
        }
    }

    private void set(CacheOptions options, Store store) {
        options.memory(store.memory())
                .memoryBody(store.memoryBody())
                .maxEntryBytes(store.maxEntry())
                .maxVariants(store.maxVariants())
                .maxTags(store.maxTags())
                .maxHeaderBytes(store.maxHeaderBytes())
                .collapseTimeout(store.collapseTimeout())
                .cacheStatus(store.statusHeader());
        store.disk()
                .filter(disk -> opensDisks)
                .ifPresent(disk -> options.disk(disk.folder(), disk.size()));
    }

    private static void set(CacheRules options, Caching rules) {
        rules.defaultTtl().forEach(options::defaultTtl);
        options.maxHeuristic(rules.maxHeuristic())
                .staleWhileRevalidate(rules.staleWhileRevalidate())
                .staleIfError(rules.staleIfError())
                .ignoreQuery(rules.ignoreQuery().toArray(String[]::new))
                .keyHeaders(rules.keyHeaders().toArray(String[]::new))
                .keyCookies(rules.keyCookies().toArray(String[]::new))
                .bypassHeaders(rules.bypassHeaders().toArray(String[]::new))
                .bypassCookies(rules.bypassCookies().toArray(String[]::new));
        if (!rules.clientDirectives()) options.ignoreClientDirectives();
        if (rules.storeSetCookie()) options.storeSetCookie();
    }

    /** Returns the caches by name. */
    Map<String, ResponseCache> byName() {
        var byName = new LinkedHashMap<String, ResponseCache>();
        all.forEach((table, cache) -> byName.put(table.name(), cache));
        return byName;
    }

    /** Completes a start or a reload. */
    void activate() {
        before = Optional.empty();
    }

    /** Closes the caches that {@code next} does not use; requests in progress are forwarded. */
    void closeExcept(Caches next) {
        all.values().stream()
                .filter(cache -> !next.all.containsValue(cache))
                .forEach(ResponseCache::close);
    }

    /** Closes all of them. */
    @Override
    public void close() {
        all.values().forEach(ResponseCache::close);
    }
}
