// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.net.TransportKind;

/**
 * What the generator needed itself. Immutable.
 *
 * @param processes how many held the connections
 * @param sources addresses of our own; 0 when the system chose
 * @param heapGrowth bytes by which the live heaps grew
 * @param rssGrowth bytes by which resident memory grew
 * @param busyShare how much of one core all of them used together during the holding phase
 */
public record GeneratorCost(
        int processes,
        TransportKind transport,
        int sources,
        long heapGrowth,
        long rssGrowth,
        double busyShare) {}
