// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.report.Race;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final AtomicLong now = new AtomicLong();
    private final StringWriter said = new StringWriter();
    private final Progress progress = new Progress(new PrintWriter(said), now::get, 100);

    @Test
    void whatTookLongerThanPlannedWillGoOnToDoSo() {
        assertEquals(100, progress.secondsLeft());
        now.set(50_000_000_000L);
        progress.warm("floor", 20);
        assertEquals(160, progress.secondsLeft());
        assertTrue(said.toString().contains("3 min left"), said.toString());
    }

    @Test
    void whoIsAbsentTakesNoTime() {
        progress.absent("go", "its server ended", 60);
        assertEquals(40, progress.secondsLeft());
    }

    @Test
    void aRoundTellsRateAndCpuTimeAndWhatFailed() {
        var round =
                new Race.Round(3.456, 45_123.4, 0, 0, 0, 1_200, 0, 0, 2, 0, List.of(), List.of());
        progress.round(1, 5, "floor", round, 98);
        assertEquals(
                "  round 1/5  floor            45,123/s      3.46 us CPU each      1.20 ms p99 2 failed   2 s left",
                said.toString().stripTrailing());
    }
}
