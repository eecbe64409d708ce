// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Filter;
import io.sirocco.http.Handler;
import io.sirocco.net.RateLimiter;
import io.sirocco.net.TaskKind;
import java.util.List;

/**
 * A frozen route. Immutable.
 *
 * @param path the pattern, preceded by the virtual host if there is one
 * @param bandwidth the limits of the route, and of its connections
 * @param kind identifies the handler and its writers to the loops; null if they never move
 * @param readsBody whether the handler waits for the body; otherwise it is called at once
 */
public record RouteTarget(
        String path,
        Handler handler,
        ExecutionMode mode,
        RouteLimits limits,
        Buckets bandwidth,
        TaskKind kind,
        boolean readsBody) {

    /** Token buckets by what they limit. Immutable. */
    public record Buckets(
            List<RateLimiter> reads,
            List<RateLimiter> writes,
            List<RateLimiter> eachRead,
            List<RateLimiter> eachWrite) {
        public static final Buckets NONE = new Buckets(List.of(), List.of(), List.of(), List.of());

        /** Returns these buckets, each of which may be null. */
        public static Buckets of(
                RateLimiter reads,
                RateLimiter writes,
                RateLimiter eachRead,
                RateLimiter eachWrite) {
            if (reads == null && writes == null && eachRead == null && eachWrite == null) {
                return NONE;
            }
            return new Buckets(list(reads), list(writes), list(eachRead), list(eachWrite));
        }

        private static List<RateLimiter> list(RateLimiter bucket) {
            return bucket == null ? List.of() : List.of(bucket);
        }
    }

    /** Returns the target of requests that no route matches. */
    public static RouteTarget of(Handler handler, RouteLimits limits) {
        var unlimited =
                new RouteLimits(
                        limits.body(),
                        0,
                        limits.bodyMillis(),
                        limits.bodyRate(),
                        limits.idleMillis());
        return new RouteTarget(
                "", handler, ExecutionMode.INLINE, unlimited, Buckets.NONE, null, false);
    }

    /** Returns the kind of a listener's calls; null if it is always called on the loop. */
    public TaskKind listenerKind() {
        return mode == ExecutionMode.INLINE ? null : kind;
    }

    /** Returns this target with filters before it, which may wait for {@code handlerMillis}. */
    RouteTarget behind(
            List<Filter> filters, ExecutionMode mode, long handlerMillis, TaskKind kind) {
        var longer =
                new RouteLimits(
                        limits.body(),
                        handlerMillis,
                        limits.bodyMillis(),
                        limits.bodyRate(),
                        limits.idleMillis());
        Handler filtered = filtered(filters, handler);
        return new RouteTarget(path, filtered, mode, longer, bandwidth, kind, readsBody);
    }

    /** Wraps {@code handler} in {@code filters}, of which the first is the outermost. */
    public static Handler filtered(List<Filter> filters, Handler handler) {
        Handler chain = handler;
        for (Filter filter : filters.reversed()) {
            chain = filter.before(chain);
        }
        return chain;
    }

    /** Returns whether the handler is called when the body is complete. */
    public boolean collectsBody() {
        return readsBody && mode == ExecutionMode.INLINE;
    }
}
