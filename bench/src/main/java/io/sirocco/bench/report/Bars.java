// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.Arrays;
import java.util.List;

/**
 * CPU time per request as horizontal bars, the least on top: each ends at the median, a whisker
 * goes from the least round to the most, a dot is a round; a line marks the floor. What is far off
 * is broken off, with its figure beside it.
 */
final class Bars {
    /** A bar this many times as long as the least is broken off at the edge. */
    private static final double FAR = 6;

    private static final double TOP = 40;
    private static final double ROW = 21;
    private static final double LEFT = 88;
    private static final double RIGHT = Plot.WIDTH - 102;

    private final Verdict verdict;
    private final Palette palette;
    private final Scale scale;
    private final Plot plot;

    private Bars(Verdict verdict, Palette palette, boolean alone) {
        this.verdict = verdict;
        this.palette = palette;
        scale = Scale.linear(most(verdict), LEFT, RIGHT);
        String title = "Server CPU per " + verdict.work().unit() + ": µs, and × Sirocco";
        plot = new Plot(Plot.heading(verdict, alone), title, bottom() + 8);
    }

    /** The most that is drawn: a peer far behind must not make all others look alike. */
    private static double most(Verdict verdict) {
        var medians = verdict.places().stream().mapToDouble(p -> p.median(Figure.CPU)).toArray();
        double far = FAR * Arrays.stream(medians).min().orElse(0);
        return verdict.places().stream()
                .filter(p -> p.median(Figure.CPU) <= far)
                .flatMap(p -> p.rounds().stream())
                .mapToDouble(Figure.CPU::of)
                .map(cpu -> Math.min(cpu, far))
                .max()
                .orElse(1);
    }

    /**
     * @param alone whether it is to be a file of its own
     */
    static Markup of(Verdict verdict, Palette palette, boolean alone) {
        return new Bars(verdict, palette, alone).draw();
    }

    private Markup draw() {
        verdict.place(Race.FLOOR).ifPresent(this::mark);
        List<Place> places = verdict.places();
        for (int i = 0; i < places.size(); i++) {
            row(places.get(i), TOP + i * ROW);
        }
        plot.line("axis", LEFT, TOP - 3, LEFT, bottom());
        return plot.done();
    }

    private void mark(Place floor) {
        double cpu = floor.median(Figure.CPU);
        double x = scale.at(cpu);
        plot.line("mark", x, TOP - 6, x, bottom());
        plot.text("faint", x, TOP - 10, "middle", "floor " + Units.figure(cpu));
    }

    private void row(Place place, double top) {
        double middle = top + ROW / 2 - 1;
        Spread cpu = place.spread(Figure.CPU);
        plot.svg.open("g", "class", "peer " + palette.peer(place.peer()));
        plot.svg.element("title", words(place, cpu));
        plot.text("name", LEFT - 6, middle + 4, "end", Labels.fit(place.peer(), LEFT - 10, 12));
        plot.svg.empty(
                "rect",
                "class",
                "bar",
                "x",
                Markup.number(LEFT),
                "y",
                Markup.number(top + 2),
                "width",
                Markup.number(at(cpu.median()) - LEFT),
                "height",
                Markup.number(ROW - 6));
        if (cpu.median() > scale.to()) {
            plot.line("break", RIGHT - 14, top + ROW - 3, RIGHT - 8, top + 1);
            plot.line("break", RIGHT - 9, top + ROW - 3, RIGHT - 3, top + 1);
        } else {
            rounds(place, cpu, middle);
        }
        double end = place.rounds().stream().mapToDouble(r -> at(r.cpuMicros())).max().orElse(0);
        plot.text("value", end + 7, middle + 4, "start", value(place, cpu));
        plot.svg.close();
    }

    private void rounds(Place place, Spread cpu, double middle) {
        plot.line("whisker", at(cpu.least()), middle, at(cpu.most()), middle);
        for (Race.Round round : place.rounds()) {
            plot.svg.empty(
                    "circle",
                    "class",
                    "dot",
                    "cx",
                    Markup.number(at(round.cpuMicros())),
                    "cy",
                    Markup.number(middle),
                    "r",
                    "2");
        }
    }

    private double at(double micros) {
        return scale.at(Math.min(micros, scale.to()));
    }

    private String value(Place place, Spread cpu) {
        String ratio =
                verdict.times(Figure.CPU, place.peer(), Race.OURS)
                        .filter(_ -> !place.isOurs())
                        .map(r -> "  " + Units.times(r.median()) + " ×")
                        .orElse("");
        return Units.figure(cpu.median()) + ratio;
    }

    private static String words(Place place, Spread cpu) {
        return place.peer()
                + ": median "
                + Units.figure(cpu.median())
                + " µs, "
                + Units.figure(cpu.least())
                + " to "
                + Units.figure(cpu.most())
                + " in "
                + cpu.rounds()
                + (cpu.rounds() == 1 ? " round" : " rounds");
    }

    private double bottom() {
        return TOP + verdict.places().size() * ROW;
    }
}
