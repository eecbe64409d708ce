// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.util.Optional;

/**
 * A second of the run. Immutable.
 *
 * @param atMillis when it ended, from the beginning
 * @param millis how long it was; the last one of a phase may be shorter
 * @param phase where the run was then
 * @param wanted connections to hold
 * @param alive that were open at its end
 * @param answers that came in it
 * @param latency of those
 * @param counts since the beginning
 * @param server what it used; absent when its process is not known
 * @param generator what this program used
 * @param kernel memory of the whole machine's kernel; absent where it does not say
 * @param shares of the kernel's memory; absent unless server and generator have control groups of
 *     their own
 */
public record HoldSecond(
        long atMillis,
        long millis,
        Phase phase,
        int wanted,
        int alive,
        long answers,
        Latency latency,
        Counts counts,
        Optional<ProcessUse> server,
        ProcessUse generator,
        Optional<KernelMemory> kernel,
        Optional<KernelShares> shares) {

    /** The course of a run. */
    public enum Phase {
        /** Until each connection has been open once, or cannot be opened. */
        OPENING,
        /** For the duration. */
        HOLDING,
        /** Nobody asks any more. */
        RESTING
    }

    /** Answers per second. */
    public double rate() {
        return answers * 1e3 / Math.max(1, millis);
    }

    /** Connections lost, attempts that failed and wrong answers since the beginning. */
    public long failures() {
        return counts.lost() + counts.unopened() + counts.wrong();
    }
}
