// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks that caches and the routes that use them fit together. Used by one thread. */
final class CacheChecks {
    private final Report report;
    private final Configuration all;
    private final Map<String, Integer> known = new LinkedHashMap<>();

    CacheChecks(Report report, Configuration all) {
        this.report = report;
        this.all = all;
    }

    void check() {
        for (int i = 0; i < all.caches().size(); i++) {
            table(i);
        }
        Set<String> used = new HashSet<>();
        for (int i = 0; i < all.sites().size(); i++) {
            List<Route> routes = all.sites().get(i).routes();
            for (int j = 0; j < routes.size(); j++) {
                int site = i;
                int route = j;
                routes.get(j).caching().ifPresent(caching -> route(caching, site, route, used));
            }
        }
        known.forEach((name, i) -> unused(name, i, used));
    }

    private SourcePosition position(Object... path) {
        return all.document().position(path);
    }

    private void table(int i) {
        SharedCache cache = all.caches().get(i);
        SourcePosition name = position("cache", i, "name");
        Integer earlier = known.putIfAbsent(cache.name(), i);
        if (earlier != null && !report.concerns(name)) {
            report.error(
                    name,
                    "two caches have the name \"" + cache.name() + "\"",
                    "the other one is in line " + position("cache", earlier, "name").line());
        }
        SourcePosition folder = position("cache", i, "disk", "folder");
        if (report.concerns(position("cache", i, "disk"))) return;
        for (int j = 0; j < i; j++) {
            SourcePosition other = position("cache", j, "disk", "folder");
            if (all.caches().get(j).store().sharesFolder(cache.store())
                    && !report.concerns(other)) {
                report.error(
                        folder,
                        "two caches have the same folder",
                        "give each its own; the other one is in line " + other.line());
                return;
            }
        }
    }

    private void route(Caching caching, int site, int route, Set<String> used) {
        SourcePosition position = position("site", site, "route", route, "cache");
        Optional<String> name = caching.name();
        used.add(name.orElse(known.isEmpty() ? "" : known.keySet().iterator().next()));
        if (report.concerns(position)) return;
        if (name.isEmpty() && known.size() > 1) {
            report.error(
                    position,
                    "there are several caches",
                    "name one of them: cache = \"" + known.keySet().iterator().next() + "\"");
        } else if (name.isPresent() && !known.containsKey(name.get())) {
            String near = Nearest.hint(name.get(), known.keySet());
            report.error(
                    position("site", site, "route", route, "cache", "name"),
                    "no cache has the name \"" + name.get() + "\"",
                    near.isEmpty() ? "add a [[cache]], or write cache = true" : near);
        }
    }

    private void unused(String name, int index, Set<String> used) {
        SourcePosition position = position("cache", index);
        if (used.contains(name) || report.hasErrors()) return;
        report.warning(
                position,
                "no route stores responses in \"" + name + "\"",
                "add cache = true to a [[site.route]] with proxy");
    }
}
