// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.LoopStats;

/**
 * The counters of one event loop of a server, a snapshot whose values may be a turn of the loop
 * apart. Returned by {@link Server#stats}. Immutable.
 *
 * @param net the counters of the loop itself
 * @param requests requests since the start, including refused ones
 * @param inProgress requests whose response is not complete, or whose handler has not returned
 * @param rejected requests refused with a {@link RequestError} since the start
 * @param webSockets open WebSockets, which are not in {@code inProgress}
 */
public record ServerStats(
        LoopStats net, long requests, int inProgress, long rejected, int webSockets) {}
