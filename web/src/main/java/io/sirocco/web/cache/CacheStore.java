// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * The stored responses by their URL. URLs, headers and small bodies are in memory, with a bound in
 * bytes; large bodies are in the {@link DiskStore}, with another one. Beyond a bound, entries that
 * are used least are evicted (W-TinyLFU), so a flood of URLs does not evict popular ones. Any
 * thread.
 */
final class CacheStore {
    private final Cache<String, Variants> memory;
    private final DiskStore disk; // null without a disk
    private final int maxVariants;
    private final LongAdder evicted = new LongAdder();

    CacheStore(CacheSettings settings, DiskStore disk, Executor upkeep) {
        this.disk = disk;
        this.maxVariants = settings.maxVariants();
        this.memory =
                Caffeine.newBuilder()
                        .executor(upkeep) // a virtual thread must not park in it: others wait
                        .maximumWeight(CacheSettings.completed(settings.memoryBytes()))
                        .weigher(
                                (String url, Variants variants) ->
                                        (int) Math.min(Integer.MAX_VALUE, variants.bytes(url)))
                        .evictionListener(
                                (String url, Variants evicted, RemovalCause cause) -> {
                                    count(evicted);
                                    deleteAll(evicted);
                                })
                        .build();
    }

    /** Returns the variants of a URL; null if there are none. */
    Variants get(String url) {
        return memory.getIfPresent(url);
    }

    /** Stores a response in the place of those with the same selector. */
    void put(StoredResponse added) {
        if (added.body instanceof StoredBody.Disk body) {
            disk.keep(body, added); // first, so that an eviction from memory finds it
        }
        insert(added);
    }

    /** Takes over a response of an earlier process. */
    void restore(StoredResponse entry) {
        disk.restore(entry);
        insert(entry);
    }

    private void insert(StoredResponse added) {
        var replaced = new ArrayList<StoredBody>();
        memory.asMap()
                .compute(
                        added.url,
                        (url, before) -> {
                            Variants after = Variants.with(before, added, maxVariants);
                            replaced.clear();
                            replaced.addAll(lost(before, after));
                            if (!after.hasBody(added.body)) {
                                replaced.add(added.body);
                            }
                            return after;
                        });
        replaced.forEach(this::delete);
    }

    /** Removes one response, if it is still stored. */
    void remove(StoredResponse removed) {
        var lost = new ArrayList<StoredBody>();
        memory.asMap()
                .computeIfPresent(
                        removed.url,
                        (url, before) -> {
                            Variants after = before.without(removed);
                            lost.clear();
                            lost.addAll(lost(before, after));
                            return after;
                        });
        lost.forEach(this::delete);
    }

    /** Removes all variants of a URL. Returns their number. */
    int removeUrl(String url) {
        Variants removed = memory.asMap().remove(url);
        if (removed == null) {
            return 0;
        }
        deleteAll(removed);
        return removed.all().size();
    }

    /** Removes the responses that {@code which} accepts. Returns their number. */
    int removeIf(Predicate<StoredResponse> which) {
        int count = 0;
        for (Variants variants : memory.asMap().values()) {
            for (StoredResponse stored : variants.all()) {
                if (which.test(stored)) {
                    remove(stored);
                    count++;
                }
            }
        }
        return count;
    }

    /** Returns the number of stored responses. Looks at each URL. */
    long count() {
        memory.cleanUp();
        long count = 0;
        for (Variants variants : memory.asMap().values()) {
            count += variants.all().stream().filter(StoredResponse::usable).count();
        }
        return count;
    }

    long memoryBytes() {
        memory.cleanUp();
        return memory.policy().eviction().orElseThrow().weightedSize().orElseThrow();
    }

    /** Forgets what is in memory. Files stay, for the next start. */
    void close() {
        if (disk != null) {
            disk.close();
        }
        memory.invalidateAll();
        memory.cleanUp();
    }

    private static List<StoredBody> lost(Variants before, Variants after) {
        if (before == null) {
            return List.of();
        }
        return before.all().stream()
                .map(stored -> stored.body)
                .filter(body -> after == null || !after.hasBody(body))
                .toList();
    }

    private void count(Variants evicted) {
        this.evicted.add(evicted.all().stream().filter(StoredResponse::usable).count());
    }

    /** Returns the number of responses that were evicted from memory or from the disk. */
    long evicted() {
        return evicted.sum() + (disk == null ? 0 : disk.evicted());
    }

    private void deleteAll(Variants variants) {
        variants.all().forEach(stored -> delete(stored.body));
    }

    private void delete(StoredBody body) {
        if (body instanceof StoredBody.Disk file) {
            disk.delete(file);
        }
    }
}
