// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import org.HdrHistogram.Histogram;

/** Latencies in nanoseconds, from 1 ns to an hour, three significant digits. */
public final class Histograms {
    private static final long LONGEST = 3_600_000_000_000L;

    private Histograms() {}

    /** One that nothing was recorded in. */
    public static Histogram none() {
        return new Histogram(1, LONGEST, 3);
    }

    /** Records a latency; one out of bounds as the bound. */
    public static void record(Histogram latency, long nanos) {
        latency.recordValue(Math.clamp(nanos, 1, LONGEST));
    }
}
