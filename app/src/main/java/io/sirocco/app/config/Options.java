// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import io.sirocco.app.config.Node.Fields;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** Reads all options; each table has its own record. Used by one thread. */
final class Options {
    private final Table top;

    private Options(Table top) {
        this.top = top;
    }

    /** Returns the configuration of a file; its mistakes are in the report of {@code reading}. */
    static Configuration read(Source source, Fields fields, Reading reading) {
        Fields all = withListOfCaches(withAddress(fields));
        var top = new Table(all, reading);
        Report report = reading.report();
        var positions = new Document(source, all, top.section(), Map.of(), List.of());
        Configuration parts = new Options(top).read(positions);
        new CrossChecks(report, parts, reading.password()).check();
        var document =
                new Document(
                        source, all, top.section(), Map.copyOf(reading.files()), report.warnings());
        return new Configuration(
                parts.server(),
                parts.listen(),
                parts.proxies(),
                parts.tls(),
                parts.limits(),
                parts.timeouts(),
                parts.bandwidth(),
                parts.accessLog(),
                parts.log(),
                parts.admin(),
                parts.live(),
                parts.upstreams(),
                parts.caches(),
                parts.sites(),
                document);
    }

    private Configuration read(Document positions) {
        var parts =
                new Configuration(
                        part("server", Server::read),
                        tables("listen", Listen::read),
                        part("proxies", Proxies::read),
                        part("tls", Tls::read),
                        part("limits", Limits::read),
                        part("timeouts", Timeouts::read),
                        part("bandwidth", Bandwidth::read),
                        part("access-log", AccessLog::read),
                        part("log", Log::read),
                        part("admin", Admin::read),
                        part("live", Live::read),
                        tables("upstream", Upstream::read),
                        tables("cache", SharedCache::read),
                        tables("site", Site::read),
                        positions);
        top.end();
        return parts;
    }

    private <T> List<T> tables(String key, Function<Table, T> read) {
        return top.tables(key, "[[" + key + "]]").stream().map(read).toList();
    }

    private <T> T part(String key, Function<Table, T> read) {
        Table table = top.table(key, "[" + key + "]");
        T value = read.apply(table);
        table.end();
        return value;
    }

    /** Adds the default listener. */
    private static Fields withAddress(Fields fields) {
        return fields.all().containsKey("listen")
                ? fields
                : fields.with("listen", list(Fields.of(fields.position(), Map.of())));
    }

    /** Returns {@code [cache]} as a {@code [[cache]]}. */
    private static Fields withListOfCaches(Fields fields) {
        return fields.value("cache") instanceof Fields one
                ? fields.with("cache", list(one))
                : fields;
    }

    private static Node list(Fields one) {
        return new Node.Items(List.of(one), one.position());
    }

    /** Returns a hint for a key that belongs in another table; empty if no other one has it. */
    static String elsewhere(String key, Section here) {
        var found = new LinkedHashSet<String>();
        find(key, example(), "", found);
        found.remove(here.where());
        return found.isEmpty() ? "" : "it belongs " + String.join(" or ", found);
    }

    /** Returns whether a key is a list of tables, as {@code [[site]]} is. */
    static boolean isListOfTables(String key) {
        return isListOfTables(key, example());
    }

    private static boolean isListOfTables(String key, Section section) {
        if (section.entries().get(key) instanceof Section.Inners) return true;
        return section.entries().values().stream()
                .flatMap(
                        entry ->
                                switch (entry) {
                                    case Section.Inner(Section inner) -> Stream.of(inner);
                                    case Section.Inners(List<Section> all) -> all.stream();
                                    case Section.Leaf _ -> Stream.<Section>empty();
                                })
                .anyMatch(inner -> isListOfTables(key, inner));
    }

    /** Returns one of each table. */
    static Section example() {
        Source source = Source.commandLine("");
        SourcePosition position = source.nowhere();
        Fields none = Fields.of(position, Map.of());
        Fields route =
                Fields.of(
                        position,
                        Map.of(
                                "redirect",
                                none,
                                "respond",
                                none,
                                "proxy",
                                none,
                                "cache",
                                none,
                                "script",
                                none));
        Fields upstream = Fields.of(position, Map.of("servers", list(none)));
        Fields site =
                Fields.of(
                        position,
                        Map.of(
                                "cache-control", list(none),
                                "rate-limit", none,
                                "basic-auth", none,
                                "cors", none,
                                "route", list(route)));
        Fields tls = Fields.of(position, Map.of("certificate", list(none)));
        Fields live = Fields.of(position, Map.of("history", list(none)));
        Fields listen = Fields.of(position, Map.of("tls", tls));
        Fields all =
                Fields.of(
                        position,
                        Map.of(
                                "listen",
                                list(listen),
                                "tls",
                                tls,
                                "live",
                                live,
                                "upstream",
                                list(upstream),
                                "cache",
                                list(Fields.of(position, Map.of("disk", none))),
                                "site",
                                list(site)));
        return read(source, all, new Reading(source.folder(), new Report())).document().section();
    }

    private static void find(String key, Section section, String parent, Set<String> found) {
        String of = section.inline() ? " of " + parent : "";
        if (section.asked().contains(key)) found.add(section.where() + of);
        String own = section.title();
        for (Section.Entry entry : section.entries().values()) {
            switch (entry) {
                case Section.Inner(Section inner) -> find(key, inner, own, found);
                case Section.Inners(List<Section> all) ->
                        all.forEach(one -> find(key, one, own, found));
                case Section.Leaf _ -> {}
            }
        }
    }
}
