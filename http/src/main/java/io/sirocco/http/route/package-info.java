// SPDX-License-Identifier: Apache-2.0
/**
 * From host, path and method to the target of a request.
 *
 * <p>In reading order: {@link io.sirocco.http.route.Router} looks up a request; {@link
 * io.sirocco.http.route.Hosts} finds its {@link io.sirocco.http.route.VirtualHost}, which is a tree
 * of {@link io.sirocco.http.route.RouteNode}s made from {@link io.sirocco.http.route.PathPattern}s;
 * {@link io.sirocco.http.route.RouteTarget} is what it finds: a handler, where it runs, and its
 * {@link io.sirocco.http.route.RouteLimits}. {@link io.sirocco.http.route.UnmatchedFilters} are the
 * filters of requests that no route matches.
 *
 * <p>Thread rule: everything is immutable once a server's configuration is frozen.
 */
package io.sirocco.http.route;
