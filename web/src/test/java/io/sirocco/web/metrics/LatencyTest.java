// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LatencyTest {

    private static Latency of(long... nanos) {
        var bounds = new long[Latencies.BOUNDS.length + 1];
        var fine = new long[Latencies.FINE];
        for (long one : nanos) {
            bounds[Latencies.bound(one)]++;
            fine[Latencies.fine(one)]++;
        }
        return new Latency(bounds, fine, Arrays.stream(nanos).sum());
    }

    @Test
    void percentilesAreRightToThreePercent() {
        var random = new Random(5);
        for (int round = 0; round < 50; round++) {
            long[] nanos =
                    random.longs(1000, 0, 10_000_000)
                            .map(n -> 1024 + n * n / 2_000) // 1 us to 50 s, crowded below
                            .toArray();
            Latency latency = of(nanos);
            Arrays.sort(nanos);
            for (double share : new double[] {0.01, 0.5, 0.9, 0.99, 0.999, 1}) {
                double exact = nanos[(int) Math.ceil(share * nanos.length) - 1];
                double told = latency.percentile(share).orElseThrow();
                assertEquals(1, told / exact, 0.032, "p" + 100 * share);
            }
        }
    }

    @Test
    void everyDurationHasAClass() {
        for (long nanos : new long[] {0, 1, 1023, 1024, 1L << 36, Long.MAX_VALUE}) {
            int fine = Latencies.fine(nanos);
            assertTrue(fine >= 0 && fine < Latencies.FINE);
        }
        for (int fine = 0; fine < Latencies.FINE - 1; fine++) {
            assertEquals(fine, Latencies.fine(Latencies.middle(fine)));
        }
    }

    @Test
    void aBoundIsInclusive() {
        Latency latency = of(100_000, 100_001, 30_000_000_000L, 30_000_000_001L);
        assertEquals(1, latency.upTo(0));
        assertEquals(2, latency.upTo(1));
        assertEquals(3, latency.upTo(Latency.bounds().size() - 1));
        assertEquals(4, latency.count());
    }

    @Test
    void withoutRequestsThereIsNoPercentile() {
        assertTrue(Latency.none().percentile(0.5).isEmpty());
        Latency some = of(2000, 3000);
        assertTrue(some.since(some).percentile(0.5).isEmpty());
    }

    @Test
    void twoMomentsMakeTheLatencyBetweenThem() {
        Latency between = of(2_000, 3_000_000).since(of(2_000));
        assertEquals(1, between.count());
        assertEquals(3_000_000, between.nanos());
        assertEquals(3e6, between.percentile(0.5).orElseThrow(), 1e5);
    }
}
