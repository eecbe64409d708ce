// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.hold.HoldResult;
import io.sirocco.bench.hold.HoldSecond;
import io.sirocco.bench.hold.HoldSecond.Phase;
import io.sirocco.bench.hold.KernelMemory;
import io.sirocco.bench.hold.KernelShares;
import io.sirocco.bench.hold.ProcessUse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What {@code bench hold} has seen, over the seconds of the run. Used by one thread. */
final class HoldCharts {
    private static final double MEBIBYTE = 1 << 20;

    /** A shorter second would look like a slump. */
    private static final long SHORT_MILLIS = 500;

    /** Points of a line; when there are more seconds, a point stands for several. */
    private static final int MAX_POINTS = 1_200;

    private final HoldResult result;
    private final List<List<HoldSecond>> groups; // a point for each
    private final boolean alone;

    private HoldCharts(HoldResult result, boolean alone) {
        this.result = result;
        this.alone = alone;
        List<HoldSecond> whole =
                result.overTime().stream().filter(s -> s.millis() >= SHORT_MILLIS).toList();
        List<HoldSecond> seconds = whole.isEmpty() ? result.overTime() : whole;
        int each = Math.max(1, Math.ceilDiv(seconds.size(), MAX_POINTS));
        this.groups = new ArrayList<>();
        for (int i = 0; i < seconds.size(); i += each) {
            groups.add(seconds.subList(i, Math.min(seconds.size(), i + each)));
        }
    }

    /**
     * By the names that their files have, without a suffix.
     *
     * @param alone whether each is for a file of its own
     */
    static Map<String, Markup> of(HoldResult result, boolean alone) {
        var charts = new HoldCharts(result, alone);
        var all = new LinkedHashMap<String, Markup>();
        all.put("connections", charts.connections());
        all.put("rate", charts.rate());
        all.put("latency", charts.latency());
        all.put("memory", charts.memory());
        all.put("kernel", charts.kernel());
        all.put("cpu", charts.cpu());
        return all;
    }

    private Markup connections() {
        return draw(
                "Connections alive", Units::si, line("", "ours", mean(second -> second.alive())));
    }

    private Markup rate() {
        List<Lines.Dot> expected =
                mean(s -> s.phase() == Phase.HOLDING ? result.expectedRate() : Double.NaN);
        return draw(
                "Responses/s, and connections / mean think time",
                Units::si,
                line("seen", "ours", mean(HoldSecond::rate)),
                line("expected", "floor", expected));
    }

    private Markup latency() {
        boolean one = groups.stream().allMatch(group -> group.size() == 1);
        return TimeChart.ofTimes(
                heading(),
                "Latency in each second, p99" + (one ? "" : " (the worst of several)") + " and p50",
                present(
                        line("p99", "ours", worst(s -> positive(s.latency().p99()))),
                        line("p50", "l0", mean(s -> positive(s.latency().p50())))));
    }

    private Markup memory() {
        return draw(
                "Memory of the server, MiB",
                Units::plain,
                line("RSS", "ours", mean(server(use -> use.rss() / MEBIBYTE))),
                line(
                        "heap in use",
                        "l0",
                        mean(
                                server(
                                        use ->
                                                use.heap().isPresent()
                                                        ? use.heap().getAsLong() / MEBIBYTE
                                                        : Double.NaN))));
    }

    /** The seconds hold no value from before the run, so growth counts from the first of them. */
    private Markup kernel() {
        return draw(
                "Growth of the kernel's memory since the first second, MiB",
                Units::plain,
                line("slab", "ours", growth(kernel(KernelMemory::slab))),
                line("TCP", "l0", growth(kernel(KernelMemory::tcp))),
                line("of server", "l1", growth(shares(KernelShares::server))),
                line("of bench", "l2", growth(shares(KernelShares::generator))));
    }

    private Markup cpu() {
        return draw(
                "CPU, % of a core",
                Units::plain,
                line("server", "ours", mean(server(use -> use.cpu() * 100))),
                line("bench", "l0", mean(s -> s.generator().cpu() * 100)));
    }

    // ---- series

    private static double positive(double value) {
        return value > 0 ? value : Double.NaN;
    }

    private static ToDoubleFunction<HoldSecond> server(ToDoubleFunction<ProcessUse> of) {
        return second -> second.server().map(of::applyAsDouble).orElse(Double.NaN);
    }

    private static ToDoubleFunction<HoldSecond> kernel(Function<KernelMemory, Long> of) {
        return second -> second.kernel().map(k -> of.apply(k) / MEBIBYTE).orElse(Double.NaN);
    }

    private static ToDoubleFunction<HoldSecond> shares(Function<KernelShares, Long> of) {
        return second -> second.shares().map(k -> of.apply(k) / MEBIBYTE).orElse(Double.NaN);
    }

    private List<Lines.Dot> mean(ToDoubleFunction<HoldSecond> of) {
        return dots(group -> group.stream().mapToDouble(of).average().orElse(Double.NaN));
    }

    private List<Lines.Dot> worst(ToDoubleFunction<HoldSecond> of) {
        return dots(
                group ->
                        group.stream()
                                .mapToDouble(of)
                                .filter(value -> !Double.isNaN(value))
                                .max()
                                .orElse(Double.NaN));
    }

    /** Since the first second; what has shrunk since then counts as nothing. */
    private List<Lines.Dot> growth(ToDoubleFunction<HoldSecond> of) {
        List<Lines.Dot> dots = mean(of);
        return dots.stream()
                .map(dot -> new Lines.Dot(dot.x(), Math.max(0, dot.y() - dots.getFirst().y())))
                .toList();
    }

    /** Without the points for which there is no value, which is NaN. */
    private List<Lines.Dot> dots(ToDoubleFunction<List<HoldSecond>> of) {
        return groups.stream()
                .map(g -> new Lines.Dot(g.getLast().atMillis() / 1e3, of.applyAsDouble(g)))
                .filter(dot -> !Double.isNaN(dot.y()))
                .toList();
    }

    private static Lines.Series line(String name, String style, List<Lines.Dot> dots) {
        return new Lines.Series(name, style, dots);
    }

    // ---- drawing

    private String heading() {
        return alone ? "bench hold: " + Units.count(result.wanted()) + " connections" : "";
    }

    private static List<Lines.Series> present(Lines.Series... series) {
        return List.of(series).stream().filter(s -> !s.dots().isEmpty()).toList();
    }

    private Markup draw(String title, DoubleFunction<String> label, Lines.Series... series) {
        return TimeChart.of(heading(), title, present(series), label);
    }
}
