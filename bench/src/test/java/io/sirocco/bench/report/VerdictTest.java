// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static io.sirocco.bench.report.SmallRace.absent;
import static io.sirocco.bench.report.SmallRace.standing;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private final Verdict verdict =
            Verdict.of(
                    SmallRace.work(
                            "plaintext",
                            standing("floor", 1, 1, 1),
                            standing("sirocco", 2, 2.1, 2.2),
                            absent("hyper", "no cargo"),
                            standing("nginx", 2.1, 2.2, 2.5),
                            standing("go", 9, 8, 7),
                            standing("netty", 2.3, 2.4, 2.6)));

    @Test
    void thoseThatCannotBeToldFromTheBestOfAGroupShareItsRank() {
        assertEquals(
                List.of(
                        "floor 0 false",
                        "sirocco 1 true",
                        "nginx 1 true",
                        "netty 3 false",
                        "go 4 false"),
                verdict.places().stream()
                        .map(p -> p.peer() + " " + p.rank() + " " + p.tied())
                        .toList());
    }

    @Test
    void theFloorTakesNoPlace() {
        assertEquals("sirocco", verdict.ranked().getFirst().peer());
        assertEquals("nginx", verdict.rivals().getFirst().peer());
        assertEquals("sirocco", verdict.byRate().getFirst().peer());
    }

    @Test
    void ratios() {
        assertEquals(
                new Spread(2.1, 2, 2.2, 3),
                verdict.times(Figure.CPU, "sirocco", "floor").orElseThrow());
        assertEquals(
                8 / 2.1, verdict.times(Figure.CPU, "go", "sirocco").orElseThrow().median(), 1e-9);
        assertEquals(
                2.1 / 8, verdict.times(Figure.RATE, "go", "sirocco").orElseThrow().median(), 1e-9);
        assertTrue(verdict.times(Figure.CPU, "hyper", "floor").isEmpty());
        assertEquals("no cargo", verdict.absent().getFirst().absent());
    }

    @Test
    void inWords() {
        var race = SmallRace.of(SmallRace.peers("floor", "sirocco"), verdict.work());
        assertEquals(
                "Sirocco shares 1st at 2.10 × the floor. The best other, nginx, needs 1.05 × its CPU"
                        + " (about equal).",
                InWords.standing(race, verdict));
        assertEquals(
                "Sirocco surely needs the least CPU per request in 0 of 1 work, cannot be told from"
                        + " the best in 1.",
                InWords.headline(race));
        assertEquals(" Most requests/s: sirocco, 95,238 (about equal).", InWords.fastest(verdict));
    }

    @Test
    void inWordsWithoutOurs() {
        var alone =
                SmallRace.work(
                        "churn", standing("nginx", 2, 2, 2), absent("sirocco", "it crashed"));
        var race = SmallRace.of(SmallRace.peers("sirocco", "nginx"), alone);
        assertEquals(
                "Sirocco did not do this: it crashed.", InWords.standing(race, Verdict.of(alone)));
        assertEquals(
                "No workload has results of Sirocco and of a competitor.", InWords.headline(race));
    }

    @Test
    void firstOnlyWhenSureAgainstEveryRival() {
        var race =
                SmallRace.of(
                        SmallRace.peers("sirocco", "nginx", "go"),
                        SmallRace.work(
                                "first", standing("sirocco", 1, 1, 1), standing("go", 2, 2, 2)),
                        SmallRace.work(
                                "noisy rival",
                                standing("sirocco", 1, 1, 1),
                                standing("nginx", 2, 2, 2),
                                standing("go", 1, 5, 5)),
                        SmallRace.work(
                                "few rounds", standing("sirocco", 1, 1), standing("go", 2, 2)),
                        SmallRace.work(
                                "behind", standing("sirocco", 3, 3, 3), standing("go", 2, 2, 2)));
        assertEquals(
                "Sirocco surely needs the least CPU per request in 1 of 4 works, cannot be told from"
                        + " the best in 2, is behind in 1.",
                InWords.headline(race));
    }

    @Test
    void ordinals() {
        var of = List.of(1, 2, 3, 4, 11, 12, 13, 21);
        assertEquals(
                List.of("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st"),
                of.stream().map(n -> new Place("x", n, false, List.of()).ordinal()).toList());
    }
}
