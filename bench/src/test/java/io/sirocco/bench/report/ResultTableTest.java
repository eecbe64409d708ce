// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.Result;
import java.util.Map;
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
                verdict    failed: 7 of 1,234,567 responses have another status than 2xx; 3 requests failed
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

    /** Statuses and latencies have all answers, the rate those that came in time. */
    @Test
    void whatCameLaterIsToldApart() {
        Result all = SampleResult.of(0.5);
        var some =
                new Result(
                        all.elapsed(),
                        1_234_500,
                        all.bytesIn(),
                        all.bytesOut(),
                        all.latency(),
                        Map.of(204, 1_234_567L),
                        Map.of(),
                        all.overTime(),
                        0.5);
        String table = ResultTable.of(some);
        assertTrue(
                table.startsWith("requests   1,234,500 in 10.1 s, and 67 answered later\n"), table);
        assertFalse(table.contains("verdict"), table);
        assertTrue(some.allWell());
        assertEquals(some.requests() + some.late(), 1_234_567);
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
                verdict    failed: nothing was answered; 64 requests failed
                generator  2 % of its CPU time

                Nothing was answered.
                """,
                ResultTable.of(SampleResult.nothing()));
    }
}
