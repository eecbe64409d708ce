// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Counts durations by class, in about 4 KiB for each event loop that adds some. Each loop adds to
 * counts of its own, so that none waits for another; those of several servers whose loops have the
 * same index share them, and may lose some. Any thread reads; the loops add.
 */
public final class LatencyCounts {
    private static final int MAX_LOOPS = 256; // further ones share counts, too

    private final AtomicReferenceArray<Counts> loops = new AtomicReferenceArray<>(MAX_LOOPS);

    /** What one loop has added. Only its loop writes. */
    private static final class Counts {
        final long[] bounds = new long[Latencies.BOUNDS.length + 1];
        final long[] fine = new long[Latencies.FINE];
        long nanos;
    }

    /** Creates counts of nothing. */
    public LatencyCounts() {}

    /** Adds a duration. On the loop with this index. */
    public void add(int loop, long nanos) {
        int i = loop % MAX_LOOPS;
        Counts counts = loops.getPlain(i);
        if (counts == null) {
            counts = new Counts();
            loops.set(i, counts);
        }
        long took = Math.max(0, nanos);
        counts.bounds[Latencies.bound(took)]++;
        counts.fine[Latencies.fine(took)]++;
        counts.nanos += took;
    }

    /** Returns the durations so far; the last ones may be missing. */
    public Latency sum() {
        Latency sum = Latency.none();
        for (int i = 0; i < MAX_LOOPS; i++) {
            Counts counts = loops.get(i);
            if (counts != null) {
                sum =
                        sum.plus(
                                new Latency(
                                        counts.bounds.clone(), counts.fine.clone(), counts.nanos));
            }
        }
        return sum;
    }
}
