// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.List;
import java.util.Optional;

/** Every peer at every work: CPU per request as multiples of ours. */
final class Matrix {
    private Matrix() {}

    static void to(Markup html, Race race, List<Verdict> verdicts) {
        html.open("div", "class", "wide").open("table", "class", "matrix").open("thead").open("tr");
        html.element("th", "", "scope", "col");
        verdicts.forEach(v -> html.element("th", v.work().name(), "scope", "col"));
        html.close().close().open("tbody");
        for (Race.Peer peer : race.peers()) {
            if (verdicts.stream().anyMatch(v -> v.place(peer.name()).isPresent())) {
                html.open("tr", "class", WorkSection.style(peer.name()));
                html.element("th", peer.name(), "scope", "row");
                verdicts.forEach(v -> cell(html, v, peer.name()));
                html.close();
            }
        }
        html.close().close().close();
    }

    private static void cell(Markup html, Verdict verdict, String peer) {
        Optional<Spread> times = verdict.times(Figure.CPU, peer, Race.OURS);
        if (times.isEmpty()) {
            html.element("td", "–", "class", "none");
            return;
        }
        double median = times.get().median();
        boolean same = !peer.equals(Race.OURS) && same(verdict, peer);
        String style = same || peer.equals(Race.OURS) ? "same" : heat(median);
        html.element("td", (same ? "≈ " : "") + Units.times(median), "class", style);
    }

    /** Whether the two cannot be told apart. */
    private static boolean same(Verdict verdict, String peer) {
        Spread its = verdict.place(peer).orElseThrow().spread(Figure.CPU);
        return its.overlaps(verdict.ours().orElseThrow().spread(Figure.CPU));
    }

    /** Class of the cell: the more, the darker. */
    private static String heat(double times) {
        return times < 1
                ? "less"
                : "heat" + Math.min(4, (int) (Math.log(times) / Math.log(2) * 1.5));
    }
}
