// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.hold.Counts;
import io.sirocco.bench.hold.GeneratorCost;
import io.sirocco.bench.hold.HoldResult;
import io.sirocco.bench.hold.HoldSecond;
import io.sirocco.bench.hold.KernelMemory;
import io.sirocco.bench.hold.KernelShares;
import io.sirocco.bench.hold.Latency;
import io.sirocco.bench.hold.ServerCost;
import io.sirocco.bench.hold.SlabCache;
import java.util.Locale;

/** What {@code bench hold} prints: a line while it runs, a summary at the end. Any thread. */
public final class HoldTable {
    private static final int CACHES = 10;

    private final Summary summary = new Summary(13);
    private final HoldResult result;

    private HoldTable(HoldResult result) {
        this.result = result;
    }

    /** How it stands, for the line on the terminal. */
    public static String line(HoldSecond second) {
        String server =
                second.server().map(use -> "  server " + Summary.mebibytes(use.rss())).orElse("");
        return String.format(
                Locale.ROOT,
                "%,5d s  %-7s  %,d / %,d alive  %,.0f answers/s  p99 %s  failures %,d%s",
                second.atMillis() / 1_000,
                second.phase().name().toLowerCase(Locale.ROOT),
                second.alive(),
                second.wanted(),
                second.rate(),
                Units.time(second.latency().p99()),
                second.failures(),
                server);
    }

    /** The summary; every line ends with a line feed. */
    public static String of(HoldResult result) {
        var table = new HoldTable(result);
        table.connections();
        table.answers();
        result.server().ifPresent(table::server);
        result.kernel().ifPresent(table::kernel);
        result.shares().ifPresent(table::shares);
        result.caches().stream().limit(CACHES).forEach(table::cache);
        table.generator(result.generator());
        return table.summary.toString();
    }

    private void connections() {
        double rate = result.openedSeconds() == 0 ? 0 : result.wanted() / result.openedSeconds();
        summary.line(
                "connections",
                "%,d wanted, %,d alive; opened in %.1f s (%,.0f/s), held for %.0f s%s",
                result.wanted(),
                result.alive(),
                result.openedSeconds(),
                rate,
                result.heldSeconds(),
                result.interrupted() ? ", then interrupted" : "");
        Counts counts = result.counts();
        summary.line(
                "losses",
                "%,d reset, %,d closed by the server, %,d timed out, %,d malformed",
                counts.resets(),
                counts.closed(),
                counts.timeouts(),
                counts.malformed());
        summary.line(
                "unopened",
                "%,d attempts failed%s",
                counts.unopened(),
                result.refusal().map(why -> "; the first: " + why).orElse(""));
    }

    private void answers() {
        Counts counts = result.counts();
        summary.line(
                "answers",
                "%,d; %,d of a wrong status, %,d of a wrong length",
                counts.answers(),
                counts.wrongStatus(),
                counts.wrongLength());
        summary.line(
                "rate",
                "%,.0f/s; connections / mean think time is %,.0f/s",
                result.rate(),
                result.expectedRate());
        summary.line("latency", latency(result.holding()));
        summary.line("  opening", latency(result.opening()));
    }

    private void server(ServerCost cost) {
        summary.server(cost, "request", result.holding().answers(), this::each);
    }

    private void kernel(KernelMemory kernel) {
        summary.line(
                "kernel",
                "%s more (slab %s, of which unreclaimable %s; TCP %s), all of the machine: %s, both"
                        + " ends",
                Summary.mebibytes(kernel.bytes()),
                Summary.mebibytes(kernel.slab()),
                Summary.mebibytes(kernel.unreclaimable()),
                Summary.mebibytes(kernel.tcp()),
                each(kernel.bytes()));
    }

    private void shares(KernelShares shares) {
        summary.line(
                "  apart",
                "server %s: %s; generator %s: %s (by their control groups)",
                Summary.mebibytes(shares.server()),
                each(shares.server()),
                Summary.mebibytes(shares.generator()),
                each(shares.generator()));
    }

    private void cache(SlabCache cache) {
        summary.line(
                "  slab",
                "%s: %.2f objects, %s",
                cache.name(),
                result.perConnection(cache.objects()),
                each(cache.bytes()));
    }

    private void generator(GeneratorCost cost) {
        summary.line(
                "generator",
                "%d %s on %s, %s; heap %s, RSS %s; %.1f %% of a core",
                cost.processes(),
                cost.processes() == 1 ? "process" : "processes",
                cost.transport().label(),
                addresses(cost.sources()),
                each(cost.heapGrowth()),
                each(cost.rssGrowth()),
                cost.busyShare() * 100);
    }

    private static String addresses(int count) {
        return switch (count) {
            case 0 -> "addresses of the system's choice";
            case 1 -> "1 address";
            default -> count + " addresses";
        };
    }

    private String each(long bytes) {
        return Units.count(result.perConnection(bytes)) + " B per connection";
    }

    private static String latency(Latency latency) {
        return latency.answers() == 0
                ? "none"
                : "p50 %s, p99 %s, p99.9 %s, max %s"
                        .formatted(
                                Units.time(latency.p50()),
                                Units.time(latency.p99()),
                                Units.time(latency.p999()),
                                Units.time(latency.max()));
    }
}
