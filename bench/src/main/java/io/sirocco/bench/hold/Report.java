// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.bench.Histograms;
import org.HdrHistogram.Histogram;

/**
 * How the connections of one process stand. Immutable; the histogram must not be changed.
 *
 * @param wanted connections to hold
 * @param alive that are open
 * @param busy that wait for an answer
 * @param settled that have been open once, or never will be
 * @param hopeless that will not be opened any more
 * @param openMillis how long it took until all were settled; -1 before that
 * @param bodyLength of the first right answer; -1 before that, or when lengths are asked for
 * @param counts since the beginning
 * @param refusal why an attempt to connect failed, the first time; null if none has
 * @param heap bytes of the process's heap that are in use, garbage included
 * @param latency in nanoseconds, since the last report
 */
record Report(
        int wanted,
        int alive,
        int busy,
        int settled,
        int hopeless,
        long openMillis,
        long bodyLength,
        Counts counts,
        String refusal,
        long heap,
        Histogram latency) {

    boolean opened() {
        return settled == wanted;
    }

    /** Whether there is none, and never will be. */
    boolean over() {
        return hopeless == wanted;
    }

    /**
     * Both together. Without a length to ask for, all answers must have that of the first: if the
     * first ones differ already, one of them is wrong.
     */
    Report plus(Report other) {
        boolean differ = bodyLength >= 0 && other.bodyLength >= 0 && bodyLength != other.bodyLength;
        Counts wrong = differ ? Counts.NONE.andWrongLength() : Counts.NONE;
        Histogram both = Histograms.none();
        both.add(latency);
        both.add(other.latency);
        return new Report(
                wanted + other.wanted,
                alive + other.alive,
                busy + other.busy,
                settled + other.settled,
                hopeless + other.hopeless,
                openMillis < 0 || other.openMillis < 0
                        ? -1
                        : Math.max(openMillis, other.openMillis),
                bodyLength >= 0 ? bodyLength : other.bodyLength,
                counts.plus(other.counts).plus(wrong),
                refusal != null ? refusal : other.refusal,
                heap + other.heap,
                both);
    }
}
