// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The part of a page that is about one work. */
final class WorkSection {
    /** The heads of the columns. */
    static List<String> head(Verdict verdict) {
        return List.of(
                "peer",
                "place",
                "µs CPU",
                "spread",
                "× floor",
                "× ours",
                verdict.work().units() + "/s",
                "p50",
                "p99",
                "p99.9",
                "failed");
    }

    private WorkSection() {}

    /** What is linked to. */
    static String anchor(Verdict verdict) {
        return "work-"
                + verdict.work().name().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }

    static String style(String peer) {
        if (peer.equals(Race.OURS)) {
            return "ours";
        }
        return peer.equals(Race.FLOOR) ? "floor" : "other";
    }

    static void to(Page page, Race race, Verdict verdict, Palette palette) {
        var html = page.html;
        var work = verdict.work();
        html.open("section", "id", anchor(verdict));
        html.open("h2").text(work.name() + " ").element("small", work.title()).close();
        html.element("p", work.text());
        if (!verdict.places().isEmpty()) {
            html.open("p").element("b", InWords.standing(race, verdict));
            html.text(InWords.fastest(verdict)).close();
            page.charts(Bars.of(verdict, palette, false), LatencyChart.of(verdict, palette, false));
            page.table(head(verdict), rows(verdict));
            InWords.generatorBound(verdict)
                    .ifPresent(words -> html.element("p", words, "class", "warning"));
            html.open("details").element("summary", "Each second");
            page.charts(TimeChart.of(race, verdict, palette));
            html.close();
        }
        absent(html, race, verdict);
        html.close();
    }

    private static void absent(Markup html, Race race, Verdict verdict) {
        List<Absence> absent = Absence.of(race, verdict);
        if (!absent.isEmpty()) {
            html.element("p", "Without " + Absence.words(absent) + ".", "class", "faint");
        }
    }

    private static List<Page.Row> rows(Verdict verdict) {
        var rows = new ArrayList<Page.Row>();
        for (Place place : verdict.places()) {
            rows.add(new Page.Row(style(place.peer()), cells(verdict, place)));
        }
        return rows;
    }

    /** In the order of {@link #head}. */
    static List<String> cells(Verdict verdict, Place place) {
        Spread cpu = place.spread(Figure.CPU);
        return List.of(
                place.peer(),
                place.isFloor() ? "–" : place.rank() + (place.tied() ? "=" : ""),
                Units.figure(cpu.median()),
                cpu.interval(" – "),
                times(verdict.times(Figure.CPU, place.peer(), Race.FLOOR)),
                times(verdict.times(Figure.CPU, place.peer(), Race.OURS)),
                Units.count(place.median(Figure.RATE)) + (place.isGeneratorBound() ? " †" : ""),
                Units.time(place.median(Figure.P50)),
                Units.time(place.median(Figure.P99)),
                Units.time(place.median(Figure.P999)),
                Units.count(place.failures()));
    }

    private static String times(Optional<Spread> ratio) {
        return ratio.map(r -> Units.times(r.median())).orElse("–");
    }
}
