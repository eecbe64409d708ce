// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The sections of a race in Markdown. */
final class RaceDocument {
    private final StringBuilder out = new StringBuilder();
    private final Race race;
    private final String folder;

    private RaceDocument(Race race, String folder) {
        this.race = race;
        this.folder = folder;
    }

    /** Ends with a blank line. */
    static String of(Race race, String folder) {
        var document = new RaceDocument(race, folder);
        document.method();
        document.overview();
        document.targets();
        Verdict.all(race).forEach(document::work);
        document.peers();
        return document.out.toString();
    }

    static String bars(Verdict verdict) {
        return file(verdict) + ".svg";
    }

    static String curves(Verdict verdict) {
        return file(verdict) + "-latency.svg";
    }

    private static String file(Verdict verdict) {
        return verdict.work().name().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }

    private void method() {
        heading("##", "How it is measured");
        code(race.command());
        Method.sentences(race)
                .forEach(s -> out.append("- ").append(Markdown.escape(s)).append('\n'));
        out.append('\n');
        String commit = race.commit().isEmpty() ? "" : ", Sirocco " + race.commit();
        paragraph(
                Method.machine(race.machine())
                        + ". "
                        + Method.rounds(race)
                        + ", "
                        + race.started()
                        + commit
                        + ".");
    }

    private void overview() {
        heading("##", "Figures");
        List<Verdict> verdicts = Verdict.all(race);
        if (verdicts.isEmpty()) {
            paragraph("No work was measured.");
            return;
        }
        paragraph(InWords.headline(race));
        var rows = new ArrayList<List<String>>();
        for (Verdict verdict : verdicts) {
            String words = InWords.place(race, verdict) + ". " + InWords.rest(verdict);
            rows.add(List.of(verdict.work().name(), verdict.work().title(), words.strip()));
        }
        table(List.of("work", "what", "where Sirocco stands"), "---", rows);
    }

    private void targets() {
        var rows = new ArrayList<List<String>>();
        for (Target target : Targets.of(race)) {
            rows.add(
                    List.of(
                            target.text(),
                            target.limitInWords(),
                            ratio(target.measured().apply(race)),
                            target.best().apply(race).map(r -> Units.times(r.median())).orElse(""),
                            target.outcome(race)));
        }
        if (rows.isEmpty()) {
            return;
        }
        heading("###", "Targets of the design");
        paragraph("Medians of the ratios of all rounds, and their spread.");
        table(List.of("target", "limit", "measured", "the floor has", ""), "---", rows);
    }

    private static String ratio(Optional<Spread> ratio) {
        return ratio.map(
                        r ->
                                Units.times(r.median())
                                        + " ("
                                        + Units.times(r.least())
                                        + " to "
                                        + Units.times(r.most())
                                        + ")")
                .orElse("–");
    }

    private void work(Verdict verdict) {
        var work = verdict.work();
        heading("###", work.name() + ": " + work.title());
        paragraph(work.text());
        if (!verdict.places().isEmpty()) {
            paragraph(InWords.standing(race, verdict) + InWords.fastest(verdict));
            image("CPU per " + work.unit() + " of each server", bars(verdict));
            var rows = verdict.places().stream().map(p -> WorkSection.cells(verdict, p)).toList();
            table(WorkSection.head(verdict), "--:", rows);
            InWords.generatorBound(verdict).ifPresent(this::paragraph);
            image("latency by percentile of each server", curves(verdict));
        }
        List<Absence> absent = Absence.of(race, verdict);
        if (!absent.isEmpty()) {
            paragraph("Without " + Absence.words(absent) + ".");
        }
    }

    private void peers() {
        heading("###", "Versions");
        var rows =
                race.peers().stream()
                        .map(p -> List.of(p.name(), p.language(), p.version(), p.notes()))
                        .toList();
        table(List.of("peer", "language", "version", "notes"), "---", rows);
        List<Absence> absent = Absence.of(race);
        if (!absent.isEmpty()) {
            paragraph("Absent: " + Absence.words(absent) + ".");
        }
    }

    private void heading(String level, String text) {
        out.append(level).append(' ').append(Markdown.escape(text)).append("\n\n");
    }

    private void paragraph(String text) {
        out.append(Markdown.escape(text)).append("\n\n");
    }

    private void code(String text) {
        text.lines().forEach(line -> out.append("    ").append(line).append('\n'));
        out.append('\n');
    }

    private void image(String words, String file) {
        out.append("![").append(words).append("](").append(folder).append('/').append(file);
        out.append(")\n\n");
    }

    private void table(List<String> head, String align, List<? extends List<String>> rows) {
        out.append(Markdown.row(head));
        out.append("|---|").append((align + "|").repeat(head.size() - 1)).append('\n');
        rows.forEach(row -> out.append(Markdown.row(row)));
        out.append('\n');
    }
}
