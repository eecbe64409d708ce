// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Result;
import java.util.ArrayList;
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
        var summary = new Summary(11);
        double seconds = result.elapsed().toNanos() / 1e9;
        summary.line(
                "requests",
                Units.count(result.requests())
                        + " in "
                        + Units.time(seconds * 1e6)
                        + (result.late() > 0
                                ? ", and " + Units.count(result.late()) + " answered later"
                                : ""));
        summary.line("rate", Units.count(result.requestsPerSecond()) + " requests/s");
        summary.line("received", Summary.volume(result.bytesIn(), seconds));
        summary.line("sent", Summary.volume(result.bytesOut(), seconds));
        summary.line("latency", Summary.latency(result.latency()));
        summary.line("statuses", statuses(result.statuses()));
        summary.line("failures", failures(result.failures()));
        if (!result.allWell()) summary.line("verdict", verdict(result));
        summary.generator(result.generatorShare(), warning(result));
        return summary.toString();
    }

    /** What to know before the figures are believed. */
    static Optional<String> warning(Result result) {
        return Summary.warning(result, "answered");
    }

    static String statuses(Map<Integer, Long> statuses) {
        var sorted = new TreeMap<>(statuses);
        return sorted.isEmpty()
                ? "none"
                : sorted.entrySet().stream()
                        .map(s -> s.getKey() + ": " + Units.count(s.getValue()))
                        .collect(Collectors.joining(", "));
    }

    /** Why the run did not go well; the exit code is 1 then. */
    private static String verdict(Result result) {
        long answers = result.latency().getTotalCount();
        var faults = new ArrayList<String>();
        if (answers == 0) faults.add("nothing was answered");
        if (result.unsuccessful() > 0) {
            faults.add(
                    "%s of %s responses have another status than 2xx"
                            .formatted(Units.count(result.unsuccessful()), Units.count(answers)));
        }
        if (result.failed() > 0) {
            faults.add(
                    Units.count(result.failed())
                            + (result.failed() == 1 ? " request" : " requests")
                            + " failed");
        }
        return "failed: " + String.join("; ", faults);
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
}
