// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

/**
 * A second of the run.
 *
 * @param atMillis when it ended, from the beginning
 * @param phase where the run was then
 * @param wanted connections to hold
 * @param alive that were open at its end
 * @param answers that came in it
 * @param p99 latency of those, in microseconds
 * @param failures connections lost, attempts that failed and wrong answers since the beginning
 * @param serverRss resident bytes of the server at its end; 0 when its process is not known
 * @param serverCpu how much of one core the server used in it
 */
public record HoldSecond(
        long atMillis,
        Phase phase,
        int wanted,
        int alive,
        long answers,
        double p99,
        long failures,
        long serverRss,
        double serverCpu) {

    /** The course of a run. */
    public enum Phase {
        /** Until each connection has been open once, or cannot be opened. */
        OPENING,
        /** For the duration. */
        HOLDING,
        /** Nobody asks any more. */
        RESTING
    }
}
