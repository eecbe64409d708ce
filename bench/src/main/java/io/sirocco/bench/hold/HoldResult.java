// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.util.List;
import java.util.Optional;

/**
 * What became of the connections, and what they cost. Immutable.
 *
 * @param wanted connections to hold
 * @param alive that were open at the end
 * @param openedSeconds how long it took until each had been open once, or could not be opened
 * @param heldSeconds the holding phase; 0 when the run ended before it
 * @param interrupted whether it was ended early
 * @param counts over the whole run
 * @param refusal why an attempt to connect failed, the first time
 * @param rate answers per second of the holding phase
 * @param expectedRate connections / mean think time
 * @param opening latency until all were open
 * @param holding latency from then on
 * @param server absent when its process is not known
 * @param kernel by how much the kernel's memory of the whole machine grew; absent where it does not
 *     say
 * @param shares the part of it that server and generator are charged; absent unless they have
 *     control groups of their own
 * @param caches of the kernel that grew, the most first; none unless root asks
 * @param overTime an entry for each second
 */
public record HoldResult(
        int wanted,
        int alive,
        double openedSeconds,
        double heldSeconds,
        boolean interrupted,
        Counts counts,
        Optional<String> refusal,
        double rate,
        double expectedRate,
        Latency opening,
        Latency holding,
        Optional<ServerCost> server,
        Optional<KernelMemory> kernel,
        Optional<KernelShares> shares,
        List<SlabCache> caches,
        GeneratorCost generator,
        List<HoldSecond> overTime) {

    /** Whether all could be opened, none was lost, and all answers were right. */
    public boolean clean() {
        return alive == wanted && counts.clean();
    }

    /** Bytes for each connection that is alive; 0 when none is. */
    public double perConnection(long bytes) {
        return alive == 0 ? 0 : (double) bytes / alive;
    }
}
