// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.exchange.DateAndServer;
import io.sirocco.http.exchange.Limits;
import io.sirocco.http.exchange.ServerContext;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.http.route.Router;
import io.sirocco.http.route.UnmatchedFilters;
import io.sirocco.net.TaskKind;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;

/**
 * A configuration and its routes. Immutable.
 *
 * @param kinds the task kinds of the routes, by method, host and path; a reload keeps those of
 *     routes that it contains
 */
record ServerPlan(
        Config config,
        Router<RouteTarget> router,
        List<Mount> mounts,
        UnmatchedFilters unmatched,
        Response optionsOfServer,
        Map<String, TaskKind> kinds) {

    static ServerPlan of(
            Consumer<Config> configure, Consumer<Routes> routes, Map<String, TaskKind> before) {
        var kinds = new HashMap<String, TaskKind>();
        var config = new Config();
        Given.of("The lambda of the configuration", configure).accept(config);
        if (config.addresses.isEmpty()) {
            throw new IllegalArgumentException(
                    "The server has no address: call port() or listen().");
        }
        var all = new Routes(config.executionMode);
        Given.of("The lambda of the routes", routes).accept(all);
        all.checkFilters();
        Limits limits = config.limits();
        var table =
                all.all().stream()
                        .map(
                                route ->
                                        new Router.Route<>(
                                                route.method,
                                                route.host,
                                                route.path,
                                                route.requiredHeaders,
                                                route.target(
                                                        limits.route(),
                                                        kind(route, before, kinds))))
                        .toList();
        return new ServerPlan(
                config,
                new Router<>(table),
                List.copyOf(all.mounts()),
                UnmatchedFilters.of(all.unmatched(), config.executionMode, limits.route()),
                Response.empty(204).header("Allow", String.join(", ", methods(all.all()))),
                Map.copyOf(kinds));
    }

    /** Returns the methods of all routes, for {@code OPTIONS *} (RFC 9110 9.3.7). */
    private static Set<String> methods(List<Route> routes) {
        var methods = new LinkedHashSet<String>();
        for (Route route : routes) {
            methods.addAll(route.methods());
        }
        if (methods.contains("GET")) {
            methods.add("HEAD");
        }
        methods.add("OPTIONS");
        return methods;
    }

    /** A route keeps its task kind over a reload. */
    private static TaskKind kind(
            Route route, Map<String, TaskKind> before, Map<String, TaskKind> kinds) {
        String name = route.toString();
        return kinds.computeIfAbsent(name, fresh -> before.getOrDefault(fresh, TaskKind.of(fresh)));
    }

    ServerContext serverContext(String id, ExecutorService pool) {
        return new ServerContext(
                id,
                router,
                config.limits(),
                new DateAndServer(config.serverHeader),
                config.monitor,
                config.trustedProxies,
                config.errorPages,
                pool,
                config.sniHostCheck,
                unmatched,
                optionsOfServer);
    }
}
