// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * A chart of lines, each named at its right end, where it shows which is above which. Not for
 * several threads at once.
 */
final class Lines {
    /**
     * One line; it has at least one point.
     *
     * @param name empty when it is the only one
     * @param style its classes in the style sheet
     */
    record Series(String name, String style, List<Dot> dots) {
        Dot last() {
            return dots.getLast();
        }
    }

    record Dot(double x, double y) {}

    /**
     * An axis; {@code scale} has the coordinates.
     *
     * @param ticks where it is labelled
     */
    record Axis(Scale scale, List<Double> ticks, DoubleFunction<String> label) {}

    static final double LEFT = 50;
    static final double TOP = 44;
    private static final double GAP = 13.5;

    private final Plot plot;
    private final List<Series> series;

    /** Where the plot ends; there is room for all names. */
    final double right;

    final double bottom;

    /**
     * @param heading see {@link Plot}
     */
    Lines(String heading, String title, List<Series> series) {
        this.series = series;
        boolean named = series.stream().anyMatch(s -> !s.name().isEmpty());
        right = Plot.WIDTH - (named ? 92 : 24);
        bottom = TOP + Math.max(190, (series.size() - 1) * GAP + 4);
        plot = new Plot(heading, title, bottom + 28);
    }

    /** What the colours mean, above the plot. */
    Lines legend(Palette palette) {
        double x = LEFT;
        for (String language : palette.legend(series.stream().map(Series::name).toList())) {
            plot.svg.open("g", "class", "peer " + palette.languages().get(language));
            plot.line("line", x, 30, x + 18, 30);
            plot.text("name", x + 22, 34, "start", language);
            plot.svg.close();
            x += 34 + language.length() * 7;
        }
        return this;
    }

    Markup nothing(String words) {
        plot.text("faint", LEFT, TOP + 20, "start", words);
        return plot.done();
    }

    Markup draw(Axis x, Axis y) {
        for (double tick : y.ticks()) {
            double at = y.scale().at(tick);
            plot.line("grid", LEFT, at, right, at);
            plot.text("faint", LEFT - 5, at + 4, "end", y.label().apply(tick));
        }
        for (double tick : x.ticks()) {
            double at = x.scale().at(tick);
            plot.line("grid", at, TOP, at, bottom);
            plot.text("faint", at, bottom + 17, "middle", x.label().apply(tick));
        }
        double[] wanted = series.stream().mapToDouble(s -> y.scale().at(s.last().y())).toArray();
        double[] places = Labels.spread(wanted, GAP, TOP + 2, bottom - 2);
        // Ours comes last: on top of the others.
        var order = Comparator.comparing((Series s) -> s.style().contains("ours"));
        for (Series one : series.stream().sorted(order).toList()) {
            int i = series.indexOf(one);
            plot.svg.open("g", "class", "peer " + one.style()).element("title", one.name());
            plot.svg.empty("path", "class", "line", "d", path(one, x.scale(), y.scale()));
            if (!one.name().isEmpty()) {
                name(one, x.scale().at(one.last().x()) + 2, wanted[i], places[i]);
            }
            plot.svg.close();
        }
        return plot.done();
    }

    private void name(Series one, double x, double y, double place) {
        String to = Plot.point(right + 12, place);
        plot.svg.empty("path", "class", "leader", "d", "M" + Plot.point(x, y) + "L" + to + "h4");
        String name = Labels.fit(one.name(), Plot.WIDTH - right - 18, Plot.LETTER);
        plot.text("name", right + 18, place + 4, "start", name);
    }

    private static String path(Series series, Scale x, Scale y) {
        var path = new StringBuilder();
        for (Dot dot : series.dots()) {
            path.append(path.isEmpty() ? 'M' : 'L');
            path.append(Plot.point(x.at(dot.x()), y.at(dot.y())));
        }
        return path.toString();
    }
}
