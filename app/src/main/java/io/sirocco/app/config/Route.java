// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One {@code [[site.route]]}, with the options that it inherits. Immutable.
 *
 * @param match the requests that it is for
 * @param caching the cache of the proxy; empty: none
 * @param filesFirst whether files come before the scripts and the action
 * @param script scripts in front of the action; empty: none
 * @param bandwidthOut bytes per second of all its responses together; 0 for no limit
 * @param connectionBandwidthOut the same of each connection
 * @param idle the keep-alive timeout after a response of this route; empty for that of the server
 */
public record Route(
        RouteMatch match,
        Action action,
        Optional<Caching> caching,
        boolean filesFirst,
        Optional<Script> script,
        Files files,
        Rules rules,
        long bandwidthOut,
        long connectionBandwidthOut,
        Optional<Duration> idle) {

    /** Creates a route for all requests of a path, without limits of its own. */
    public Route(String path, Action action, Files files, Rules rules) {
        this(
                RouteMatch.of(path),
                action,
                Optional.empty(),
                false,
                Optional.empty(),
                files,
                rules,
                0,
                0,
                Optional.empty());
    }

    /** Returns the path pattern, as {@link io.sirocco.http.Routes} takes it. */
    public String path() {
        return match.path();
    }

    /**
     * Reads a route that inherits from {@code behind}: the routes that cover it, the nearest first,
     * and its site.
     */
    static Route read(Table own, RouteMatch match, List<Table> behind) {
        Action action = Action.read(own, match.pattern().parameters());
        Optional<Caching> caching = own.inlineTextOrTrue("cache", "name", Caching::read);
        boolean filesFirst = own.value("files-first", Values::flag).orElse(false);
        Optional<Script> script = own.inlineOrText("script", "folder", Script::read);
        long bandwidth = own.value("bandwidth-out", Values.size(0, Long.MAX_VALUE)).orElse(0L);
        long each =
                own.value("connection-bandwidth-out", Values.size(0, Long.MAX_VALUE)).orElse(0L);
        Optional<Duration> idle = own.value("idle-timeout", Values.time(Duration.ZERO));
        String strip = strip(own, behind);
        Table table = own.before(behind);
        var route =
                new Route(
                        match,
                        action,
                        caching,
                        filesFirst,
                        script,
                        Files.read(table, strip),
                        Rules.read(table),
                        bandwidth,
                        each,
                        idle);
        own.end();
        route.check(own);
        return route;
    }

    /** Returns the prefix to strip, which belongs to a root: both are inherited together. */
    private static String strip(Table own, List<Table> behind) {
        own.value("strip", Values.text(Texts::page));
        return Stream.concat(Stream.of(own), behind.stream())
                .filter(table -> table.sets("root") || table.sets("strip"))
                .findFirst()
                .flatMap(table -> table.peek("strip"))
                .orElse("");
    }

    private void check(Table own) {
        if (filesFirst) {
            filesFirst(own);
        } else if (!own.sets("files-first") && !(action instanceof Action.Serve)) {
            for (String key : List.of("root", "strip")) {
                if (own.sets(key) && !(action instanceof Action.Rewrite)) {
                    own.error(key, "this route serves no files", noFiles(key));
                }
            }
        }
        if (caching.isPresent() && !(action instanceof Proxy)) {
            own.error(
                    "cache",
                    "this route has no \"proxy\" whose responses could be stored",
                    "add proxy = ..., or remove \"cache\"; files have the cache of [[site]]");
        }
        if (action instanceof Action.Redirect(String to, _)
                && to.equals(path().replace("*", "{*}"))) {
            own.error("redirect", "every request is redirected to itself", "");
        }
        preflights(own);
        if (action instanceof Proxy proxy && !covered(path(), proxy.strip())) {
            own.error(
                    "proxy",
                    "the path of the route does not begin with \"" + proxy.strip() + "\"",
                    "\"strip\" is removed from the beginning of the path \"" + path() + "\"");
        }
        if ((filesFirst || !(action instanceof Proxy))
                && own.sets("strip")
                && !covered(path(), files.strip())) {
            own.error(
                    "strip",
                    "the path of the route does not begin with \"" + files.strip() + "\"",
                    "the path is \"" + path() + "\"");
        }
    }

    private String noFiles(String key) {
        if (!(action instanceof Proxy)) return "remove \"" + key + "\"";
        return key.equals("root")
                ? "to serve its files before \"proxy\", add files-first = true"
                : "write proxy = { to = ..., strip = ... }";
    }

    private void filesFirst(Table own) {
        if (files.root().isEmpty()) {
            own.error("files-first", "there are no files to serve", "set \"root\"");
        }
        if (action instanceof Action.Serve && script.isEmpty()) {
            own.warning(
                    "files-first",
                    "this route serves nothing but files",
                    "add proxy = ... for all other requests, or remove it");
        }
        for (String key : List.of("fallback", "not-found")) {
            if (own.sets(key)) {
                own.warning(
                        key,
                        "\"" + key + "\" has no effect",
                        "requests without a file go on, by files-first = true");
            }
        }
    }

    /** A preflight is an OPTIONS request without the headers of the request that follows. */
    private void preflights(Table own) {
        boolean options = match.methods().isEmpty() || match.methods().contains("OPTIONS");
        if (rules.cors().isEmpty() || !own.sets("cors") || options && match.headers().isEmpty()) {
            return;
        }
        own.warning(
                "cors",
                "preflight requests do not match this route",
                options
                        ? "they do not have the headers of \"match-headers\""
                        : "add \"OPTIONS\" to \"methods\"");
    }

    private static boolean covered(String path, String prefix) {
        String whole = prefix.endsWith("/") ? prefix : prefix + "/";
        return prefix.isEmpty() || path.equals(prefix) || path.startsWith(whole);
    }
}
