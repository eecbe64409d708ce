// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

class ResultTableTest {
    @Test
    void golden() {
        assertEquals(
                """
                requests   1,234,567 in 10.1 s
                rate       122,842 requests/s
                received   185 MB, 18.4 MB/s
                sent       98.8 MB, 9.83 MB/s
                latency    p50 734 µs, p90 1.76 ms, p99 4.06 ms, p99.9 7.79 ms, max 46.4 ms
                statuses   200: 1,234,560, 503: 7
                failures   reset: 2, timed out: 1
                generator  95 % of its CPU time

                The generator was the bottleneck: these figures are its own, not the server's. Give it more loops (-t) and the
                cores for them, or ask for less at fixed times (--rate) to see latency below the limit.
                """,
                ResultTable.of(SampleResult.of(0.95)));
    }

    @Test
    void noWarningBelowTheBottleneck() {
        assertFalse(ResultTable.of(SampleResult.of(0.89)).contains("bottleneck"));
    }

    @Test
    void nothingWasAnswered() {
        assertEquals(
                """
                requests   0 in 1.00 s
                rate       0 requests/s
                received   0 B, 0 B/s
                sent       0 B, 0 B/s
                latency    none
                statuses   none
                failures   could not connect: 64
                generator  2 % of its CPU time

                Nothing was answered.
                """,
                ResultTable.of(SampleResult.nothing()));
    }
}
