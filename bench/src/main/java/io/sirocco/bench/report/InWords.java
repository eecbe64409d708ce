// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What the figures say, as sentences. */
final class InWords {
    private static final String NAME = "Sirocco";

    private InWords() {}

    /** How often ours is first for sure, for the top of a page. */
    static String headline(Race race) {
        int first = 0;
        int behind = 0;
        int works = 0;
        for (Verdict verdict : Verdict.all(race)) {
            if (verdict.ours().isPresent() && !verdict.rivals().isEmpty()) {
                works++;
                first += surely(verdict, true) ? 1 : 0;
                behind += surely(verdict, false) ? 1 : 0;
            }
        }
        if (works == 0) {
            return "No workload has results of " + NAME + " and of a competitor.";
        }
        int open = works - first - behind;
        return NAME
                + " surely needs the least CPU per request in "
                + first
                + " of "
                + works
                + (works == 1 ? " work" : " works")
                + (open == 0 ? "" : ", cannot be told from the best in " + open)
                + (behind == 0 ? "" : ", is behind in " + behind)
                + ".";
    }

    /** Whether ours is surely ahead of every rival, or surely behind one of them. */
    private static boolean surely(Verdict verdict, boolean ahead) {
        Place ours = verdict.ours().orElseThrow();
        double cpu = ours.median(Figure.CPU);
        var rivals = verdict.rivals().stream();
        return ahead
                ? rivals.allMatch(r -> r.median(Figure.CPU) > cpu && sure(verdict, ours, r))
                : rivals.anyMatch(r -> r.median(Figure.CPU) < cpu && sure(verdict, ours, r));
    }

    private static boolean sure(Verdict verdict, Place a, Place b) {
        return verdict.sureness(a, b) == Sureness.SURE;
    }

    /** Where ours stands in a work: a sentence or more. */
    static String standing(Race race, Verdict verdict) {
        if (verdict.ours().isEmpty()) {
            return NAME + " " + missing(race, verdict) + ".";
        }
        boolean tied = verdict.ours().get().tied();
        return NAME + (tied ? " " : " is ") + place(race, verdict) + ". " + rest(verdict);
    }

    /** "1st at 1.02 × the floor". */
    static String place(Race race, Verdict verdict) {
        return verdict.ours()
                .map(ours -> ours.ordinal() + floor(verdict))
                .orElseGet(() -> missing(race, verdict));
    }

    private static String floor(Verdict verdict) {
        return verdict.times(Figure.CPU, Race.OURS, Race.FLOOR)
                .map(r -> " at " + times(r) + " the floor")
                .orElse("");
    }

    private static String missing(Race race, Verdict verdict) {
        return verdict.absent().stream()
                .filter(s -> s.peer().equals(Race.OURS))
                .map(s -> "did not do this: " + Absence.reason(race, s))
                .findFirst()
                .orElse("was not asked to do this");
    }

    /** The best of the others beside ours, and what failed; empty when ours took no part. */
    static String rest(Verdict verdict) {
        if (verdict.ours().isEmpty()) {
            return "";
        }
        Place ours = verdict.ours().get();
        String rival =
                verdict.rivals().stream().findFirst().map(r -> rival(verdict, ours, r)).orElse("");
        String failed = ours.failures() == 0 ? "" : " " + Units.count(ours.failures()) + " failed.";
        return (rival + failed).strip();
    }

    private static String rival(Verdict verdict, Place ours, Place rival) {
        String ratio =
                verdict.times(Figure.CPU, rival.peer(), Race.OURS)
                        .map(r -> " needs " + times(r) + " its CPU")
                        .orElse("");
        String sure = verdict.sureness(ours, rival).words;
        return "The best other, " + rival.peer() + "," + ratio + " (" + sure + ").";
    }

    /** Who has the most requests per second, where that can be told; begins with a blank. */
    static String fastest(Verdict verdict) {
        List<Place> byRate = verdict.byRate();
        if (byRate.isEmpty() || byRate.getFirst().isGeneratorBound()) {
            return "";
        }
        Place first = byRate.getFirst();
        String sure =
                byRate.stream()
                        .skip(1)
                        .map(next -> Sureness.between(rate(first), rate(next)))
                        .map(s -> " (" + s.words + ")")
                        .findFirst()
                        .orElse("");
        return " Most "
                + verdict.work().units()
                + "/s: "
                + first.peer()
                + ", "
                + Units.count(rate(first).median())
                + sure
                + ".";
    }

    private static Spread rate(Place place) {
        return place.spread(Figure.RATE);
    }

    /** A warning, when requests per second say more about the generator than about the servers. */
    static Optional<String> generatorBound(Verdict verdict) {
        List<String> peers =
                verdict.places().stream().filter(Place::isGeneratorBound).map(Place::peer).toList();
        if (peers.isEmpty()) {
            return Optional.empty();
        }
        boolean all = peers.size() == verdict.places().size();
        return Optional.of(
                "† Bound by the generator: "
                        + verdict.work().units()
                        + "/s of "
                        + (all ? "all" : peers.stream().collect(Collectors.joining(", ")))
                        + ".");
    }

    private static String times(Spread ratio) {
        return Units.times(ratio.median()) + " ×";
    }
}
