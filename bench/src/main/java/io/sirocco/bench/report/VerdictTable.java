// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.List;

/** Who is first, second and third at each work, and where ours stands: the top of the page. */
final class VerdictTable {
    private static final List<String> PLACES = List.of("1st", "2nd", "3rd");

    private VerdictTable() {}

    static void to(Markup html, Race race, List<Verdict> verdicts) {
        html.open("table", "class", "verdicts").open("thead").open("tr");
        html.element("th", "work", "scope", "col");
        PLACES.forEach(place -> html.element("th", place, "scope", "col"));
        html.element("th", "where Sirocco stands", "scope", "col");
        html.close().close().open("tbody");
        verdicts.forEach(verdict -> row(html, race, verdict));
        html.close().close();
        html.element(
                "p",
                "µs: CPU of the server for one request. ×: how many times that of the first. floor: a minimal server in C, a bound that takes no place. "
                        + Method.sure(race.rounds()),
                "class",
                "faint");
    }

    private static void row(Markup html, Race race, Verdict verdict) {
        html.open("tr").open("th", "scope", "row");
        html.element("a", verdict.work().name(), "href", "#" + WorkSection.anchor(verdict));
        html.text(" ").element("small", verdict.work().title()).close();
        List<Place> ranked = verdict.ranked();
        for (int i = 0; i < PLACES.size(); i++) {
            html.open("td", "class", "place", "data-label", PLACES.get(i));
            if (i < ranked.size()) {
                place(html, verdict, ranked, i);
            }
            html.close();
        }
        html.open("td", "class", "stand").element("b", InWords.place(race, verdict));
        html.text(" ").element("span", InWords.rest(verdict)).close();
        html.close();
    }

    private static void place(Markup html, Verdict verdict, List<Place> ranked, int i) {
        Place first = ranked.getFirst();
        Place place = ranked.get(i);
        html.element("b", place.peer(), "class", place.isOurs() ? "ours" : "other").text(" ");
        String figure =
                i == 0
                        ? Units.figure(place.median(Figure.CPU)) + " µs"
                        : verdict.times(Figure.CPU, place.peer(), first.peer())
                                .map(r -> Units.times(r.median()) + " ×")
                                .orElse("");
        html.element("span", figure, "class", "figure").text(" ");
        if (ranked.size() > 1) {
            Sureness sure = verdict.sureness(first, i == 0 ? ranked.get(1) : place);
            html.element(
                    "span",
                    mark(sure),
                    "class",
                    "mark " + sure.name().toLowerCase(java.util.Locale.ROOT));
        }
    }

    private static String mark(Sureness sure) {
        return switch (sure) {
            case SURE -> "✓ sure";
            case ABOUT_EQUAL -> "≈ about equal";
            case UNCLEAR -> "? unclear";
        };
    }
}
