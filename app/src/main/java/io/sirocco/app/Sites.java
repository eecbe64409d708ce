// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.app.config.Action;
import io.sirocco.app.config.ConfigError;
import io.sirocco.app.config.Configuration;
import io.sirocco.app.config.HeaderTemplate;
import io.sirocco.app.config.Route;
import io.sirocco.app.config.RouteMatch;
import io.sirocco.app.config.Site;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.http.Monitor;
import io.sirocco.http.Percent;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.RateLimiter;
import io.sirocco.web.access.Redirect;
import io.sirocco.web.access.Respond;
import io.sirocco.web.access.Rewrite;
import io.sirocco.web.files.FileRules;
import io.sirocco.web.files.FileServer;
import io.sirocco.web.proxy.Proxy;
import io.sirocco.web.proxy.ProxyOptions;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Adds the sites of a configuration to the routes of a server, and holds what these need: filters,
 * file servers, upstreams, caches and scripts. Used by one thread, then frozen.
 */
final class Sites implements AutoCloseable {
    private static final Response NOT_FOUND = Response.text("Not Found").status(404);

    /** For a path that a server may read as one with other access rules. */
    private static final Response AMBIGUOUS =
            Response.text("The path can be read in several ways.").status(400);

    private final Map<String, RateLimiter> bandwidths; // of all configurations
    private final Map<String, Long> rates = new HashMap<>(); // of this one
    private final Configuration configuration;
    private final SiteFilters filters;
    private final SiteFiles files;
    private final Upstreams upstreams;
    private final Caches caches;
    private final boolean opens;
    private Optional<Sites> before; // until these are in effect
    private Optional<Server> server = Optional.empty(); // until these are in effect
    private Optional<SiteScripts> scripts = Optional.empty(); // until they are opened

    /**
     * @param opens whether it opens what a process cannot share with another one
     */
    Sites(
            SharedState sharedState,
            Configuration configuration,
            Optional<Sites> before,
            boolean opens) {
        this.bandwidths = sharedState.bandwidths();
        this.configuration = configuration;
        this.before = before;
        this.opens = opens;
        this.filters =
                new SiteFilters(
                        configuration, sharedState.rejections(), before.map(old -> old.filters));
        this.files = new SiteFiles(before.map(old -> old.files));
        this.upstreams =
                new Upstreams(
                        configuration,
                        sharedState.registrations(),
                        before.map(old -> old.upstreams));
        this.caches = new Caches(configuration, before.map(old -> old.caches), opens);
    }

    /**
     * Opens the scripts of the routes, if there are any. Call it before {@link #add}.
     *
     * @return the monitors that they need
     * @throws ConfigError if a folder cannot be read
     */
    List<Monitor> openScripts() {
        boolean any =
                configuration.sites().stream()
                        .flatMap(site -> site.routes().stream())
                        .anyMatch(route -> route.script().isPresent());
        if (!any || scripts.isPresent()) {
            return scripts.map(SiteScripts::monitors).orElse(List.of());
        }
        var opened =
                SiteScripts.open(
                        configuration,
                        upstreams,
                        before.flatMap(old -> old.scripts),
                        before.flatMap(old -> old.server));
        scripts = Optional.of(opened);
        return opened.monitors();
    }

    /**
     * Completes a reload: running downloads continue at the new rates, and the previous sites are
     * released.
     */
    void activate(Server server) {
        before = Optional.empty();
        this.server = Optional.of(server);
        filters.activate();
        files.activate();
        upstreams.activate(server);
        scripts.ifPresent(opened -> opened.activate(server, upstreams));
        caches.activate();
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
            placed(() -> filters.of(site, route.rules()), "site", number, "route", i);
        }
        var targets = new TargetRules(site, filters::access);
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
        Handler guarded =
                action instanceof Proxy
                        ? request ->
                                targets.bypassed(route, request)
                                        ? AMBIGUOUS
                                        : action.handle(request)
                        : action;
        Handler handler = guarded;
        boolean scripted = route.script().isPresent() && opens;
        if (scripted) {
            Filter script = scripts.orElseThrow().of(route.script().get());
            handler = request -> script.filter(request, guarded);
        }
        if (route.filesFirst()) {
            handler = filesFirst(site, route, targets, handler);
        }
        for (Filter filter : filters.of(site, route.rules()).reversed()) {
            handler = filter.before(handler);
        }
        RouteMatch match = route.match();
        for (String method : match.methods().isEmpty() ? List.of("*") : match.methods()) {
            var added = routes.route(method, route.path(), handler);
            match.headers()
                    .forEach((name, values) -> added.header(name, values.toArray(String[]::new)));
            configure(site, route, action, scripted, added);
        }
    }

    private void configure(
            Site site, Route route, Handler action, boolean scripted, io.sirocco.http.Route added) {
        if (scripted) { // which may read the body, forward, and has a timeout of its own
            added.executionMode(ExecutionMode.VIRTUAL)
                    .startBeforeBody()
                    .handlerTimeout(Duration.ZERO);
        } else if (action instanceof Proxy) {
            action.configure(added);
        } else {
            added.executionMode(ExecutionMode.INLINE).ignoreBody();
        }
        boolean serves =
                route.action() instanceof Action.Serve || route.action() instanceof Action.Rewrite;
        if (serves && !scripted) {
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
            case Action.Serve() -> serve(site, route, targets);
            case Action.Redirect(String to, int status) -> new Redirect(route.path(), to, status);
            case Action.Respond(int status, String text) -> new Respond(status, text);
            case io.sirocco.app.config.Proxy proxy ->
                    Proxy.to(
                            upstreams.of(proxy),
                            options -> {
                                set(options, proxy);
                                proxy.rewrite()
                                        .map(to -> Rewrite.ofTarget(route.path(), to))
                                        .ifPresent(options::rewrite);
                                route.caching().map(caches::of).ifPresent(options::cache);
                            });
            case Action.Rewrite(String to) -> {
                var rewrite = new Rewrite(route.path(), to);
                FileRules rules = targets.behind(route);
                yield files.of(site, route.files())
                        .<Handler>map(
                                served ->
                                        request ->
                                                guarded(
                                                        served,
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
                .allowDotSegments(proxy.allowDotSegments())
                .abortOnClose(proxy.abortOnClose());
        proxy.requestHeaders()
                .forEach(
                        (name, value) ->
                                set(name, value, options::requestHeader, options::requestHeader));
        proxy.responseHeaders()
                .forEach(
                        (name, value) ->
                                set(name, value, options::responseHeader, options::responseHeader));
    }

    private static void set(
            String name,
            String value,
            BiConsumer<String, String> constant,
            BiConsumer<String, Function<Request, String>> variable) {
        var template = HeaderTemplate.parse(value);
        if (template.constant()) {
            constant.accept(name, template.text());
        } else {
            variable.accept(name, template);
        }
    }

    private Handler serve(Site site, Route route, TargetRules targets) {
        String strip = route.files().strip();
        Optional<FileServer> server = files.of(site, route.files());
        if (server.isEmpty()) {
            return Sites::unserved;
        }
        FileServer served = server.get();
        FileRules rules = targets.behind(route);
        if (rules == FileRules.NONE) {
            if (route.path().equals("/*") && isOfCommandLine(site)) {
                return request ->
                        request.method().equals("GET")
                                ? served.serve(
                                        request, "/" + request.param("*"), rules, Sites::hinted)
                                : served.handle(request); // HEAD, and 405 for others
            }
            return route.path().equals("/*")
                    ? served
                    : request -> served.serve(request, stripped(request, strip));
        }
        boolean aliased = targets.aliased(route);
        return request -> {
            String path = stripped(request, strip);
            return aliased || TargetRules.precompressed(route, path)
                    ? guarded(served, request, path, rules)
                    : served.serve(request, path, rules);
        };
    }

    /**
     * Returns whether the command line names the directory, and nothing says what to do for 404.
     */
    private boolean isOfCommandLine(Site site) {
        Object[] root = {"site", configuration.sites().indexOf(site), "root"};
        return configuration.where(root).line() == 0
                && site.routes().isEmpty()
                && !site.files().listing()
                && site.files().fallback().isEmpty()
                && site.files().notFound().isEmpty();
    }

    /** Tells the user on this machine why a directory is not found, and what to do. */
    private static Response hinted(Request request) {
        boolean here =
                request.remoteAddress() instanceof InetSocketAddress client
                        && client.getAddress().isLoopbackAddress();
        return here && request.path().endsWith("/")
                ? Response.text(
                                "Not Found: there is no index.html at this path.\n\n"
                                        + "To list the files of a directory, start the server with --listing.\n")
                        .status(404)
                : NOT_FOUND;
    }

    /** Responds where no file can be: 405 to a method that no other route of the path has. */
    private static Response unserved(Request request) {
        Response refused = request.methodNotAllowed();
        return refused.headers().first("Allow").equals(Optional.of("OPTIONS"))
                ? NOT_FOUND
                : refused;
    }

    /** Serves a file if there is one; otherwise {@code other} responds. */
    private Handler filesFirst(Site site, Route route, TargetRules targets, Handler other) {
        String strip = route.files().strip();
        Optional<FileServer> server = files.of(site, route.files());
        if (server.isEmpty()) {
            return other;
        }
        FileServer served = server.get();
        FileRules rules = targets.behind(route);
        boolean aliased = rules != FileRules.NONE && targets.aliased(route);
        return request -> {
            String path = stripped(request, strip);
            Handler file = passed -> served.serve(passed, path, rules, other);
            boolean elsewhere =
                    aliased || rules != FileRules.NONE && TargetRules.precompressed(route, path);
            Optional<Filter> own = elsewhere ? rules.of(path) : Optional.empty();
            return own.isPresent() ? own.get().filter(request, file) : file.handle(request);
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

    Upstreams upstreams() {
        return upstreams;
    }

    Caches caches() {
        return caches;
    }

    /** Closes the scripts, files, upstreams and caches that {@code next} does not use. */
    void closeExcept(Sites next) {
        scripts.ifPresent(opened -> closeExcept(opened, next));
        upstreams.closeExcept(next.upstreams);
        caches.closeExcept(next.caches);
        files.closeExcept(next.files);
    }

    private void closeExcept(SiteScripts opened, Sites next) {
        Duration longest = configuration.server().drain();
        next.scripts.ifPresentOrElse(
                others -> opened.closeExcept(others, longest), () -> opened.closeAll(longest));
    }

    /**
     * Closes its scripts, open files, upstreams and caches; responses in progress are completed.
     */
    @Override
    public void close() {
        scripts.ifPresent(SiteScripts::close);
        files.close();
        upstreams.close();
        caches.close();
    }
}
