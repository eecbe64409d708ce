// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Result;
import io.sirocco.bench.hold.ServerCost;
import io.sirocco.bench.live.LiveResult;
import io.sirocco.bench.live.LiveResult.Deliveries;
import io.sirocco.bench.live.LiveResult.Opening;
import io.sirocco.bench.live.LiveWork;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.HdrHistogram.AbstractHistogram;

/** A {@link LiveResult} as text for a terminal. Any thread. */
public final class LiveTable {
    private final StringBuilder text = new StringBuilder();
    private final LiveResult result;

    private LiveTable(LiveResult result) {
        this.result = result;
    }

    /** The text; every line ends with a line feed. */
    public static String of(LiveResult result) {
        var table = new LiveTable(result);
        table.opening();
        if (result.work() != LiveWork.CONNECT) {
            table.figures();
        }
        result.fanout().ifPresent(table::deliveries);
        table.failures();
        result.server().ifPresent(table::server);
        table.line(
                "generator", Units.percent(result.figures().generatorShare()) + " of its CPU time");
        warning(result).ifPresent(w -> table.text.append('\n').append(TextTable.paragraph(w, "")));
        return table.text.toString();
    }

    /** What to know before the figures are believed. */
    static Optional<String> warning(LiveResult result) {
        if (result.figures().requests() == 0) {
            return Optional.of("Nothing was measured.");
        }
        if (result.figures().generatorShare() < Result.BOTTLENECK) {
            return Optional.empty();
        }
        return Optional.of(
                "The generator was the bottleneck: these figures are its own, not the server's. Give it"
                        + " more loops (-t) and the cores for them, or ask for less at fixed times"
                        + " (--rate) to see latency below the limit.");
    }

    private void opening() {
        Opening opening = result.opening();
        line("clients", "%,d wanted, %,d ready", opening.wanted(), opening.ready());
        line(
                "ready in",
                "%s%s",
                time(median(opening.times())),
                opening.times().size() == 1 ? "" : all(opening.times()));
        line("each", "%s", latency(opening.latency()));
        if (opening.tickets().getTotalCount() > 0) {
            line("  ticket", "%s", latency(opening.tickets()));
        }
        line("still there", "%,d when they were told to go", opening.held());
    }

    private static String all(List<Duration> times) {
        return times.size() > 10
                ? ", median of %,d; least %s, most %s"
                        .formatted(
                                times.size(),
                                time(times.stream().min(Duration::compareTo).orElseThrow()),
                                time(times.stream().max(Duration::compareTo).orElseThrow()))
                : ", median of "
                        + times.stream().map(LiveTable::time).collect(Collectors.joining(", "));
    }

    private static Duration median(List<Duration> times) {
        var sorted = times.stream().sorted().toList();
        return sorted.isEmpty() ? Duration.ZERO : sorted.get((sorted.size() - 1) / 2);
    }

    private void figures() {
        Result figures = result.figures();
        double seconds = figures.elapsed().toNanos() / 1e9;
        line(
                result.work().units(),
                "%s in %s",
                Units.count(figures.requests()),
                Units.time(seconds * 1e6));
        line("rate", "%s %s/s", Units.count(figures.requestsPerSecond()), result.work().units());
        line("latency", "%s", latency(figures.latency()));
        line("received", "%s", volume(figures.bytesIn(), seconds));
        line("sent", "%s", volume(figures.bytesOut(), seconds));
    }

    private void deliveries(Deliveries deliveries) {
        long expected = deliveries.published() * deliveries.receivers();
        line(
                "messages",
                "%,d published to %,d receivers: %,d deliveries of %,d",
                deliveries.published(),
                deliveries.receivers(),
                deliveries.delivered(),
                expected);
        if (deliveries.stalled() > 0) {
            line(
                    "stalled",
                    "%,d, who got %,d messages in the end; %,d cut off by the server",
                    deliveries.stalled(),
                    deliveries.stalledGot(),
                    deliveries.stalledCut());
        }
    }

    private void failures() {
        line("failures", "%s", ResultTable.failures(result.figures().failures()));
        result.firsts().forEach((kind, how) -> line("", "the first %s: %s", kind.words, how));
    }

    private void server(ServerCost server) {
        String pids = server.pids().stream().map(String::valueOf).collect(Collectors.joining(", "));
        double seconds = server.userSeconds() + server.systemSeconds();
        long counted = result.figures().latency().getTotalCount();
        line("server", "process %s, %,d descriptors", pids, server.descriptors());
        line(
                "  CPU",
                "%.1f us per %s; %.1f %% of a core",
                counted == 0 ? 0 : seconds * 1e6 / counted,
                result.work().unit,
                server.busyShare() * 100);
        if (server.heapGrowth().isPresent()) {
            line(
                    "  heap",
                    "%s live, %s before: %s",
                    size(server.heap().getAsLong()),
                    size(server.heapBefore().getAsLong()),
                    each(server.heapGrowth().getAsLong()));
        }
        line(
                "  RSS",
                "%s, %s at most, %s before: %s",
                size(server.rss()),
                size(server.rssMost()),
                size(server.rssBefore()),
                each(server.rss() - server.rssBefore()));
    }

    private String each(long bytes) {
        return result.work() == LiveWork.CONNECT
                ? "%,.0f B per client"
                        .formatted(bytes / (double) Math.max(1, result.opening().held()))
                : (bytes < 0 ? "" : "+") + size(bytes);
    }

    private static String size(long bytes) {
        return "%,.1f MiB".formatted(bytes / 1048576.0);
    }

    private static String time(Duration duration) {
        return Units.time(duration.toNanos() / 1e3);
    }

    private static String latency(AbstractHistogram latency) {
        if (latency.getTotalCount() == 0) {
            return "none";
        }
        return "p50 %s, p90 %s, p99 %s, p99.9 %s, max %s"
                .formatted(
                        at(latency, 50),
                        at(latency, 90),
                        at(latency, 99),
                        at(latency, 99.9),
                        at(latency, 100));
    }

    private static String at(AbstractHistogram latency, double percent) {
        return Units.time(latency.getValueAtPercentile(percent) / 1e3);
    }

    private static String volume(long bytes, double seconds) {
        return Units.bytes(bytes) + (seconds > 0 ? ", " + Units.bytes(bytes / seconds) + "/s" : "");
    }

    private void line(String name, String form, Object... values) {
        String words = values.length == 0 ? form : String.format(Locale.ROOT, form, values);
        text.append(String.format("%-12s %s\n", name, words));
    }
}
