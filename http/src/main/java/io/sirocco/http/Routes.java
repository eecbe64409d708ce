// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.route.Hosts;
import io.sirocco.http.route.PathPattern;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.http.route.Router;
import io.sirocco.http.route.UnmatchedFilters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The routes of a server: maps methods and path patterns to handlers. Routes are added in the
 * lambda given to {@link Server#start(int, Consumer) Server.start} and frozen when it returns.
 *
 * <pre>{@code
 * routes.get("/hello/{name}", request -> Response.text("Hello, " + request.param("name")));
 * routes.get("/files/*", request -> Response.text("file " + request.param("*")));
 * routes.group("/admin", admin -> admin.filter(login).post("/reload", reload));
 * routes.host("static.example.com", site -> site.get("/*", files));
 * }</pre>
 *
 * <p>A path pattern consists of literal segments, {@code {name}} for one segment that is not empty,
 * and an optional {@code *} at its end for the rest of the path, or {@code *.png} for a rest with
 * this suffix. The most specific route wins, regardless of the order in which routes are added: a
 * literal before {@code {name}} before {@code *.png} before {@code *}. A route may also {@linkplain
 * Route#header require headers}. Two routes that match the same requests are an error at start.
 * Paths are case-sensitive and not normalised, and a trailing slash counts. Validate paths that
 * come from a client before you open files by them.
 *
 * <p>{@code GET} routes serve {@code HEAD}, too. {@code OPTIONS} gets a response with {@code
 * Allow}, another method 405 with {@code Allow} (RFC 9110 15.5.6), another path 404.
 *
 * <p>Not thread-safe.
 */
public final class Routes {
    private final String host;
    private final String prefix;
    private final List<Added> filters;
    private final List<Added> allFilters;
    private final ExecutionMode handling;
    private final List<Route> all;
    private final List<Mount> mounts;
    private final List<UnmatchedFilters.Scope> unmatched;

    /** A filter, and whether it applies to anything. */
    private static final class Added {
        final Filter filter;
        final String where;
        boolean used;

        Added(Filter filter, String where) {
            this.filter = filter;
            this.where = where;
        }
    }

    Routes(ExecutionMode handling) {
        this(
                "",
                "",
                new ArrayList<>(),
                new ArrayList<>(),
                handling,
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>());
    }

    private Routes(
            String host,
            String prefix,
            List<Added> filters,
            List<Added> allFilters,
            ExecutionMode handling,
            List<Route> all,
            List<Mount> mounts,
            List<UnmatchedFilters.Scope> unmatched) {
        this.host = host;
        this.prefix = prefix;
        this.filters = filters;
        this.allFilters = allFilters;
        this.handling = handling;
        this.all = all;
        this.mounts = mounts;
        this.unmatched = unmatched;
    }

    /** Adds a route for {@code GET} and {@code HEAD}. */
    public Routes get(String path, Handler handler) {
        return add("GET", path, handler);
    }

    /** Adds a route for {@code POST}. */
    public Routes post(String path, Handler handler) {
        return add("POST", path, handler);
    }

    /** Adds a route for {@code PUT}. */
    public Routes put(String path, Handler handler) {
        return add("PUT", path, handler);
    }

    /** Adds a route for {@code PATCH}. */
    public Routes patch(String path, Handler handler) {
        return add("PATCH", path, handler);
    }

    /** Adds a route for {@code DELETE}. */
    public Routes delete(String path, Handler handler) {
        return add("DELETE", path, handler);
    }

    /** Adds a route for all methods that no other route of this path serves. */
    public Routes any(String path, Handler handler) {
        return add(Router.ANY, path, handler);
    }

    /**
     * Adds a route and returns it, so that it can be given settings of its own: {@code
     * routes.route("POST", "/video", handler).maxBodyBytes(2L << 30)}.
     *
     * @param method a method in upper case, such as {@code GET}, or {@code *} for any method
     */
    public Route route(String method, String path, Handler handler) {
        Given.of("The path of a route for " + method, path);
        Given.of("The handler of " + method + " " + host + prefix + path, handler);
        for (Added each : filters) {
            each.used = true;
        }
        List<Filter> before = filters.stream().map(each -> each.filter).toList();
        var route =
                new Route(
                        method,
                        host,
                        prefix + path,
                        RouteTarget.filtered(before, handler),
                        handling);
        handler.configure(route);
        if (!filters.isEmpty()) {
            route.executionMode(handling);
        }
        all.add(route);
        return route;
    }

    /**
     * Adds a filter for all routes of this group that are added after it; a filter without such a
     * route is an error at start. The first filter added is the outermost. A filter whose {@link
     * Filter#seesUnmatched} returns true is added as by {@link #filterAll}.
     */
    public Routes filter(Filter filter) {
        if (Given.of("The filter of " + place(), filter).seesUnmatched()) {
            return filterAll(filter);
        }
        add(filter);
        return this;
    }

    /**
     * Adds a filter that also applies to requests that no route matches: 404, 405 and automatic
     * {@code OPTIONS} responses. For these it covers all paths of this group and its host,
     * regardless of the order of routes; such a request has no path parameters.
     */
    public Routes filterAll(Filter filter) {
        add(Given.of("The filter of " + place(), filter)).used = true;
        unmatched.add(new UnmatchedFilters.Scope(host, prefix, filter));
        return this;
    }

    private Added add(Filter filter) {
        var added = new Added(filter, place());
        filters.add(added);
        allFilters.add(added);
        return added;
    }

    private String place() {
        return host.isEmpty() && prefix.isEmpty() ? "the server" : "\"" + host + prefix + "\"";
    }

    /**
     * Checks that each filter applies to a route, once all of them are added.
     *
     * @throws IllegalArgumentException if one does not: it would protect nothing
     */
    void checkFilters() {
        for (Added each : allFilters) {
            if (!each.used) {
                throw new IllegalArgumentException(
                        "The filter "
                                + each.filter.getClass().getName()
                                + " of "
                                + each.where
                                + " applies to no route: add it before the routes that it is for,"
                                + " or with filterAll.");
            }
        }
    }

    /**
     * Adds routes whose paths begin with {@code prefix}. Filters added inside the group apply to
     * the group only.
     */
    public Routes group(String prefix, Consumer<Routes> routes) {
        Given.of("The prefix of a group", prefix);
        Given.of("The routes of the group \"" + prefix + "\"", routes);
        routes.accept(inside(host, this.prefix + prefix));
        return this;
    }

    /** Returns what adds routes of a group, which begins with the filters of this one. */
    private Routes inside(String host, String prefix) {
        return new Routes(
                host,
                prefix,
                new ArrayList<>(filters),
                allFilters,
                handling,
                all,
                mounts,
                unmatched);
    }

    /**
     * Adds a mount, which serves {@code path} and everything below it. The server drains it when it
     * stops.
     */
    public Routes mount(String path, Mount mount) {
        mounts.add(Given.of("The mount at \"" + path + "\"", mount));
        return group(path, mount::addTo);
    }

    /**
     * Adds routes of a virtual host. Requests for the host that match none of them are matched
     * against the routes without a host.
     *
     * @param host a host name without a port, or {@code *.example.com} for every host below {@code
     *     example.com}
     */
    public Routes host(String host, Consumer<Routes> routes) {
        Given.of("The host of routes", host);
        Given.of("The routes of the host \"" + host + "\"", routes);
        routes.accept(inside(host, prefix));
        return this;
    }

    /**
     * Returns the names of the parameters in a path pattern, {@code *} for what a {@code *} stands
     * for. Validates patterns that come from a configuration file.
     *
     * @throws IllegalArgumentException if the pattern is invalid; the message says why
     */
    public static List<String> parameters(String path) {
        return List.of(PathPattern.parse(path).names());
    }

    /**
     * Returns a host or host pattern as {@link #host} accepts it, in lower case.
     *
     * @throws IllegalArgumentException if it is invalid; the message says why
     */
    public static String hostPattern(String host) {
        return Hosts.check(host);
    }

    private Routes add(String method, String path, Handler handler) {
        route(method, path, handler);
        return this;
    }

    List<Route> all() {
        return all;
    }

    List<UnmatchedFilters.Scope> unmatched() {
        return unmatched;
    }

    List<Mount> mounts() {
        return mounts;
    }
}
