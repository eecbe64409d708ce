// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Config;
import io.sirocco.http.message.HeadLimits;
import io.sirocco.http.route.RouteLimits;

/**
 * The limits and timeouts of a server in bytes and milliseconds; 0 disables a timeout. Set by
 * {@link Config}. Immutable.
 *
 * @param head limits of the request line and headers
 * @param requests requests in progress on one loop
 * @param headMillis from the first byte of a head to its last
 * @param writeMillis timeout of a client that reads nothing of its response
 * @param route limits of requests whose route does not set its own
 */
public record Limits(
        HeadLimits head, int requests, long headMillis, long writeMillis, RouteLimits route) {
    /** Returns how long a connection may be without its first request. */
    public long idleMillis() {
        return route.idleMillis();
    }
}
