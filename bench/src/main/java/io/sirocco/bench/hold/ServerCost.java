// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The cost of holding the connections, to the server's processes. Bytes, where nothing else is
 * said; a growth may be negative. Immutable.
 *
 * @param pids its processes
 * @param heapBefore bytes that lived on its heap before the first connection; absent unless it is a
 *     JVM
 * @param heap the same at the end, when all connections are open and idle
 * @param rssBefore resident bytes before the first connection
 * @param rss at the end
 * @param rssMost the highest value seen
 * @param descriptors open at the end
 * @param userSeconds CPU time in its own code during the holding phase
 * @param systemSeconds CPU time in the kernel during the holding phase
 * @param busyShare how much of one core that was
 * @param idleShare how much of one core it used while nobody asked; absent when the run was
 *     interrupted
 */
public record ServerCost(
        List<Long> pids,
        OptionalLong heapBefore,
        OptionalLong heap,
        long rssBefore,
        long rss,
        long rssMost,
        int descriptors,
        double userSeconds,
        double systemSeconds,
        double busyShare,
        OptionalDouble idleShare) {

    /** By how much the heap grew; absent unless it is a JVM. */
    public OptionalLong heapGrowth() {
        return heap.isPresent() && heapBefore.isPresent()
                ? OptionalLong.of(heap.getAsLong() - heapBefore.getAsLong())
                : OptionalLong.empty();
    }
}
