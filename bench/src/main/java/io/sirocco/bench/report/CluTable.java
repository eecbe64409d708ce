// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.clu.CluResult;
import io.sirocco.bench.clu.CluResult.Run;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The figures of a load on a controller as a table for a terminal. Any thread. */
public final class CluTable {
    private CluTable() {}

    /** Returns the line of one time. */
    public static String line(Run run) {
        return "%,.0f messages/s  p99 %s".formatted(run.rate(), time(run, 99));
    }

    /** Returns a line for each time, and the medians if there are several. */
    public static String of(CluResult result) {
        var table = new TextTable();
        table.row("", "messages/s", "p50", "p99", "p99.9", "lost", "wrong", "server CPU");
        List<Run> runs = result.runs();
        for (int i = 0; i < runs.size(); i++) {
            Run run = runs.get(i);
            table.row(
                    "run " + (i + 1),
                    Units.count(run.rate()),
                    time(run, 50),
                    time(run, 99),
                    time(run, 99.9),
                    Units.count(run.lost()),
                    Units.count(run.wrong()),
                    run.cpuMicros().isPresent() ? cpu(run.cpuMicros().getAsDouble()) : "unknown");
        }
        if (runs.size() > 1) {
            boolean known = runs.stream().allMatch(run -> run.cpuMicros().isPresent());
            table.row(
                    "median",
                    Units.count(median(runs, Run::rate)),
                    Units.time(median(runs, run -> micros(run, 50))),
                    Units.time(median(runs, run -> micros(run, 99))),
                    Units.time(median(runs, run -> micros(run, 99.9))),
                    "",
                    "",
                    known ? cpu(median(runs, run -> run.cpuMicros().getAsDouble())) : "unknown");
        }
        return table.text("") + "value  " + result.value() + "\n";
    }

    static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
        double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    static double micros(Run run, double percentile) {
        return run.latency().getValueAtPercentile(percentile) / 1e3;
    }

    private static String time(Run run, double percentile) {
        return Units.time(micros(run, percentile));
    }

    private static String cpu(double micros) {
        return String.format(Locale.ROOT, "%.2f µs/message", micros);
    }
}
