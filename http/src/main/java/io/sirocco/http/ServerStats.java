// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.LoopStats;

/**
 * What one loop of a server has done, at one moment; figures may be a turn apart. Immutable.
 *
 * @param net the loop's own figures
 * @param requests since the start, refused ones included
 * @param inProgress requests whose response is not complete
 * @param rejected refused by a rule, since the start
 * @param webSockets open now; not among the requests in progress
 */
public record ServerStats(
        LoopStats net, long requests, int inProgress, long rejected, int webSockets) {}
