// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Result;
import io.sirocco.bench.report.Race.Point;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A {@link Result} as JSON, for {@code bench http --json}: one object; times are in seconds where
 * the name says so and in microseconds otherwise. Any thread.
 */
public final class ResultJson {
    /** The members, in their order. */
    private record Form(
            double elapsedSeconds,
            long requests,
            double requestsPerSecond,
            long bytesIn,
            long bytesOut,
            Latency latencyMicros,
            Map<Integer, Long> statuses,
            long failed,
            Map<String, Long> failures,
            double generatorShare,
            List<Result.Second> overTime,
            List<Point> curve) {}

    private record Latency(
            double mean, double p50, double p90, double p99, double p999, double max) {}

    private ResultJson() {}

    /** The text, which ends with a line feed. */
    public static String write(Result result) {
        var failures = new TreeMap<String, Long>();
        for (Map.Entry<Failure, Long> failure : result.failures().entrySet()) {
            failures.put(failure.getKey().name().toLowerCase(Locale.ROOT), failure.getValue());
        }
        var form =
                new Form(
                        result.elapsed().toNanos() / 1e9,
                        result.requests(),
                        rounded(result.requestsPerSecond()),
                        result.bytesIn(),
                        result.bytesOut(),
                        latency(result),
                        new TreeMap<>(result.statuses()),
                        result.failed(),
                        failures,
                        rounded(result.generatorShare()),
                        result.overTime(),
                        LatencyCurve.of(result));
        return Json.MAPPER.writeValueAsString(form) + "\n";
    }

    private static Latency latency(Result result) {
        var latency = result.latency();
        return new Latency(
                latency.getTotalCount() == 0 ? 0 : rounded(latency.getMean() / 1e3),
                result.micros(50),
                result.micros(90),
                result.micros(99),
                result.micros(99.9),
                latency.getTotalCount() == 0 ? 0 : latency.getMaxValue() / 1e3);
    }

    private static double rounded(double value) {
        return Math.round(value * 1e3) / 1e3;
    }
}
