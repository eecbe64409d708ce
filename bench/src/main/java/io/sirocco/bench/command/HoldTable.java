// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import io.sirocco.bench.hold.Counts;
import io.sirocco.bench.hold.GeneratorCost;
import io.sirocco.bench.hold.HoldResult;
import io.sirocco.bench.hold.HoldSecond;
import io.sirocco.bench.hold.KernelMemory;
import io.sirocco.bench.hold.Latency;
import io.sirocco.bench.hold.ServerCost;
import java.util.Locale;
import java.util.stream.Collectors;

/** What {@code bench hold} prints: a line while it runs, a summary at the end. Any thread. */
final class HoldTable {
    private final StringBuilder text = new StringBuilder();
    private final HoldResult result;

    private HoldTable(HoldResult result) {
        this.result = result;
    }

    /** How it stands, for the line on the terminal. */
    static String line(HoldSecond second) {
        String server = second.serverRss() == 0 ? "" : "  server " + size(second.serverRss());
        return format(
                "%,5d s  %-7s  %,d / %,d alive  %,d answers/s  p99 %s  failures %,d%s",
                second.atMillis() / 1_000,
                second.phase().name().toLowerCase(Locale.ROOT),
                second.alive(),
                second.wanted(),
                second.answers(),
                time(second.p99()),
                second.failures(),
                server);
    }

    /** The summary; every line ends with a line feed. */
    static String of(HoldResult result) {
        var table = new HoldTable(result);
        table.connections();
        table.answers();
        result.server().ifPresent(table::server);
        result.kernel().ifPresent(table::kernel);
        table.generator(result.generator());
        return table.text.toString();
    }

    private void connections() {
        double rate = result.openedSeconds() == 0 ? 0 : result.wanted() / result.openedSeconds();
        line(
                "connections",
                "%,d wanted, %,d alive; opened in %.1f s (%,.0f/s), held for %.0f s%s",
                result.wanted(),
                result.alive(),
                result.openedSeconds(),
                rate,
                result.heldSeconds(),
                result.interrupted() ? ", then interrupted" : "");
        Counts counts = result.counts();
        line(
                "losses",
                "%,d reset, %,d closed by the server, %,d timed out, %,d malformed",
                counts.resets(),
                counts.closed(),
                counts.timeouts(),
                counts.malformed());
        line(
                "unopened",
                "%,d attempts failed%s",
                counts.unopened(),
                result.refusal().map(why -> "; the first: " + why).orElse(""));
    }

    private void answers() {
        Counts counts = result.counts();
        line(
                "answers",
                "%,d; %,d of a wrong status, %,d of a wrong length",
                counts.answers(),
                counts.wrongStatus(),
                counts.wrongLength());
        line(
                "rate",
                "%,.0f/s; connections / mean think time is %,.0f/s",
                result.rate(),
                result.expectedRate());
        line("latency", "%s", latency(result.holding()));
        line("  opening", "%s", latency(result.opening()));
    }

    private void server(ServerCost server) {
        String pids = server.pids().stream().map(String::valueOf).collect(Collectors.joining(", "));
        line("server", "process %s, %,d descriptors", pids, server.descriptors());
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
        double user = result.cpuMicros(server.userSeconds());
        double system = result.cpuMicros(server.systemSeconds());
        line(
                "  CPU",
                "%.1f us per request (%.1f user, %.1f system); %.1f %% of a core, idle %s",
                user + system,
                user,
                system,
                server.busyShare() * 100,
                server.idleShare().isPresent()
                        ? format("%.1f %%", server.idleShare().getAsDouble() * 100)
                        : "unknown");
    }

    private void kernel(KernelMemory kernel) {
        line(
                "kernel",
                "%s more (slab %s, of which unreclaimable %s; TCP %s), all of the machine: %s, both"
                        + " ends",
                size(kernel.bytes()),
                size(kernel.slab()),
                size(kernel.unreclaimable()),
                size(kernel.tcp()),
                each(kernel.bytes()));
    }

    private void generator(GeneratorCost cost) {
        line(
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

    private void line(String name, String form, Object... values) {
        text.append(format("%-11s  ", name)).append(format(form, values)).append('\n');
    }

    private String each(long bytes) {
        return format("%,.0f B per connection", result.perConnection(bytes));
    }

    private static String latency(Latency latency) {
        return latency.answers() == 0
                ? "none"
                : format(
                        "p50 %s, p99 %s, p99.9 %s, max %s",
                        time(latency.p50()),
                        time(latency.p99()),
                        time(latency.p999()),
                        time(latency.max()));
    }

    private static String time(double micros) {
        return micros < 1e3
                ? format("%.0f us", micros)
                : micros < 1e6 ? format("%.2f ms", micros / 1e3) : format("%.2f s", micros / 1e6);
    }

    private static String size(long bytes) {
        return format("%,.1f MiB", bytes / 1048576.0);
    }

    private static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }
}
