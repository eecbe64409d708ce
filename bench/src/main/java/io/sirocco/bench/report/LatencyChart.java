// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.report.Race.Point;
import io.sirocco.bench.report.Race.Round;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/**
 * Latency by percentile, both on log scales: to the right each step leaves out nine tenths of the
 * answers that were left.
 */
final class LatencyChart {
    private static final double LEAST = 50;
    private static final double MAX = 99.99;
    private static final List<Double> TICKS = List.of(50.0, 90.0, 99.0, 99.9, 99.99);

    private LatencyChart() {}

    /** Of each peer's typical round. */
    static Markup of(Verdict verdict, Palette palette, boolean alone) {
        var series =
                verdict.places().stream()
                        .map(p -> series(p.peer(), palette.peer(p.peer()), points(p.typical())))
                        .filter(s -> !s.dots().isEmpty())
                        .toList();
        String title = "Latency by percentile (less is better; median round)";
        return draw(new Lines(Plot.heading(verdict, alone), title, series).legend(palette), series);
    }

    /** Of one run. */
    static Markup of(List<Point> curve) {
        var series = List.of(series("", "ours", curve));
        return draw(new Lines("", "Latency by percentile", series), series);
    }

    private static Markup draw(Lines lines, List<Lines.Series> series) {
        var micros =
                series.stream()
                        .flatMap(s -> s.dots().stream())
                        .mapToDouble(Lines.Dot::y)
                        .summaryStatistics();
        if (micros.getCount() == 0) {
            return lines.nothing("nothing was answered");
        }
        var x = new Scale(false, nines(LEAST), nines(MAX), Lines.LEFT, lines.right);
        var y = Scale.log(micros.getMin(), micros.getMax(), lines.bottom, Lines.TOP);
        var ticks = TICKS.stream().map(LatencyChart::nines).toList();
        var across = new Lines.Axis(x, ticks, LatencyChart::percent);
        return lines.draw(across, new Lines.Axis(y, y.ticks(), Units::tick));
    }

    /** 90 % is 1, 99 % is 2, 99.9 % is 3. */
    private static double nines(double percent) {
        return -Math.log10(1 - percent / 100);
    }

    private static String percent(double nines) {
        double percent = 100 - 100 * Math.pow(10, -nines);
        return BigDecimal.valueOf(percent)
                        .setScale(2, RoundingMode.HALF_UP)
                        .stripTrailingZeros()
                        .toPlainString()
                + " %";
    }

    private static Lines.Series series(String name, String style, List<Point> points) {
        return new Lines.Series(
                name,
                style,
                points.stream()
                        .filter(p -> p.percent() >= LEAST && p.percent() <= MAX && p.micros() > 0)
                        .map(p -> new Lines.Dot(nines(p.percent()), p.micros()))
                        .toList());
    }

    /** The curve, or what stands for it. */
    private static List<Point> points(Round round) {
        return round.curve().isEmpty()
                ? List.of(
                        new Point(50, round.p50()),
                        new Point(90, round.p90()),
                        new Point(99, round.p99()),
                        new Point(99.9, round.p999()))
                : round.curve();
    }
}
