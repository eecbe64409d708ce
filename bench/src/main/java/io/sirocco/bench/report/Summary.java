// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Result;
import io.sirocco.bench.hold.ServerCost;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.AbstractHistogram;

/**
 * What a terminal is told at the end of a run: in each line a name, and what there is to say of it.
 * Used by one thread.
 */
final class Summary {
    private final StringBuilder text = new StringBuilder();
    private final int column;

    /**
     * @param column where the words begin
     */
    Summary(int column) {
        this.column = column;
    }

    void line(String name, String words) {
        text.append(name).repeat(' ', column - name.length()).append(words).append('\n');
    }

    void line(String name, String form, Object... values) {
        line(name, String.format(Locale.ROOT, form, values));
    }

    /**
     * What the server used.
     *
     * @param unit what it is asked for, such as a request
     * @param count how many of these there were while its CPU time was taken
     * @param growth says by how many bytes its memory grew
     */
    void server(ServerCost cost, String unit, long count, LongFunction<String> growth) {
        String pids = cost.pids().stream().map(String::valueOf).collect(Collectors.joining(", "));
        line("server", "process %s, %,d descriptors", pids, cost.descriptors());
        if (cost.heapGrowth().isPresent()) {
            line(
                    "  heap",
                    "%s live, %s before: %s",
                    mebibytes(cost.heap().getAsLong()),
                    mebibytes(cost.heapBefore().getAsLong()),
                    growth.apply(cost.heapGrowth().getAsLong()));
        }
        line(
                "  RSS",
                "%s, %s at most, %s before: %s",
                mebibytes(cost.rss()),
                mebibytes(cost.rssMost()),
                mebibytes(cost.rssBefore()),
                growth.apply(cost.rss() - cost.rssBefore()));
        double each = count == 0 ? 0 : 1e6 / count;
        line(
                "  CPU",
                "%.1f µs per %s (%.1f user, %.1f system); %.1f %% of a core%s",
                (cost.userSeconds() + cost.systemSeconds()) * each,
                unit,
                cost.userSeconds() * each,
                cost.systemSeconds() * each,
                cost.busyShare() * 100,
                cost.idleShare().isPresent()
                        ? String.format(
                                Locale.ROOT, ", idle %.1f %%", cost.idleShare().getAsDouble() * 100)
                        : "");
    }

    /**
     * How much of its CPU time the generator used, and what to know before the figures are
     * believed.
     *
     * @param warning what is wrong with them, if anything
     */
    void generator(double share, Optional<String> warning) {
        line("generator", Units.percent(share) + " of its CPU time");
        warning.ifPresent(words -> text.append('\n').append(TextTable.paragraph(words, "")));
    }

    /**
     * Why not to believe the figures.
     *
     * @param done what happens to a request: answered
     */
    static Optional<String> warning(Result figures, String done) {
        if (figures.requests() == 0) {
            return Optional.of("Nothing was " + done + ".");
        }
        if (figures.generatorShare() < Result.BOTTLENECK) {
            return Optional.empty();
        }
        return Optional.of(
                "The generator was the bottleneck: these figures are its own, not the server's. Give it"
                        + " more loops (-t) and the cores for them, or ask for less at fixed times (--rate)"
                        + " to see latency below the limit.");
    }

    /**
     * @param latency in nanoseconds
     */
    static String latency(AbstractHistogram latency) {
        return latency.getTotalCount() == 0
                ? "none"
                : "p50 %s, p90 %s, p99 %s, p99.9 %s, max %s"
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

    /** Bytes that went over the wire, and how many a second. */
    static String volume(long bytes, double seconds) {
        return Units.bytes(bytes) + (seconds > 0 ? ", " + Units.bytes(bytes / seconds) + "/s" : "");
    }

    static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%,.1f MiB", bytes / 1048576.0);
    }

    /** Every line ends with a line feed. */
    @Override
    public String toString() {
        return text.toString();
    }
}
