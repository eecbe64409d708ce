// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

/**
 * Limits of the requests of one route: bytes and milliseconds; 0 disables a timeout. Immutable.
 *
 * @param body bytes of a request body; -1 for any number
 * @param handlerMillis a handler, until its response begins
 * @param bodyMillis a body that is wanted: this long at first, and as long again as its bytes take
 *     at {@code bodyRate}
 * @param bodyRate bytes per second that a client must send at least
 * @param idleMillis a connection without a request behind one of this route
 */
public record RouteLimits(
        long body, long handlerMillis, long bodyMillis, long bodyRate, long idleMillis) {}
