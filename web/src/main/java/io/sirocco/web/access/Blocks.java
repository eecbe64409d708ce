// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import java.util.ArrayList;
import java.util.List;

/**
 * Networks of one version of IP, sorted by their first address. Of two networks that overlap, one
 * contains the other. Without those that are contained, only the last network that does not begin
 * after an address can contain it. It is found by a binary search, without an allocation.
 * Immutable.
 */
final class Blocks {
    private final long[] high;
    private final long[] low;
    private final long[] highMask;
    private final long[] lowMask;

    Blocks(List<Network> networks) {
        List<Network> disjoint = new ArrayList<>();
        for (Network network : networks.stream().sorted(Blocks::compare).toList()) {
            if (disjoint.isEmpty() || !disjoint.getLast().contains(network)) {
                disjoint.add(network);
            }
        }
        high = disjoint.stream().mapToLong(Network::high).toArray();
        low = disjoint.stream().mapToLong(Network::low).toArray();
        highMask = disjoint.stream().mapToLong(Network::highMask).toArray();
        lowMask = disjoint.stream().mapToLong(Network::lowMask).toArray();
    }

    /**
     * Compares by first address, then by prefix, so that a network follows one that contains it.
     */
    private static int compare(Network a, Network b) {
        int high = Long.compareUnsigned(a.high(), b.high());
        int low = high != 0 ? high : Long.compareUnsigned(a.low(), b.low());
        return low != 0 ? low : Integer.compare(a.prefix(), b.prefix());
    }

    boolean contains(long addressHigh, long addressLow) {
        int from = 0;
        int to = high.length;
        while (from < to) {
            int middle = (from + to) >>> 1;
            int order = Long.compareUnsigned(high[middle], addressHigh);
            if (order < 0 || order == 0 && Long.compareUnsigned(low[middle], addressLow) <= 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        int last = from - 1;
        return last >= 0
                && (addressHigh & highMask[last]) == high[last]
                && (addressLow & lowMask[last]) == low[last];
    }
}
