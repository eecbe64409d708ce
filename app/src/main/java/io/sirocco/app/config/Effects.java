// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
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
                    "cache-control",
                    "cache-file",
                    "cache-check",
                    "mime");

    private static final List<String> CERTIFIES = List.of("certificate", "self-signed");

    private final Report report;
    private final Configuration all;

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
                if (!leadsToFiles(site, route)) files("route", "site", i, "route", j);
                constants("site", i, "route", j);
                pages(route.files(), servesFiles(route), "site", i, "route", j);
                single(site, route, "site", i, "route", j);
            }
            if (!files) files("site", "site", i);
            constants("site", i);
            pages(site.files(), files, "site", i);
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

    private void files(String what, Object... table) {
        for (String key : OF_FILES) {
            none(
                    "this " + what + " serves no files; set \"root\" to a directory, or remove it",
                    with(table, key));
        }
    }

    /** Warns of pages that do not exist in a root; they may be deployed later. */
    private void pages(Files files, boolean serves, Object... table) {
        if (!serves || files.root().isEmpty()) return;
        page("fallback", files.fallback(), files.root().get(), table);
        page("not-found", files.notFound(), files.root().get(), table);
    }

    private void page(String key, Optional<String> page, Path root, Object... table) {
        boolean isOwn = node(with(table, key)) != null;
        if (page.isEmpty() || !isOwn && node(with(table, "root")) == null) return;
        SourcePosition position = position(with(table, isOwn ? key : "root"));
        if (report.concerns(position)) return;
        Path file;
        try {
            file = root.resolve(page.get().substring(1));
        } catch (InvalidPathException e) {
            return; // no file can have this name, which is an error of its own
        }
        if (java.nio.file.Files.exists(file)) return;
        report.warning(
                position,
                "\"%s\": %s does not exist".formatted(key, file),
                "until it does, such requests get a 404 without this page; its path begins at"
                        + " \"root\"");
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
        if (all.admin().address().isEmpty()) {
            none("the admin server is off; set \"address\" to start it", "admin", "health-open");
        }
        if (!all.live().on() && node("live") instanceof Node.Fields(var live, _)) {
            for (String key : live.keySet()) {
                none("event channels are off; set on = true in [live]", "live", key);
            }
        }
        boolean used = all.listen().stream().anyMatch(it -> it.tls() && it.own().isEmpty());
        if (!used && node("tls") instanceof Node.Fields(var tls, _)) {
            for (String key : tls.keySet()) {
                if (CERTIFIES.contains(key)) continue; // told already
                none("no address uses it; set tls = true in a [[listen]]", "tls", key);
            }
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

    /** Warns of an option if it is set to something else than its default. */
    private void none(String hint, Object... path) {
        if (!all.document().section().changes(path)) return;
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
