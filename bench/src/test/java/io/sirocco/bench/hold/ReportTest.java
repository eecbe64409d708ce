// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sirocco.bench.Histograms;
import io.sirocco.net.TransportKind;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What processes tell each other, and how it adds up. */
class ReportTest {

    private static Report report(int alive, long bodyLength, long... nanos) {
        Histogram latency = Histograms.none();
        for (long each : nanos) {
            latency.recordValue(each);
        }
        var counts = new Counts(1, 2, 3, 4, 5, 6, 7, 8, 9);
        return new Report(10, alive, 1, 10, 2, 40 + alive, bodyLength, counts, null, 100, latency);
    }

    @Test
    void reportsAddUp() {
        Report sum = report(3, -1, 1_000, 2_000).plus(report(4, -1, 3_000_000));
        assertEquals(20, sum.wanted());
        assertEquals(7, sum.alive());
        assertEquals(2, sum.busy());
        assertEquals(20, sum.settled());
        assertEquals(4, sum.hopeless());
        assertEquals(44, sum.openMillis());
        assertEquals(200, sum.heap());
        assertEquals(new Counts(2, 4, 6, 8, 10, 12, 14, 16, 18), sum.counts());
        assertEquals(3, sum.latency().getTotalCount());
        assertEquals(3_000_000, sum.latency().getMaxValue(), 3_000);
    }

    @Test
    void partsWhoseFirstBodiesDifferHaveAWrongOne() {
        assertEquals(16, report(1, 5).plus(report(1, 5)).counts().wrongLength());
        assertEquals(16, report(1, 5).plus(report(1, -1)).counts().wrongLength());
        assertEquals(17, report(1, 5).plus(report(1, 6)).counts().wrongLength());
    }

    @Test
    void aReportIsTheSameBehindALineOfJson() {
        Report sent = report(3, 7, 1_000, 2_000, 3_000_000_000L);
        Report read = PartLine.read(PartLine.of(sent), Report.class);
        assertEquals(sent, read);
        assertFalse(PartLine.of(sent).contains("\n"));
    }

    @Test
    void aShareIsTheSameBehindALineOfJson() {
        HoldPlan plan =
                HoldPlan.of(
                        new InetSocketAddress("127.0.0.1", 80),
                        "test",
                        "/",
                        p -> p.connections(100_001).length(Optional.of(new Span(1, 5))));
        List<Share> shares = Share.of(plan, 3, TransportKind.NIO);
        for (Share share : shares) {
            assertEquals(share, PartLine.read(PartLine.of(share), Share.class));
        }
        assertEquals(100_001, shares.stream().mapToInt(Share::connections).sum());
        assertEquals(256, shares.stream().mapToInt(Share::opening).sum());
        assertEquals(5_000, shares.stream().mapToDouble(Share::ramp).sum(), 1e-6);
        assertEquals(List.of(0, 33_334, 66_668), shares.stream().map(Share::first).toList());
    }
}
