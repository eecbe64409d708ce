// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Filter;
import io.sirocco.http.Routes;
import io.sirocco.http.message.RequestHead;
import io.sirocco.http.message.TargetForm;
import io.sirocco.http.route.Router.Found;
import io.sirocco.net.TaskKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/** The filters that apply to requests that no route matches, by host and prefix. Immutable. */
public final class UnmatchedFilters {
    /** Where a filter was added by {@link Routes#filterAll}. */
    public record Scope(String host, String prefix, Filter filter) {
        /** Returns whether everything in {@code other} is in this scope. */
        boolean contains(Scope other) {
            boolean sameHost =
                    host.isEmpty()
                            || host.equals(other.host)
                            || host.startsWith("*.") && other.host.endsWith(host.substring(1));
            return sameHost
                    && (other.prefix.equals(prefix) || other.prefix.startsWith(slashed(prefix)));
        }
    }

    private final Router<List<Filter>> scopes; // null for no filter
    private final ExecutionMode handling;
    private final RouteLimits limits;
    private final TaskKind kind = TaskKind.of("filters of requests without a route");

    private UnmatchedFilters(
            Router<List<Filter>> scopes, ExecutionMode handling, RouteLimits limits) {
        this.scopes = scopes;
        this.handling = handling;
        this.limits = limits;
    }

    /** Takes the filters in the order in which they were added. */
    public static UnmatchedFilters of(
            List<Scope> filters, ExecutionMode handling, RouteLimits limits) {
        var byPlace = new LinkedHashMap<String, Router.Route<List<Filter>>>();
        for (Scope scope : filters) {
            List<Filter> all =
                    filters.stream()
                            .filter(each -> each.contains(scope))
                            .map(Scope::filter)
                            .toList();
            var paths = new ArrayList<>(List.of(slashed(scope.prefix) + "*"));
            if (!scope.prefix.isEmpty()) {
                paths.add(scope.prefix);
            }
            for (String path : paths) {
                byPlace.put(
                        scope.host + named(path),
                        new Router.Route<>(Router.ANY, scope.host, named(path), all));
            }
        }
        return new UnmatchedFilters(
                byPlace.isEmpty() ? null : new Router<>(List.copyOf(byPlace.values())),
                handling,
                limits);
    }

    private static String slashed(String prefix) {
        return prefix.endsWith("/") ? prefix : prefix + "/";
    }

    /**
     * Returns the path with parameters named by their positions, so that names make no difference.
     */
    private static String named(String path) {
        var named = new StringBuilder();
        for (int at = 0, count = 0; at < path.length(); at++) {
            int end = path.charAt(at) == '{' ? path.indexOf('}', at) : -1;
            if (end > at) {
                named.append("{p").append(count++).append('}');
                at = end;
            } else {
                named.append(path.charAt(at));
            }
        }
        return named.toString();
    }

    public boolean none() {
        return scopes == null;
    }

    /** Returns {@code target} with the filters for the requested path before it. */
    public RouteTarget before(RouteTarget target, RequestHead head) {
        boolean hasPath = head.form() == TargetForm.ORIGIN || head.form() == TargetForm.ABSOLUTE;
        if (!hasPath
                || !(scopes.match(head.method(), head.hasHost() ? head.host() : "", head.path())
                        instanceof Found<List<Filter>>(List<Filter> filters, PathParams _))) {
            return target;
        }
        return target.behind(
                filters,
                handling,
                limits.handlerMillis(),
                handling == ExecutionMode.LOOP ? null : kind);
    }
}
