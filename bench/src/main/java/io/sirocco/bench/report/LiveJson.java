// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Result;
import io.sirocco.bench.hold.ServerCost;
import io.sirocco.bench.live.LiveResult;
import io.sirocco.bench.report.Race.Point;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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
            Json.Latency latencyMicros,
            LiveResult.Deliveries fanout,
            Holding holding,
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
            Json.Latency latencyMicros,
            Json.Latency ticketMicros) {}

    private record Holding(
            double seconds,
            Json.Latency probeMicros,
            Json.Latency probeMicrosMeanwhile,
            ServerCost server) {
        static Holding of(LiveResult.Holding holding) {
            return new Holding(
                    holding.time().toNanos() / 1e9,
                    Json.Latency.of(holding.probes()),
                    Json.Latency.of(holding.meanwhile()),
                    holding.server().orElse(null));
        }
    }

    private LiveJson() {}

    /** The text, which ends with a line feed. */
    public static String write(LiveResult result) {
        Result figures = result.figures();
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
                                Json.Latency.of(opening.latency()),
                                Json.Latency.of(opening.tickets())),
                        figures.elapsed().toNanos() / 1e9,
                        figures.requests(),
                        Json.rounded(figures.requestsPerSecond()),
                        figures.bytesIn(),
                        figures.bytesOut(),
                        Json.Latency.of(figures.latency()),
                        result.fanout().orElse(null),
                        result.holding().map(Holding::of).orElse(null),
                        figures.failed(),
                        Json.named(figures.failures()),
                        Json.named(result.firsts()),
                        result.server().orElse(null),
                        Json.rounded(figures.generatorShare()),
                        figures.overTime(),
                        LatencyCurve.of(figures));
        return Json.MAPPER.writeValueAsString(form) + "\n";
    }
}
