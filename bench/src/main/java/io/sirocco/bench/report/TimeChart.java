// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.stream.Stream;

/** Something over the seconds of a run, from 0 up. */
final class TimeChart {
    private static final String NOTHING = "not one second was measured";

    private TimeChart() {}

    /** Answers in each second of each peer's typical round. */
    static Markup of(Race race, Verdict verdict, Palette palette) {
        var series = new ArrayList<Lines.Series>();
        for (Place place : verdict.places()) {
            var dots = new ArrayList<Lines.Dot>();
            List<Long> perSecond = place.typical().perSecond();
            // A second that was not whole would look like a slump.
            int whole = (int) Math.min(perSecond.size(), Math.max(1, Math.floor(race.seconds())));
            for (int i = 0; i < whole; i++) {
                dots.add(new Lines.Dot(i + 1, perSecond.get(i)));
            }
            if (!dots.isEmpty()) {
                series.add(new Lines.Series(place.peer(), palette.peer(place.peer()), dots));
            }
        }
        String units = verdict.work().units();
        String title =
                units.substring(0, 1).toUpperCase(Locale.ROOT)
                        + units.substring(1)
                        + "/s in each second (more is better; median round)";
        return draw(new Lines("", title, series).legend(palette), series, Units::si);
    }

    /** One line, of one run. */
    static Markup of(String title, List<Lines.Dot> dots, DoubleFunction<String> label) {
        var series = List.of(new Lines.Series("", "ours", dots));
        return draw(new Lines("", title, series), series, label);
    }

    /**
     * Several lines, of one run.
     *
     * @param heading see {@link Plot}
     */
    static Markup of(
            String heading, String title, List<Lines.Series> series, DoubleFunction<String> label) {
        return draw(new Lines(heading, title, series), series, label);
    }

    /** The same of times in microseconds, all more than 0, on a log scale. */
    static Markup ofTimes(String heading, String title, List<Lines.Series> series) {
        var lines = new Lines(heading, title, series);
        if (series.isEmpty()) {
            return lines.nothing(NOTHING);
        }
        DoubleSummaryStatistics micros = dots(series).mapToDouble(Lines.Dot::y).summaryStatistics();
        var y = Scale.log(micros.getMin(), micros.getMax(), lines.bottom, Lines.TOP);
        return lines.draw(across(lines, series), new Lines.Axis(y, y.ticks(), Units::tick));
    }

    private static Stream<Lines.Dot> dots(List<Lines.Series> series) {
        return series.stream().flatMap(s -> s.dots().stream());
    }

    private static Lines.Axis across(Lines lines, List<Lines.Series> series) {
        double end = dots(series).mapToDouble(Lines.Dot::x).max().orElse(1);
        var x = Scale.linear(end, Lines.LEFT, lines.right);
        return new Lines.Axis(x, x.ticks(), seconds -> Units.plain(seconds) + " s");
    }

    private static Markup draw(
            Lines lines, List<Lines.Series> series, DoubleFunction<String> label) {
        if (dots(series).findAny().isEmpty()) {
            return lines.nothing(NOTHING);
        }
        double most = dots(series).mapToDouble(Lines.Dot::y).max().orElse(1);
        var y = Scale.linear(most * 1.05, lines.bottom, Lines.TOP);
        return lines.draw(across(lines, series), new Lines.Axis(y, y.ticks(), label));
    }
}
