// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.Bandwidth;
import java.util.Optional;

/**
 * A route, frozen.
 *
 * @param path its pattern, behind the host of its site if it has one
 * @param body bytes of a request body; -1 for any number
 * @param deadlineMillis until the response begins; 0 for ever
 * @param readsBody whether the handler may look at the body: one that does not is called at once
 */
record Endpoint(
        String path,
        Handler handler,
        Handling handling,
        long body,
        long deadlineMillis,
        Optional<Bandwidth> reads,
        Optional<Bandwidth> writes,
        boolean readsBody) {

    static Endpoint of(Route route, Limits limits) {
        return new Endpoint(
                route.host + route.path,
                route.handler,
                route.handling,
                route.body == Route.UNSET ? limits.body() : route.body,
                route.deadline == Route.UNSET ? limits.handlerMillis() : route.deadline,
                Optional.ofNullable(route.reads),
                Optional.ofNullable(route.writes),
                route.readsBody);
    }

    /** What answers a request that no route matches. */
    static Endpoint of(Handler handler, Limits limits) {
        return new Endpoint(
                "",
                handler,
                Handling.INLINE,
                limits.body(),
                0,
                Optional.empty(),
                Optional.empty(),
                false);
    }

    /** Whether the body is to be complete before the handler is called. */
    boolean collectsBody() {
        return readsBody && handling == Handling.INLINE;
    }

    /** Whether it has a bandwidth of its own. */
    boolean paced() {
        return reads.isPresent() || writes.isPresent();
    }
}
