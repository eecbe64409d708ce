// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void medianIsTheMiddleOneOrBetweenTheTwoInTheMiddle() {
        assertEquals(new Spread(3, 1, 9, 3), Spread.of(9, 1, 3));
        assertEquals(new Spread(4, 1, 9, 4), Spread.of(9, 1, 3, 5));
        assertEquals(new Spread(7, 7, 7, 1), Spread.of(7));
        assertThrows(IllegalArgumentException.class, Spread::of);
    }

    @Test
    void oneDisturbedRoundOfTenDoesNotWidenTheInterval() {
        assertEquals(new Spread(5.5, 2, 9, 10), Spread.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 1000));
        assertEquals(new Spread(5, 1, 1000, 9), Spread.of(1, 2, 3, 4, 5, 6, 7, 8, 1000));
    }

    /** The machine was half as fast in the second round: the ratio does not show it. */
    @Test
    void ratiosAreMadeRoundByRound() {
        var ours = SmallRace.standing("sirocco", 2, 4, 2).rounds();
        var nginx = SmallRace.standing("nginx", 3, 6, 3.2).rounds();
        assertEquals(
                Optional.of(new Spread(1.5, 1.5, 1.6, 3)), Spread.ratio(Figure.CPU, nginx, ours));
    }

    @Test
    void aRoundThatOneOfThemLacksOrThatCannotBeDividedByIsLeftOut() {
        var ours = SmallRace.standing("sirocco", 2, 0, 4).rounds();
        var nginx = SmallRace.standing("nginx", 3, 6, 8, 100).rounds();
        assertEquals(
                Optional.of(new Spread(1.75, 1.5, 2, 2)), Spread.ratio(Figure.CPU, nginx, ours));
        assertEquals(Optional.empty(), Spread.ratio(Figure.CPU, nginx, ours.subList(1, 2)));
        assertEquals(Optional.empty(), Spread.ratio(Figure.CPU, nginx, ours.subList(0, 0)));
    }
}
