// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Action;
import io.sirocco.app.config.BasicAuth;
import io.sirocco.app.config.Cache;
import io.sirocco.app.config.CacheControl;
import io.sirocco.app.config.Cors;
import io.sirocco.app.config.Files;
import io.sirocco.app.config.Network;
import io.sirocco.app.config.RateLimit;
import io.sirocco.app.config.Route;
import io.sirocco.app.config.Rules;
import io.sirocco.app.config.Site;
import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Handling;
import io.sirocco.http.Percent;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.net.Bandwidth;
import io.sirocco.net.Clock;
import io.sirocco.net.Root;
import io.sirocco.web.access.AddressRules;
import io.sirocco.web.access.CanonicalHost;
import io.sirocco.web.access.HeaderRules;
import io.sirocco.web.access.Networks;
import io.sirocco.web.access.Redirect;
import io.sirocco.web.access.Rejections;
import io.sirocco.web.access.Respond;
import io.sirocco.web.access.Rewrite;
import io.sirocco.web.access.Users;
import io.sirocco.web.compress.Coding;
import io.sirocco.web.files.FileOptions;
import io.sirocco.web.files.FileServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The sites of a configuration as routes. A request passes, from the outside in: fields of the
 * response, the canonical host, addresses, rate limit, CORS, password; then it is served. What is
 * the same for several routes is made once: a limit that a route inherits counts for both. Used by
 * one thread, then frozen.
 */
final class Sites implements AutoCloseable {
    private static final Response NOT_FOUND = Response.text("Not Found").status(404);

    private final Rejections rejections;
    private final Map<Served, FileServer> servers = new HashMap<>();
    private final Map<RateLimit, Filter> limits = new HashMap<>();
    private final Map<BasicAuth, Filter> doors = new HashMap<>();

    /** What two routes must agree on to have their files from the same place. */
    private record Served(Files files, Cache cache, Map<String, String> mime) {}

    Sites(Rejections rejections) {
        this.rejections = rejections;
    }

    /**
     * Adds the routes of all of {@code sites}.
     *
     * @throws Misfit for what cannot be, and says where
     */
    void add(List<Site> sites, Routes routes) {
        for (int i = 0; i < sites.size(); i++) {
            Site site = sites.get(i);
            int number = i;
            if (site.hosts().isEmpty()) {
                add(site, number, routes);
            }
            for (String host : site.hosts()) {
                routes.host(host, hosted -> add(site, number, hosted));
            }
        }
    }

    private void add(Site site, int number, Routes routes) {
        if (site.routes().stream().noneMatch(route -> route.path().equals("/*"))) {
            var all = new Route("/*", new Action.Serve(), site.files(), site.rules(), 0);
            placed(() -> add(site, all, routes), "site", number);
        }
        for (int i = 0; i < site.routes().size(); i++) {
            Route route = site.routes().get(i);
            placed(() -> add(site, route, routes), "site", number, "route", i);
        }
    }

    private static void placed(Runnable task, Object... path) {
        try {
            task.run();
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw new Misfit(e, path);
        }
    }

    private void add(Site site, Route route, Routes routes) {
        Handler handler = action(site, route);
        for (Filter filter : filters(site, route.rules()).reversed()) {
            Handler next = handler;
            handler = request -> filter.filter(request, next);
        }
        var added =
                routes.route("*", route.path(), handler).handling(Handling.INLINE).ignoresBody();
        if (route.bandwidthOut() > 0) {
            added.bandwidth(
                    Bandwidth.perSecond(Bandwidth.UNLIMITED),
                    Bandwidth.perSecond(route.bandwidthOut()));
        }
    }

    // ---- what is served

    private Handler action(Site site, Route route) {
        return switch (route.action()) {
            case Action.Serve() -> files(site, route);
            case Action.Redirect(String to, int status) -> new Redirect(route.path(), to, status);
            case Action.Respond(int status, String text) -> new Respond(status, text);
            case Action.Rewrite(String to) -> {
                var rewrite = new Rewrite(route.path(), to);
                yield server(site, route.files())
                        .<Handler>map(
                                files ->
                                        request ->
                                                files.serve(
                                                        request,
                                                        Percent.decode(rewrite.apply(request))))
                        .orElse(request -> NOT_FOUND);
            }
        };
    }

    private Handler files(Site site, Route route) {
        String strip = route.files().strip();
        Optional<FileServer> server = server(site, route.files());
        if (server.isEmpty()) {
            return request -> NOT_FOUND;
        }
        FileServer files = server.get();
        if (route.path().equals("/*")) {
            return files;
        }
        return request -> files.serve(request, stripped(request, strip));
    }

    private static String stripped(Request request, String strip) {
        String path = Percent.decode(request.path());
        String rest = path.startsWith(strip) ? path.substring(strip.length()) : path;
        return rest.startsWith("/") ? rest : "/" + rest;
    }

    private Optional<FileServer> server(Site site, Files files) {
        return files.root()
                .map(
                        root ->
                                servers.computeIfAbsent(
                                        new Served(files, site.cache(), site.mime()),
                                        served -> FileServer.of(root, o -> set(o, served))));
    }

    private static void set(FileOptions options, Served served) {
        Files files = served.files;
        options.index(files.index().toArray(String[]::new))
                .listing(files.listing())
                .hiddenFiles(files.hiddenFiles())
                .symbolicLinks(Root.Links.valueOf(files.symbolicLinks().name()))
                .charset(files.charset())
                .maxRanges(files.maxRanges())
                .precompressed(codings(files.precompressed()))
                .compress(codings(files.compress()))
                .compressFrom(files.compressFrom())
                .compressTypes(files.compressTypes().toArray(String[]::new))
                .cache(served.cache.bytes())
                .cacheFile(served.cache.largest())
                .cacheCheck(served.cache.check());
        files.fallback().ifPresent(options::fallback);
        files.notFound().ifPresent(options::notFound);
        for (CacheControl rule : files.cacheControl()) {
            options.cacheControl(rule.files(), rule.value());
        }
        served.mime.forEach(options::mime);
    }

    private static Coding[] codings(List<String> names) {
        return names.stream()
                .map(
                        name ->
                                switch (name) {
                                    case "br" -> Coding.BROTLI;
                                    case "zst", "zstd" -> Coding.ZSTD;
                                    case "gz", "gzip" -> Coding.GZIP;
                                    default -> throw new AssertionError(name);
                                })
                .toArray(Coding[]::new);
    }

    // ---- what stands before it

    private List<Filter> filters(Site site, Rules rules) {
        var filters = new ArrayList<Filter>();
        filters.add(
                new HeaderRules(
                        rules.securityHeaders(),
                        rules.hsts(),
                        rules.hstsSubdomains(),
                        rules.headers(),
                        Request::secure));
        site.canonicalHost()
                .ifPresent(host -> filters.add(new CanonicalHost(host, Request::secure)));
        if (!rules.allow().isEmpty() || !rules.deny().isEmpty()) {
            filters.add(
                    new AddressRules(networks(rules.allow()), networks(rules.deny()), rejections));
        }
        rules.rateLimit()
                .ifPresent(limit -> filters.add(limits.computeIfAbsent(limit, this::limit)));
        rules.cors().ifPresent(cors -> filters.add(cors(cors)));
        rules.basicAuth().ifPresent(auth -> filters.add(doors.computeIfAbsent(auth, this::door)));
        return filters;
    }

    private static Networks networks(List<Network> networks) {
        return Networks.of(networks.stream().map(Network::toString).toList());
    }

    private Filter limit(RateLimit limit) {
        return new io.sirocco.web.access.RateLimit(
                limit.requests(),
                limit.per(),
                limit.burst(),
                limit.addresses(),
                Clock.system(),
                rejections);
    }

    private Filter cors(Cors cors) {
        return new io.sirocco.web.access.Cors(
                cors.origins(),
                cors.methods(),
                cors.headers(),
                cors.expose(),
                cors.credentials(),
                cors.maxAge(),
                rejections);
    }

    private Filter door(BasicAuth auth) {
        return new io.sirocco.web.access.BasicAuth(
                auth.realm(), users(auth.users()), Clock.system(), rejections);
    }

    private static Users users(Path file) {
        try {
            return Users.read(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** Closes the files that it has open; what is being sent is sent. */
    @Override
    public void close() {
        servers.values().forEach(FileServer::close);
    }
}
