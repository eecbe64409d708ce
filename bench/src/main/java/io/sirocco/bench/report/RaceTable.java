// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.List;
import java.util.Optional;

/**
 * A {@link Race} as text for a terminal, no wider than 110 columns: a table for each work, and who
 * took no part. Any thread.
 */
public final class RaceTable {
    private static final String INDENT = "  ";

    private RaceTable() {}

    /** The text; every line ends with a line feed. */
    public static String of(Race race) {
        var text = new StringBuilder();
        if (race.works().isEmpty()) {
            text.append("No work was measured.\n");
        }
        for (Verdict verdict : Verdict.all(race)) {
            text.append(work(race, verdict)).append('\n');
        }
        for (Absence absence : Absence.of(race)) {
            text.append(
                    TextTable.paragraph("absent: " + absence.peer() + ": " + absence.reason(), ""));
        }
        return text.toString();
    }

    private static String work(Race race, Verdict verdict) {
        var text = new StringBuilder();
        text.append(verdict.work().name()).append(": ").append(verdict.work().title()).append('\n');
        if (!verdict.places().isEmpty()) {
            text.append(table(verdict));
            text.append(TextTable.paragraph(InWords.standing(race, verdict), INDENT));
        }
        List<Absence> absent = Absence.of(race, verdict);
        if (!absent.isEmpty()) {
            text.append(TextTable.paragraph("Without " + Absence.words(absent) + ".", INDENT));
        }
        InWords.generatorBound(verdict)
                .ifPresent(words -> text.append(TextTable.paragraph(words, INDENT)));
        return text.toString();
    }

    private static String table(Verdict verdict) {
        var table = new TextTable();
        table.row(
                "",
                "µs CPU/" + verdict.work().unit(),
                "spread",
                "× floor",
                "× ours",
                verdict.work().unit().equals("request") ? "req/s" : verdict.work().units() + "/s",
                "p50",
                "p99",
                "p99.9",
                "failed");
        for (Place place : verdict.places()) {
            Spread cpu = place.spread(Figure.CPU);
            table.row(
                    place.peer(),
                    Units.figure(cpu.median()),
                    cpu.interval(".."),
                    times(verdict.times(Figure.CPU, place.peer(), Race.FLOOR)),
                    times(verdict.times(Figure.CPU, place.peer(), Race.OURS)),
                    Units.count(place.median(Figure.RATE)) + (place.isGeneratorBound() ? "†" : " "),
                    Units.time(place.median(Figure.P50)),
                    Units.time(place.median(Figure.P99)),
                    Units.time(place.median(Figure.P999)),
                    Units.count(place.failures()));
        }
        return table.text(INDENT);
    }

    private static String times(Optional<Spread> ratio) {
        return ratio.map(r -> Units.times(r.median())).orElse("-");
    }
}
