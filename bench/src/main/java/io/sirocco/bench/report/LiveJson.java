// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Result;
import io.sirocco.bench.hold.ServerCost;
import io.sirocco.bench.live.LiveResult;
import io.sirocco.bench.report.Race.Point;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.AbstractHistogram;

/**
 * A {@link LiveResult} as JSON, for {@code bench live --json}: one object; times are in seconds
 * where the name says so and in microseconds otherwise. Any thread.
 */
public final class LiveJson {
    /** The members, in their order. */
    private record Form(
            String work,
            String unit,
            Opening opening,
            double elapsedSeconds,
            long counted,
            double perSecond,
            long bytesIn,
            long bytesOut,
            Latency latencyMicros,
            LiveResult.Deliveries fanout,
            long failed,
            Map<String, Long> failures,
            Map<String, String> firsts,
            ServerCost server,
            double generatorShare,
            List<Result.Second> overTime,
            List<Point> curve) {}

    private record Opening(
            int wanted,
            int ready,
            int held,
            List<Double> timesSeconds,
            Latency latencyMicros,
            Latency ticketMicros) {}

    private record Latency(
            double mean, double p50, double p90, double p99, double p999, double max) {}

    private LiveJson() {}

    /** The text, which ends with a line feed. */
    public static String write(LiveResult result) {
        Result figures = result.figures();
        var failures = new TreeMap<String, Long>();
        figures.failures().forEach((kind, count) -> failures.put(name(kind), count));
        var firsts = new TreeMap<String, String>();
        result.firsts().forEach((kind, how) -> firsts.put(name(kind), how));
        var opening = result.opening();
        var form =
                new Form(
                        result.work().name().toLowerCase(Locale.ROOT),
                        result.work().unit,
                        new Opening(
                                opening.wanted(),
                                opening.ready(),
                                opening.held(),
                                opening.times().stream().map(t -> t.toNanos() / 1e9).toList(),
                                latency(opening.latency()),
                                latency(opening.tickets())),
                        figures.elapsed().toNanos() / 1e9,
                        figures.requests(),
                        rounded(figures.requestsPerSecond()),
                        figures.bytesIn(),
                        figures.bytesOut(),
                        latency(figures.latency()),
                        result.fanout().orElse(null),
                        figures.failed(),
                        failures,
                        firsts,
                        result.server().orElse(null),
                        rounded(figures.generatorShare()),
                        figures.overTime(),
                        LatencyCurve.of(figures));
        return Json.MAPPER.writeValueAsString(form) + "\n";
    }

    private static String name(Failure kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static Latency latency(AbstractHistogram latency) {
        boolean none = latency.getTotalCount() == 0;
        return new Latency(
                none ? 0 : rounded(latency.getMean() / 1e3),
                micros(latency, 50),
                micros(latency, 90),
                micros(latency, 99),
                micros(latency, 99.9),
                micros(latency, 100));
    }

    private static double micros(AbstractHistogram latency, double percent) {
        return latency.getTotalCount() == 0 ? 0 : latency.getValueAtPercentile(percent) / 1e3;
    }

    private static double rounded(double value) {
        return Math.round(value * 1e3) / 1e3;
    }
}
