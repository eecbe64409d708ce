// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Checks that each line of a valid file has an effect, where other options decide about it: options
 * of files where none are served, variables where there are none, the path of a single request
 * where many are meant, options of what is off. Used by one thread.
 */
final class Effects {
    /** The options of {@link Files} and of the site, which concern files alone. */
    private static final List<String> OF_FILES =
            List.of(
                    "index",
                    "listing",
                    "fallback",
                    "not-found",
                    "hidden-files",
                    "symbolic-links",
                    "charset",
                    "max-ranges",
                    "precompressed",
                    "compress",
                    "compress-from",
                    "compress-types",
                    "cache-control");

    private final Report report;
    private final Configuration all;
    private Configuration defaults; // once they are needed

    Effects(Report report, Configuration all) {
        this.report = report;
        this.all = all;
    }

    void check() {
        for (int i = 0; i < all.sites().size(); i++) {
            Site site = all.sites().get(i);
            if (site.routes().isEmpty() && site.files().root().isEmpty()) continue; // told already
            boolean files = site.files().root().isPresent();
            for (int j = 0; j < site.routes().size(); j++) {
                Route route = site.routes().get(j);
                files |= servesFiles(route);
                if (!leadsToFiles(site, route))
                    files("route", route.files(), "site", i, "route", j);
                constants("site", i, "route", j);
                single(site, route, "site", i, "route", j);
            }
            if (!files) files("site", site.files(), "site", i);
            constants("site", i);
        }
        off();
    }

    // ---- files

    private static boolean servesFiles(Route route) {
        boolean own =
                route.action() instanceof Action.Serve
                        || route.action() instanceof Action.Rewrite
                        || route.filesFirst();
        return own && route.files().root().isPresent();
    }

    /** Returns whether a route serves files, or passes its options on to one that does. */
    private static boolean leadsToFiles(Site site, Route route) {
        return servesFiles(route)
                || route.files().root().isEmpty() && route.action() instanceof Action.Serve
                || site.routes().stream()
                        .anyMatch(
                                other -> servesFiles(other) && route.match().covers(other.match()));
    }

    private void files(String what, Files files, Object... table) {
        for (String key : OF_FILES) {
            if (node(with(table, key)) == null || value(files, key).equals(usual(key))) continue;
            none(
                    "this " + what + " serves no files; set \"root\" to a directory, or remove it",
                    with(table, key));
        }
    }

    /** Returns an option of files, of which a file may have the default without a warning. */
    private static Object value(Files files, String key) {
        return switch (key) {
            case "index" -> files.index();
            case "listing" -> files.listing();
            case "fallback" -> files.fallback();
            case "not-found" -> files.notFound();
            case "hidden-files" -> files.hiddenFiles();
            case "symbolic-links" -> files.symbolicLinks();
            case "charset" -> files.charset();
            case "max-ranges" -> files.maxRanges();
            case "precompressed" -> files.precompressed();
            case "compress" -> files.compress();
            case "compress-from" -> files.compressFrom();
            case "compress-types" -> files.compressTypes();
            case "cache-control" -> files.cacheControl();
            default -> throw new AssertionError(key);
        };
    }

    private Object usual(String key) {
        return value(usual().sites().getFirst().files(), key);
    }

    /** Returns the defaults of all options. */
    private Configuration usual() {
        if (defaults == null) {
            Source source = Source.of("defaults", all.document().source().folder(), "[[site]]\n");
            try {
                var reading = new Reading(source.folder(), new Report());
                defaults = Configuration.parse(source, Overrides.NONE, reading);
            } catch (InvalidConfiguration e) {
                throw new AssertionError(e);
            }
        }
        return defaults;
    }

    // ---- variables

    /** The headers of a site or a route are constants. */
    private void constants(Object... table) {
        if (!(node(with(table, "headers")) instanceof Node.Fields(var headers, _))) return;
        for (Map.Entry<?, ?> each : headers.entrySet()) {
            Object[] path = with(with(table, "headers"), (String) each.getKey());
            if (!(node(path) instanceof Node.Text(String value, var position))) continue;
            Optional<String> variable = HeaderTemplate.firstVariable(value);
            if (variable.isEmpty() || report.concerns(position)) continue;
            report.warning(
                    position,
                    "\"headers\" has no variables, so clients get {%s} as it stands"
                            .formatted(variable.get()),
                    "variables are for request-headers and response-headers of proxy = { ... }");
        }
    }

    // ---- paths

    /** A path that ends with a slash is that of one request; below it, other routes decide. */
    private void single(Site site, Route route, Object... table) {
        String path = route.path();
        boolean many =
                route.action() instanceof Proxy
                        || route.script().isPresent()
                        || route.action() instanceof Action.Serve
                                && node(with(table, "root")) != null;
        if (!many || !path.endsWith("/")) return;
        boolean home = path.equals("/") && (site.routes().size() > 1 || hasRoot(site));
        boolean others =
                site.routes().stream()
                        .anyMatch(other -> other != route && other.path().equals(path + "*"));
        SourcePosition position = position(with(table, "path"));
        if (home || others || report.concerns(position)) return;
        report.warning(
                position,
                "no path below \"" + path + "\" matches this route",
                "write \"" + path + "*\" for all of them");
    }

    private static boolean hasRoot(Site site) {
        return site.files().root().isPresent();
    }

    // ---- what is off

    private void off() {
        if (all.admin().address().isEmpty() && !all.admin().healthOpen()) {
            none("the admin server is off; set \"address\" to start it", "admin", "health-open");
        }
        if (all.accessLog().file() instanceof LogFile.Unset) {
            if (all.accessLog().format() != AccessLog.Format.JSON) {
                none("there is no access log; set \"file\"", "access-log", "format");
            }
        }
        if (!all.live().on()
                && node("live") instanceof Node.Fields(var live, _)
                && !all.live().equals(usual().live())) {
            live.keySet().stream()
                    .filter(key -> !key.equals("on"))
                    .forEach(
                            key ->
                                    none(
                                            "event channels are off; set on = true in [live]",
                                            "live",
                                            key));
        }
        for (int i = 0; i < all.sites().size(); i++) {
            subdomains(all.sites().get(i).rules(), "site", i);
            List<Route> routes = all.sites().get(i).routes();
            for (int j = 0; j < routes.size(); j++) {
                subdomains(routes.get(j).rules(), "site", i, "route", j);
            }
        }
    }

    private void subdomains(Rules rules, Object... table) {
        if (rules.hsts().isZero() && rules.hstsSubdomains()) {
            none("set \"hsts\" to a duration", with(table, "hsts-subdomains"));
        }
    }

    // ---- the file

    /** Warns of an option if it is set. */
    private void none(String hint, Object... path) {
        if (node(path) == null) return;
        SourcePosition position = position(path);
        if (report.concerns(position)) return;
        report.warning(position, "\"" + path[path.length - 1] + "\" has no effect", hint);
    }

    private Node node(Object... path) {
        return all.document().node(path);
    }

    private SourcePosition position(Object... path) {
        return all.document().position(path);
    }

    private static Object[] with(Object[] path, String key) {
        return Stream.concat(Stream.of(path), Stream.of(key)).toArray();
    }
}
