// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Action;
import io.sirocco.app.config.BasicAuth;
import io.sirocco.app.config.Cache;
import io.sirocco.app.config.CacheControl;
import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.Cors;
import io.sirocco.app.config.Files;
import io.sirocco.app.config.Network;
import io.sirocco.app.config.RateLimit;
import io.sirocco.app.config.Route;
import io.sirocco.app.config.RouteMatch;
import io.sirocco.app.config.Rules;
import io.sirocco.app.config.Site;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Percent;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.Clock;
import io.sirocco.net.RateLimiter;
import io.sirocco.net.RootDirectory;
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
import io.sirocco.web.files.FileRules;
import io.sirocco.web.files.FileServer;
import io.sirocco.web.proxy.Proxy;
import io.sirocco.web.proxy.ProxyOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Adds the sites of a configuration to the routes of a server. A request passes these filters in
 * order: response headers, canonical host, addresses, rate limit, CORS, password. Routes share
 * filters with equal options, so an inherited limit counts for both. Used by one thread, then
 * frozen.
 */
final class Sites implements AutoCloseable {
    /** The maximum size of a file cache, which leaves the rest of the heap to connections. */
    private static final long MOST_CACHED = Runtime.getRuntime().maxMemory() / 4;

    private static final Response NOT_FOUND = Response.text("Not Found").status(404);

    private final Rejections rejections;
    private final Map<String, RateLimiter> bandwidths; // of all configurations
    private final Map<String, Long> rates = new HashMap<>(); // of this one
    private final Map<Served, FileServer> servers = new HashMap<>();
    private final Map<RateLimit, Filter> limits = new LinkedHashMap<>();
    private final Map<BasicAuth, Filter> logins = new HashMap<>();
    private Optional<Before> before; // until these are in effect
    private final Map<RateLimit, Filter> unclaimed = new LinkedHashMap<>();

    /** The options that two routes must have in common to share a file server. */
    private record Served(Files files, Cache cache, Map<String, String> mime) {}

    /**
     * The previous sites: their file caches, counts and passwords are kept where the options are
     * equal.
     */
    record Before(Sites sites, Configuration configuration) {}

    private final Configuration configuration;
    private final Upstreams upstreams;

    Sites(SharedState sharedState, Configuration configuration, Optional<Before> before) {
        this.rejections = sharedState.rejections();
        this.bandwidths = sharedState.bandwidths();
        this.configuration = configuration;
        this.before = before;
        this.upstreams =
                new Upstreams(
                        configuration,
                        sharedState.registrations(),
                        before.map(old -> old.sites.upstreams));
        before.ifPresent(old -> unclaimed.putAll(old.sites.limits));
        claimLimits();
    }

    /**
     * Keeps the counts of unchanged limits: first of those at the same position, then of any that
     * is equal.
     */
    private void claimLimits() {
        Set<RateLimit> wanted =
                configuration.sites().stream()
                        .flatMap(
                                site ->
                                        Stream.concat(
                                                Stream.of(site.rules()),
                                                site.routes().stream().map(Route::rules)))
                        .flatMap(rules -> rules.rateLimit().stream())
                        .collect(Collectors.toCollection(LinkedHashSet::new));
        for (RateLimit limit : wanted) {
            Filter same = unclaimed.remove(limit);
            if (same != null) limits.put(limit, same);
        }
        for (RateLimit limit : wanted) {
            if (limits.containsKey(limit)) continue;
            unclaimed.keySet().stream()
                    .filter(old -> limit.equals(old.at(limit.position())))
                    .findFirst()
                    .ifPresent(old -> limits.put(limit, unclaimed.remove(old)));
        }
    }

    /**
     * Completes a reload: running downloads continue at the new rates, and the previous sites are
     * released.
     */
    void inForce(Server server) {
        before = Optional.empty();
        upstreams.inForce(server);
        unclaimed.clear();
        bandwidths.forEach(
                (key, bandwidth) -> {
                    long rate = rates.getOrDefault(key, RateLimiter.UNLIMITED);
                    if (bandwidth.rate() != rate) {
                        bandwidth.rate(rate);
                    }
                });
        bandwidths.keySet().retainAll(rates.keySet());
    }

    private RateLimiter bandwidth(String key, long rate) {
        rates.put(key, rate);
        return bandwidths.computeIfAbsent(key, first -> RateLimiter.perSecond(rate));
    }

    /**
     * Adds the routes of all of {@code sites}.
     *
     * @throws ConfigError if an option cannot be used
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
        for (int i = 0; i < site.routes().size(); i++) { // each reports its own errors
            Route route = site.routes().get(i);
            placed(() -> filters(site, route.rules()), "site", number, "route", i);
        }
        var targets = new TargetRules(site, this::access);
        if (site.routes().stream()
                .noneMatch(route -> route.path().equals("/*") && route.match().isOnlyPath())) {
            var all = new Route("/*", new Action.Serve(), site.files(), site.rules());
            placed(() -> add(site, all, targets, routes), "site", number);
        }
        for (int i = 0; i < site.routes().size(); i++) {
            Route route = site.routes().get(i);
            placed(() -> add(site, route, targets, routes), "site", number, "route", i);
        }
    }

    private static void placed(Runnable task, Object... path) {
        try {
            task.run();
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw new ConfigError(e, path);
        }
    }

    private void add(Site site, Route route, TargetRules targets, Routes routes) {
        Handler action = action(site, route, targets);
        Handler handler = action;
        for (Filter filter : filters(site, route.rules()).reversed()) {
            Handler next = handler;
            handler = request -> filter.filter(request, next);
        }
        RouteMatch match = route.match();
        for (String method : match.methods().isEmpty() ? List.of("*") : match.methods()) {
            var added = routes.route(method, route.path(), handler);
            match.headers()
                    .forEach((name, values) -> added.header(name, values.toArray(String[]::new)));
            configure(site, route, action, added);
        }
    }

    private void configure(Site site, Route route, Handler action, io.sirocco.http.Route added) {
        if (action instanceof Proxy) {
            action.configure(added);
        } else {
            added.executionMode(ExecutionMode.INLINE).ignoreBody();
        }
        if (route.action() instanceof Action.Serve || route.action() instanceof Action.Rewrite) {
            added.allow("GET", "HEAD");
        }
        route.idle().ifPresent(added::idleTimeout);
        String key = String.join(",", site.hosts()) + route.match();
        if (route.connectionBandwidthOut() > 0) {
            added.connectionBandwidth(
                    RateLimiter.perSecond(RateLimiter.UNLIMITED),
                    bandwidth("each " + key, route.connectionBandwidthOut()));
        }
        if (route.bandwidthOut() > 0) {
            added.bandwidth(
                    RateLimiter.perSecond(RateLimiter.UNLIMITED),
                    bandwidth("all " + key, route.bandwidthOut()));
        }
    }

    // ---- actions

    private Handler action(Site site, Route route, TargetRules targets) {
        return switch (route.action()) {
            case Action.Serve() -> files(site, route, targets);
            case Action.Redirect(String to, int status) -> new Redirect(route.path(), to, status);
            case Action.Respond(int status, String text) -> new Respond(status, text);
            case io.sirocco.app.config.Proxy proxy ->
                    Proxy.to(upstreams.of(proxy), options -> set(options, proxy));
            case Action.Rewrite(String to) -> {
                var rewrite = new Rewrite(route.path(), to);
                FileRules rules = targets.behind(route);
                yield server(site, route.files())
                        .<Handler>map(
                                files ->
                                        request ->
                                                guarded(
                                                        files,
                                                        request,
                                                        Percent.decode(rewrite.apply(request)),
                                                        rules))
                        .orElse(request -> NOT_FOUND);
            }
        };
    }

    private static void set(ProxyOptions options, io.sirocco.app.config.Proxy proxy) {
        options.strip(proxy.strip())
                .prefix(proxy.prefix())
                .host(proxy.host())
                .forwarded(proxy.forwarded())
                .rewriteLocation(proxy.rewriteLocation())
                .rewriteCookiePath(proxy.rewriteCookiePath())
                .upgrades(proxy.upgrades().toArray(String[]::new))
                .allowDotSegments(proxy.allowDotSegments());
        proxy.requestHeaders().forEach(options::requestHeader);
        proxy.responseHeaders().forEach(options::responseHeader);
    }

    private Handler files(Site site, Route route, TargetRules targets) {
        String strip = route.files().strip();
        Optional<FileServer> server = server(site, route.files());
        if (server.isEmpty()) {
            return request -> NOT_FOUND;
        }
        FileServer files = server.get();
        FileRules rules = targets.behind(route);
        if (rules == FileRules.NONE) {
            return route.path().equals("/*")
                    ? files
                    : request -> files.serve(request, stripped(request, strip));
        }
        boolean aliased = targets.aliased(route);
        return request -> {
            String path = stripped(request, strip);
            return aliased || TargetRules.precompressed(route, path)
                    ? guarded(files, request, path, rules)
                    : files.serve(request, path, rules);
        };
    }

    /** Serves a file that may have another path, if the request passes the rules of that path. */
    private static Response guarded(FileServer files, Request request, String path, FileRules rules)
            throws Exception {
        Handler served = passed -> files.serve(passed, path, rules);
        Optional<Filter> own = rules.of(path);
        return own.isPresent() ? own.get().filter(request, served) : served.handle(request);
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
                                        served ->
                                                known(served)
                                                        .orElseGet(
                                                                () ->
                                                                        FileServer.of(
                                                                                root,
                                                                                o ->
                                                                                        set(
                                                                                                o,
                                                                                                served)))));
    }

    /** Returns the previous file server with its cache, which is compared with the disk once. */
    private Optional<FileServer> known(Served served) {
        Optional<FileServer> known =
                before.flatMap(old -> Optional.ofNullable(old.sites.servers.get(served)));
        known.ifPresent(FileServer::lookAgain);
        return known;
    }

    private static void set(FileOptions options, Served served) {
        Files files = served.files;
        options.index(files.index().toArray(String[]::new))
                .listing(files.listing())
                .hiddenFiles(files.hiddenFiles())
                .symbolicLinks(RootDirectory.Links.valueOf(files.symbolicLinks().name()))
                .charset(files.charset())
                .maxRanges(files.maxRanges())
                .precompressed(codings(files.precompressed()))
                .compress(codings(files.compress()))
                .compressFrom(files.compressFrom())
                .compressTypes(files.compressTypes().toArray(String[]::new))
                .cache(Math.min(served.cache.bytes(), MOST_CACHED))
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

    // ---- filters

    private List<Filter> filters(Site site, Rules rules) {
        var filters = new ArrayList<Filter>();
        filters.add(
                new HeaderRules(
                        rules.securityHeaders(),
                        rules.hsts(),
                        rules.hstsSubdomains(),
                        rules.headers(),
                        Request::isSecure));
        site.canonicalHost()
                .ifPresent(host -> filters.add(new CanonicalHost(host, Request::isSecure)));
        filters.addAll(access(rules));
        return filters;
    }

    /** Returns the filters for access: addresses, rate, origins, password. */
    private List<Filter> access(Rules rules) {
        var filters = new ArrayList<Filter>();
        if (!rules.allow().isEmpty() || !rules.deny().isEmpty()) {
            filters.add(
                    new AddressRules(networks(rules.allow()), networks(rules.deny()), rejections));
        }
        rules.rateLimit()
                .ifPresent(limit -> filters.add(limits.computeIfAbsent(limit, this::limit)));
        rules.cors().ifPresent(cors -> filters.add(cors(cors)));
        rules.basicAuth().ifPresent(auth -> filters.add(logins.computeIfAbsent(auth, this::login)));
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

    private Filter login(BasicAuth auth) {
        Optional<Filter> known =
                before.filter(
                                old ->
                                        configuration.hasFilesOf(
                                                old.configuration, List.of(auth.users())))
                        .flatMap(old -> Optional.ofNullable(old.sites.logins.get(auth)));
        return known.orElseGet(() -> newLogin(auth));
    }

    private Filter newLogin(BasicAuth auth) {
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

    Upstreams upstreams() {
        return upstreams;
    }

    /** Closes the files and upstreams that {@code next} does not use. */
    void closeBehind(Sites next) {
        upstreams.closeBehind(next.upstreams);
        servers.values().stream()
                .filter(files -> !next.servers.containsValue(files))
                .forEach(FileServer::close);
    }

    /** Closes its open files and upstreams; responses in progress are completed. */
    @Override
    public void close() {
        servers.values().forEach(FileServer::close);
        upstreams.close();
    }
}
