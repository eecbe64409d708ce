// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.http.Response;
import io.sirocco.net.ScheduledTask;
import java.util.concurrent.CompletableFuture;

/** A request that waits for a fetch. Confined to the loop of the fetch that it waits for. */
final class Waiter {
    final CacheRequest request;
    final Origin origin;
    final Forward forward;
    final CompletableFuture<Response> reply = new CompletableFuture<>();

    /** Whether another request has led to the fetch. */
    boolean collapsed;

    /** Ends the wait for the fetch of another request. */
    ScheduledTask timeout;

    /** The fetch that it waits for. Read on any thread, when the client disconnects. */
    volatile OriginFetch fetch;

    volatile boolean gone;

    /** The body of the origin's response, if the request has it for itself. */
    final RelayedBody relayed = new RelayedBody();

    /** How often it has looked for another fetch. */
    int rounds;

    Waiter(CacheRequest request, Origin origin, Forward forward) {
        this.request = request;
        this.origin = origin;
        this.forward = forward;
    }
}
