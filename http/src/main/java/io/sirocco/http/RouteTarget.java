// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.Bandwidth;
import io.sirocco.net.TaskKind;
import java.util.List;

/**
 * A route, frozen.
 *
 * @param path its pattern, behind the host of its site if it has one
 * @param body bytes of a request body; -1 for any number
 * @param deadlineMillis until the response begins; 0 for ever
 * @param bodyMillis that a client may take for a body at first; 0 for ever
 * @param bodyRate bytes per second of a body that earn it more time
 * @param idleMillis without a request behind this one; 0 for ever
 * @param bandwidth its own, and that of its connections
 * @param kind what its handler and its writers are to the loops; null if they never leave them
 * @param readsBody whether the handler waits for the body: one that does not is called at once
 */
record RouteTarget(
        String path,
        Handler handler,
        ExecutionMode handling,
        long body,
        long deadlineMillis,
        long bodyMillis,
        long bodyRate,
        long idleMillis,
        Buckets bandwidth,
        TaskKind kind,
        boolean readsBody) {

    /** Buckets by what they count. Immutable. */
    record Buckets(
            List<Bandwidth> reads,
            List<Bandwidth> writes,
            List<Bandwidth> eachRead,
            List<Bandwidth> eachWrite) {
        static final Buckets NONE = new Buckets(List.of(), List.of(), List.of(), List.of());

        static Buckets of(Route route) {
            var buckets =
                    new Buckets(
                            list(route.reads),
                            list(route.writes),
                            list(route.eachRead),
                            list(route.eachWrite));
            return buckets.equals(NONE) ? NONE : buckets;
        }

        private static List<Bandwidth> list(Bandwidth bucket) {
            return bucket == null ? List.of() : List.of(bucket);
        }
    }

    static RouteTarget of(Route route, Limits limits, TaskKind kind) {
        return new RouteTarget(
                route.host + route.path,
                route.handler,
                route.executionMode,
                route.maxBodyBytes == Route.UNSET ? limits.body() : route.maxBodyBytes,
                route.handlerTimeout == Route.UNSET ? limits.handlerMillis() : route.handlerTimeout,
                route.bodyMillis == Route.UNSET ? limits.bodyMillis() : route.bodyMillis,
                route.bodyRate == Route.UNSET ? limits.bodyRate() : route.bodyRate,
                route.idleMillis == Route.UNSET ? limits.idleMillis() : route.idleMillis,
                Buckets.of(route),
                route.executionMode == ExecutionMode.LOOP ? null : kind,
                route.readsBody);
    }

    /** What answers a request that no route matches. */
    static RouteTarget of(Handler handler, Limits limits) {
        return new RouteTarget(
                "",
                handler,
                ExecutionMode.INLINE,
                limits.body(),
                0,
                limits.bodyMillis(),
                limits.bodyRate(),
                limits.idleMillis(),
                Buckets.NONE,
                null,
                false);
    }

    /** The kind of a listener's calls: null for one that is always called on the loop. */
    TaskKind listenerKind() {
        return handling == ExecutionMode.INLINE ? null : kind;
    }

    /** The same with another handler before it, which may wait. */
    RouteTarget behind(Handler filters, ExecutionMode handling, Limits limits, TaskKind kind) {
        return new RouteTarget(
                path,
                filters,
                handling,
                body,
                limits.handlerMillis(),
                bodyMillis,
                bodyRate,
                idleMillis,
                bandwidth,
                kind,
                readsBody);
    }

    /** Whether the body is to be complete before the handler is called. */
    boolean collectsBody() {
        return readsBody && handling == ExecutionMode.INLINE;
    }

    /** Whether it has a bandwidth of its own. */
    boolean paced() {
        return bandwidth != Buckets.NONE;
    }
}
