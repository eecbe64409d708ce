// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The fetches in progress by their URL: requests join them, and purges mark them. There are no more
 * than requests in progress and background revalidations. Any thread.
 */
final class FetchRegistry {
    private final ConcurrentHashMap<String, List<OriginFetch>> fetches = new ConcurrentHashMap<>();

    void add(OriginFetch fetch) {
        fetches.compute(fetch.url(), (url, all) -> plus(all, fetch));
    }

    /**
     * Returns a fetch of the same URL whose response {@code fetch} may be about as well; otherwise
     * adds it and returns it.
     */
    OriginFetch joinOrAdd(OriginFetch fetch) {
        var found = new OriginFetch[] {fetch};
        fetches.compute(
                fetch.url(),
                (url, all) -> {
                    found[0] = fetch;
                    if (all != null) {
                        for (OriginFetch other : all) {
                            if (other.canBeJoinedBy(fetch.request())) {
                                found[0] = other;
                                return all;
                            }
                        }
                    }
                    return plus(all, fetch);
                });
        return found[0];
    }

    void remove(OriginFetch fetch) {
        fetches.computeIfPresent(
                fetch.url(),
                (url, all) -> {
                    List<OriginFetch> rest = all.stream().filter(f -> f != fetch).toList();
                    return rest.isEmpty() ? null : rest;
                });
    }

    /** Returns whether a response is being stored under a URL and a selector. */
    boolean isArriving(String url, VarySelector selector) {
        return fetches.getOrDefault(url, List.of()).stream()
                .anyMatch(fetch -> fetch.stores(selector));
    }

    void forEach(String url, Consumer<OriginFetch> action) {
        fetches.getOrDefault(url, List.of()).forEach(action);
    }

    void forEach(Consumer<OriginFetch> action) {
        fetches.values().forEach(all -> all.forEach(action));
    }

    int waiting() {
        return fetches.values().stream().flatMap(List::stream).mapToInt(OriginFetch::waiting).sum();
    }

    private static List<OriginFetch> plus(List<OriginFetch> all, OriginFetch fetch) {
        if (all == null) {
            return List.of(fetch);
        }
        var more = new ArrayList<>(all);
        more.add(fetch);
        return List.copyOf(more);
    }
}
