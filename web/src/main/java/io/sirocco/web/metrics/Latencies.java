// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

/**
 * The classes that durations are counted in: the fixed bounds that Prometheus gets, and fine ones
 * for percentiles, 16 to each doubling from a microsecond to a minute, so that a percentile is
 * exact to 3 %. Immutable.
 */
final class Latencies {
    /** Upper bounds, inclusive, in nanoseconds: 100 us to 30 s; what is longer comes behind. */
    static final long[] BOUNDS = {
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        25_000_000,
        50_000_000,
        100_000_000,
        250_000_000,
        500_000_000,
        1_000_000_000,
        2_500_000_000L,
        5_000_000_000L,
        10_000_000_000L,
        30_000_000_000L,
    };

    private static final int STEP_BITS = 4;
    private static final int STEPS = 1 << STEP_BITS; // in a doubling
    private static final int LOWEST = 10; // 2^10 ns, about a microsecond
    private static final int HIGHEST = 36; // 2^36 ns, 69 seconds
    static final int FINE = (HIGHEST - LOWEST) * STEPS + 1;

    private Latencies() {}

    /** The class of a duration among {@link #BOUNDS}. */
    static int bound(long nanos) {
        int i = 0;
        while (i < BOUNDS.length && nanos > BOUNDS[i]) {
            i++;
        }
        return i;
    }

    /** The fine class of a duration; 0 for all below a microsecond, the last for all above. */
    static int fine(long nanos) {
        if (nanos < 1L << LOWEST) {
            return 0;
        }
        int doubling = 63 - Long.numberOfLeadingZeros(nanos);
        if (doubling >= HIGHEST) {
            return FINE - 1;
        }
        int step = (int) (nanos >>> doubling - STEP_BITS) & STEPS - 1;
        return (doubling - LOWEST) * STEPS + step;
    }

    /** The middle of a fine class, in nanoseconds. */
    static long middle(int fine) {
        int doubling = LOWEST + fine / STEPS;
        long width = 1L << doubling - STEP_BITS;
        return (1L << doubling) + fine % STEPS * width + width / 2;
    }
}
