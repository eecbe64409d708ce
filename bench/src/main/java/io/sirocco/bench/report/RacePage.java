// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A {@link Race} as one HTML file: on top who is first at what, and how sure that is; then each
 * work; then how it was measured and where. It loads nothing. Any thread.
 */
public final class RacePage {
    private RacePage() {}

    /** The file's text, in UTF-8 when it is written. */
    public static String of(Race race) {
        var page = new Page("Sirocco bench: the race");
        var html = page.html;
        html.element("h1", "The race: server CPU per request");
        html.element("p", InWords.headline(race), "class", "headline");
        html.element("p", when(race), "class", "faint");
        var verdicts = Verdict.all(race);
        if (verdicts.isEmpty()) {
            html.element("p", "No work was measured.");
        } else {
            VerdictTable.to(html, race, verdicts);
            if (verdicts.stream().anyMatch(v -> v.ours().isPresent())) {
                matrix(page, race, verdicts);
            }
        }
        var palette = Palette.of(race);
        verdicts.forEach(verdict -> WorkSection.to(page, race, verdict, palette));
        absent(html, race);
        about(page, race);
        return page.done();
    }

    private static String when(Race race) {
        return Method.rounds(race)
                + ", "
                + race.started()
                + (race.commit().isEmpty() ? "" : ", Sirocco " + race.commit());
    }

    private static void matrix(Page page, Race race, List<Verdict> verdicts) {
        page.html.element("h2", "The whole field");
        page.html.element(
                "p",
                "CPU per request as multiples of Sirocco's: 2.00 needs twice as much. Blue: more than"
                        + " Sirocco, orange: less. ≈: the two cannot be told apart.",
                "class",
                "faint");
        Matrix.to(page.html, race, verdicts);
    }

    private static void absent(Markup html, Race race) {
        List<Absence> absent = Absence.of(race);
        if (!absent.isEmpty()) {
            html.element("h2", "Absent");
            html.open("dl");
            absent.forEach(a -> html.element("dt", a.peer()).element("dd", a.reason()));
            html.close();
        }
    }

    private static void about(Page page, Race race) {
        var html = page.html;
        html.element("h2", "How it was measured", "id", "how").open("ul");
        Method.sentences(race).forEach(sentence -> html.element("li", sentence));
        html.close();
        html.element("h2", "To make it again");
        html.element("pre", race.command());
        html.element("h2", "Machine");
        html.element("p", Method.machine(race.machine()));
        html.element("h2", "Versions");
        var rows = new ArrayList<Page.Row>();
        for (Race.Peer peer : race.peers()) {
            rows.add(
                    new Page.Row(
                            "words",
                            List.of(peer.name(), peer.language(), peer.version(), peer.notes())));
        }
        page.table(List.of("peer", "language", "version", "notes"), rows);
    }
}
