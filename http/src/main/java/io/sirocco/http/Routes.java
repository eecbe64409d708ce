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
 * Which handler answers what. A path is made of literal segments, {@code {name}} for one segment,
 * and a last {@code *} for all the rest; the most specific route wins, in whatever order they were
 * added. {@code GET} serves {@code HEAD}, and {@code OPTIONS} is answered by itself. Used by one
 * thread, then frozen.
 *
 * <pre>{@code
 * routes.get("/hello/{name}", request -> Response.text("Hello, " + request.param("name")));
 * routes.group("/admin", admin -> admin.filter(login).post("/reload", reload));
 * routes.host("static.example.com", site -> site.get("/*", files));
 * }</pre>
 */
public final class Routes {
    private final String host;
    private final String prefix;
    private final List<Filter> filters;
    private final ExecutionMode handling;
    private final List<Route> all;
    private final List<Mount> mounts;
    private final List<UnmatchedFilters.Scope> unmatched;

    Routes(ExecutionMode handling) {
        this(
                "",
                "",
                new ArrayList<>(),
                handling,
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>());
    }

    private Routes(
            String host,
            String prefix,
            List<Filter> filters,
            ExecutionMode handling,
            List<Route> all,
            List<Mount> mounts,
            List<UnmatchedFilters.Scope> unmatched) {
        this.host = host;
        this.prefix = prefix;
        this.filters = filters;
        this.handling = handling;
        this.all = all;
        this.mounts = mounts;
        this.unmatched = unmatched;
    }

    /** Answers {@code GET}, and {@code HEAD} from what it answers. */
    public Routes get(String path, Handler handler) {
        return add("GET", path, handler);
    }

    /** Answers {@code POST}. */
    public Routes post(String path, Handler handler) {
        return add("POST", path, handler);
    }

    /** Answers {@code PUT}. */
    public Routes put(String path, Handler handler) {
        return add("PUT", path, handler);
    }

    /** Answers {@code PATCH}. */
    public Routes patch(String path, Handler handler) {
        return add("PATCH", path, handler);
    }

    /** Answers {@code DELETE}. */
    public Routes delete(String path, Handler handler) {
        return add("DELETE", path, handler);
    }

    /** Answers every method that no other route of this path answers. */
    public Routes any(String path, Handler handler) {
        return add(Router.ANY, path, handler);
    }

    /**
     * A route of any method, to be refined: {@code routes.route("GET", "/x", h).handling(INLINE)}.
     */
    public Route route(String method, String path, Handler handler) {
        var route =
                new Route(
                        method,
                        host,
                        prefix + path,
                        RouteTarget.filtered(filters, handler),
                        handling);
        all.add(route);
        return route;
    }

    /**
     * Has {@code filter} stand before all routes that are added here from now on; the first added
     * is the outermost. One that {@linkplain Filter#seesUnmatched asks for it} stands before what
     * no route matches as well, as by {@link #filterAll}.
     */
    public Routes filter(Filter filter) {
        if (filter.seesUnmatched()) {
            return filterAll(filter);
        }
        filters.add(filter);
        return this;
    }

    /**
     * The same, and {@code filter} also stands before the answers to requests that no route
     * matches: 404, 405, and {@code OPTIONS} that is answered by itself. It does so for all paths
     * of this group and of this host, whenever its routes are added; the request that it sees then
     * has no parameters of a path.
     */
    public Routes filterAll(Filter filter) {
        filters.add(filter);
        unmatched.add(new UnmatchedFilters.Scope(host, prefix, filter));
        return this;
    }

    /**
     * Adds routes whose paths begin with {@code prefix}; filters added among them concern them
     * only.
     */
    public Routes group(String prefix, Consumer<Routes> routes) {
        routes.accept(
                new Routes(
                        host,
                        this.prefix + prefix,
                        new ArrayList<>(filters),
                        handling,
                        all,
                        mounts,
                        unmatched));
        return this;
    }

    /** Has {@code mount} answer what is at {@code path} and below, and tells it of the end. */
    public Routes mount(String path, Mount mount) {
        mounts.add(mount);
        return group(path, mount::addTo);
    }

    /**
     * Adds routes of one virtual host: {@code example.com}, or {@code *.example.com} for all below
     * it.
     */
    public Routes host(String host, Consumer<Routes> routes) {
        routes.accept(
                new Routes(
                        host, prefix, new ArrayList<>(filters), handling, all, mounts, unmatched));
        return this;
    }

    /**
     * The names of the parameters of a path, {@code *} for the wildcard; for those who read paths
     * from a file.
     *
     * @throws IllegalArgumentException for a path that no route can have, which says why
     */
    public static List<String> parameters(String path) {
        return List.of(PathPattern.parse(path).names());
    }

    /**
     * A host as {@link #host} takes it, in lower case.
     *
     * @throws IllegalArgumentException for what is no such host, which says why
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
