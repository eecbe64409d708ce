// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.route;

/**
 * The limits of the requests of one route in bytes and milliseconds; 0 disables a timeout.
 * Immutable.
 *
 * @param body maximum bytes of a request body; -1 for no limit
 * @param handlerMillis until the response begins
 * @param bodyMillis time to wait for a body, in addition to the time that its bytes take at {@code
 *     bodyRate}
 * @param bodyRate bytes per second that a client must send at least
 * @param idleMillis timeout of a connection after a response of this route
 */
public record RouteLimits(
        long body, long handlerMillis, long bodyMillis, long bodyRate, long idleMillis) {}
