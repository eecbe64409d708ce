// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.message.HeadLimits;
import io.sirocco.http.route.RouteLimits;

/**
 * What a server accepts, and how long it waits: bytes and milliseconds; 0 disables a timeout. Set
 * through {@link Config}. Immutable.
 *
 * @param head sizes of a request head
 * @param requests requests in progress on one loop
 * @param headMillis from the first byte of a head to its last
 * @param writeMillis a client that takes nothing of what is sent to it
 * @param route limits of requests whose route does not set its own
 */
record Limits(HeadLimits head, int requests, long headMillis, long writeMillis, RouteLimits route) {
    /** Returns how long a connection may be without its first request. */
    long idleMillis() {
        return route.idleMillis();
    }
}
