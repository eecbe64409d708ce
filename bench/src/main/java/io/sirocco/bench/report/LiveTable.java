// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Result;
import io.sirocco.bench.hold.ServerCost;
import io.sirocco.bench.live.LiveResult;
import io.sirocco.bench.live.LiveResult.Deliveries;
import io.sirocco.bench.live.LiveResult.Holding;
import io.sirocco.bench.live.LiveResult.Opening;
import io.sirocco.bench.live.LiveWork;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** A {@link LiveResult} as text for a terminal. Any thread. */
public final class LiveTable {
    private final Summary summary = new Summary(13);
    private final LiveResult result;

    private LiveTable(LiveResult result) {
        this.result = result;
    }

    /** The text; every line ends with a line feed. */
    public static String of(LiveResult result) {
        var table = new LiveTable(result);
        table.opening();
        result.holding().ifPresent(table::holding);
        if (result.work() != LiveWork.CONNECT) {
            table.figures();
        }
        result.fanout().ifPresent(table::deliveries);
        table.failures();
        result.server().ifPresent(table::server);
        table.summary.generator(result.figures().generatorShare(), warning(result));
        return table.summary.toString();
    }

    /** What to know before the figures are believed. */
    static Optional<String> warning(LiveResult result) {
        return Summary.warning(result.figures(), "measured");
    }

    private void opening() {
        Opening opening = result.opening();
        summary.line("clients", "%,d wanted, %,d ready", opening.wanted(), opening.ready());
        summary.line(
                "ready in",
                "%s%s",
                time(median(opening.times())),
                opening.times().size() == 1 ? "" : all(opening.times()));
        summary.line("each", Summary.latency(opening.latency()));
        if (opening.tickets().getTotalCount() > 0) {
            summary.line("  ticket", Summary.latency(opening.tickets()));
        }
        summary.line("still there", "%,d when they were told to go", opening.held());
    }

    private static String all(List<Duration> times) {
        if (times.size() <= 10) {
            return times.stream()
                    .map(LiveTable::time)
                    .collect(Collectors.joining(", ", ", median of ", ""));
        }
        return ", median of %s; least %s, most %s"
                .formatted(
                        Units.count(times.size()),
                        time(times.stream().min(Duration::compareTo).orElseThrow()),
                        time(times.stream().max(Duration::compareTo).orElseThrow()));
    }

    private static Duration median(List<Duration> times) {
        var sorted = times.stream().sorted().toList();
        return sorted.isEmpty() ? Duration.ZERO : sorted.get((sorted.size() - 1) / 2);
    }

    private void figures() {
        Result figures = result.figures();
        double seconds = figures.elapsed().toNanos() / 1e9;
        summary.line(
                result.work().units(),
                "%s in %s",
                Units.count(figures.requests()),
                Units.time(seconds * 1e6));
        summary.line(
                "rate", "%s %s/s", Units.count(figures.requestsPerSecond()), result.work().units());
        summary.line("latency", Summary.latency(figures.latency()));
        summary.line("received", Summary.volume(figures.bytesIn(), seconds));
        summary.line("sent", Summary.volume(figures.bytesOut(), seconds));
    }

    private void holding(Holding holding) {
        summary.line("held idle", time(holding.time()));
        if (holding.probes().getTotalCount() > 0) {
            summary.line("  probes", Summary.latency(holding.probes()));
        }
        holding.server()
                .ifPresent(
                        cost ->
                                summary.server(
                                        cost,
                                        "probe",
                                        holding.probes().getTotalCount(),
                                        this::perClient));
    }

    private void deliveries(Deliveries deliveries) {
        long expected = deliveries.published() * deliveries.receivers();
        summary.line(
                "messages",
                "%,d published to %,d receivers: %,d deliveries of %,d",
                deliveries.published(),
                deliveries.receivers(),
                deliveries.delivered(),
                expected);
        result.holding()
                .filter(h -> h.meanwhile().getTotalCount() > 0)
                .ifPresent(h -> summary.line("  probes", Summary.latency(h.meanwhile())));
        if (deliveries.stalled() > 0) {
            summary.line(
                    "stalled",
                    "%,d, who got %,d messages in the end; %,d cut off by the server",
                    deliveries.stalled(),
                    deliveries.stalledGot(),
                    deliveries.stalledCut());
        }
    }

    private void failures() {
        summary.line("failures", ResultTable.failures(result.figures().failures()));
        result.firsts()
                .forEach((kind, how) -> summary.line("", "the first %s: %s", kind.words, how));
    }

    private void server(ServerCost cost) {
        long counted = result.figures().latency().getTotalCount();
        summary.server(cost, result.work().unit, counted, this::growth);
    }

    private String growth(long bytes) {
        return result.work() == LiveWork.CONNECT
                ? perClient(bytes)
                : (bytes < 0 ? "" : "+") + Summary.mebibytes(bytes);
    }

    private String perClient(long bytes) {
        return Units.count(bytes / (double) Math.max(1, result.opening().held())) + " B per client";
    }

    private static String time(Duration duration) {
        return Units.time(duration.toNanos() / 1e3);
    }
}
