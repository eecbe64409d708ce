// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Result;
import io.sirocco.bench.report.Race.Point;
import java.util.List;
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
            long late,
            double requestsPerSecond,
            long bytesIn,
            long bytesOut,
            Json.Latency latencyMicros,
            Map<Integer, Long> statuses,
            long unsuccessful,
            long failed,
            Map<String, Long> failures,
            double generatorShare,
            List<Result.Second> overTime,
            List<Point> curve) {}

    private ResultJson() {}

    /** The text, which ends with a line feed. */
    public static String write(Result result) {
        var form =
                new Form(
                        result.elapsed().toNanos() / 1e9,
                        result.requests(),
                        result.late(),
                        Json.rounded(result.requestsPerSecond()),
                        result.bytesIn(),
                        result.bytesOut(),
                        Json.Latency.of(result.latency()),
                        new TreeMap<>(result.statuses()),
                        result.unsuccessful(),
                        result.failed(),
                        Json.named(result.failures()),
                        Json.rounded(result.generatorShare()),
                        result.overTime(),
                        LatencyCurve.of(result));
        return Json.MAPPER.writeValueAsString(form) + "\n";
    }
}
