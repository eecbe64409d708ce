// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/** Something over the seconds of a run, from 0 up. */
final class TimeChart {
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

    private static Markup draw(
            Lines lines, List<Lines.Series> series, DoubleFunction<String> label) {
        var dots = series.stream().flatMap(s -> s.dots().stream()).toList();
        if (dots.isEmpty()) {
            return lines.nothing("not one second was measured");
        }
        double most = dots.stream().mapToDouble(Lines.Dot::y).max().orElse(1);
        double end = dots.stream().mapToDouble(Lines.Dot::x).max().orElse(1);
        var x = Scale.linear(end, Lines.LEFT, lines.right);
        var y = Scale.linear(most * 1.05, lines.bottom, Lines.TOP);
        var across = new Lines.Axis(x, x.ticks(), seconds -> Units.plain(seconds) + " s");
        return lines.draw(across, new Lines.Axis(y, y.ticks(), label));
    }
}
