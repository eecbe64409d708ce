// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Result;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A {@link Result} as text for a terminal: what {@code bench http} prints at its end. Any thread.
 */
public final class ResultTable {
    private ResultTable() {}

    /** The text; every line ends with a line feed. */
    public static String of(Result result) {
        var text = new StringBuilder();
        double seconds = result.elapsed().toNanos() / 1e9;
        line(text, "requests", Units.count(result.requests()) + " in " + Units.time(seconds * 1e6));
        line(text, "rate", Units.count(result.requestsPerSecond()) + " requests/s");
        line(text, "received", volume(result.bytesIn(), seconds));
        line(text, "sent", volume(result.bytesOut(), seconds));
        line(text, "latency", latency(result));
        line(text, "statuses", statuses(result.statuses()));
        line(text, "failures", failures(result.failures()));
        line(text, "generator", Units.percent(result.generatorShare()) + " of its CPU time");
        warning(result)
                .ifPresent(words -> text.append('\n').append(TextTable.paragraph(words, "")));
        return text.toString();
    }

    /** What to know before the figures are believed. */
    static Optional<String> warning(Result result) {
        if (result.requests() == 0) {
            return Optional.of("Nothing was answered.");
        }
        if (result.generatorShare() < Result.BOTTLENECK) {
            return Optional.empty();
        }
        return Optional.of(
                "The generator was the bottleneck: these figures are its own, not the server's. Give it"
                        + " more loops (-t) and the cores for them, or ask for less at fixed times (--rate)"
                        + " to see latency below the limit.");
    }

    static String statuses(Map<Integer, Long> statuses) {
        var sorted = new TreeMap<>(statuses);
        return sorted.isEmpty()
                ? "none"
                : sorted.entrySet().stream()
                        .map(s -> s.getKey() + ": " + Units.count(s.getValue()))
                        .collect(Collectors.joining(", "));
    }

    static String failures(Map<Failure, Long> failures) {
        return failures.isEmpty()
                ? "none"
                : failures.entrySet().stream()
                        .sorted(
                                Map.Entry.<Failure, Long>comparingByValue(
                                        Comparator.reverseOrder()))
                        .map(f -> f.getKey().words + ": " + Units.count(f.getValue()))
                        .collect(Collectors.joining(", "));
    }

    private static String latency(Result result) {
        if (result.latency().getTotalCount() == 0) {
            return "none";
        }
        return "p50 "
                + Units.time(result.micros(50))
                + ", p90 "
                + Units.time(result.micros(90))
                + ", p99 "
                + Units.time(result.micros(99))
                + ", p99.9 "
                + Units.time(result.micros(99.9))
                + ", max "
                + Units.time(result.micros(100));
    }

    private static String volume(long bytes, double seconds) {
        String rate = seconds > 0 ? ", " + Units.bytes(bytes / seconds) + "/s" : "";
        return Units.bytes(bytes) + rate;
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append(String.format("%-10s %s\n", name, value));
    }
}
