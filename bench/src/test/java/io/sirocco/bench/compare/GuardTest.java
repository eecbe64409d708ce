// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.report.Race;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class GuardTest {
    private static final double[] FLOOR = {10, 20, 10};

    @Test
    void exactlyTheBoundIsGood() {
        Guard guard =
                Guard.of(race(work("plaintext", FLOOR, 15, 30, 15), work("churn", FLOOR, FLOOR)));
        assertTrue(guard.good());
        assertEquals(
                "guard: plaintext 1.50 x floor, churn 1.00 x floor (at most 1.50): good",
                guard.line());
    }

    @Test
    void oneWorkBeyondTheBoundIsNotGood() {
        Guard guard =
                Guard.of(race(work("plaintext", FLOOR, FLOOR), work("churn", FLOOR, 16, 32, 16)));
        assertFalse(guard.good());
        assertEquals(
                "guard: plaintext 1.00 x floor, churn 1.60 x floor (at most 1.50): not good",
                guard.line());
    }

    /** The machine was slow in the second round, and for ours in the third. */
    @Test
    void theBestRoundsCount() {
        Guard guard =
                Guard.of(race(work("plaintext", FLOOR, 12, 24, 90), work("churn", FLOOR, FLOOR)));
        assertTrue(guard.line().startsWith("guard: plaintext 1.20 x floor, "), guard.line());
    }

    /** Nothing came in the first round. */
    @Test
    void aRoundWithoutCpuTimeDoesNotCount() {
        Guard guard =
                Guard.of(race(work("plaintext", FLOOR, 0, 13, 12), work("churn", FLOOR, FLOOR)));
        assertTrue(guard.line().startsWith("guard: plaintext 1.20 x floor, "), guard.line());
    }

    @Test
    void whatWasNotMeasuredIsNotGoodAndSaysWhy() {
        var ours = new Race.Standing(Race.OURS, "wrong answer: none", List.of());
        var plaintext =
                new Race.Work(
                        "plaintext", "", "", "request", List.of(standing("floor", FLOOR), ours));
        Guard guard = Guard.of(race(plaintext));
        assertFalse(guard.good());
        assertEquals(
                "guard: plaintext was not measured (sirocco: wrong answer: none),"
                        + " churn was not measured (at most 1.50): not good",
                guard.line());
    }

    private static Race race(Race.Work... works) {
        var machine = new Race.Machine("", 2, 0, "", "", "");
        return new Race("", "", "", 3, 1, machine, List.of(), Arrays.asList(works));
    }

    private static Race.Work work(String name, double[] floor, double... ours) {
        return new Race.Work(
                name,
                "",
                "",
                "request",
                List.of(standing(Race.FLOOR, floor), standing(Race.OURS, ours)));
    }

    private static Race.Standing standing(String peer, double... cpuMicros) {
        return new Race.Standing(
                peer, "", DoubleStream.of(cpuMicros).mapToObj(GuardTest::round).toList());
    }

    private static Race.Round round(double cpuMicros) {
        return new Race.Round(cpuMicros, 1, 1, 1, 1, 1, 1, 1, 0, 0, List.of(), List.of());
    }
}
