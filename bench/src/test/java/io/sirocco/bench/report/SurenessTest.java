// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import static io.sirocco.bench.report.Sureness.ABOUT_EQUAL;
import static io.sirocco.bench.report.Sureness.SURE;
import static io.sirocco.bench.report.Sureness.UNCLEAR;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SurenessTest {
    @Test
    void rangesThatDoNotOverlapAreSure() {
        assertEquals(SURE, Sureness.between(Spread.of(1, 2, 3), Spread.of(3.1, 4, 5)));
        assertEquals(SURE, Sureness.between(Spread.of(3.1, 4, 5), Spread.of(1, 2, 3)));
    }

    @Test
    void rangesThatTouchOverlap() {
        assertEquals(ABOUT_EQUAL, Sureness.between(Spread.of(1, 2, 3), Spread.of(2, 2.1, 3)));
        assertEquals(ABOUT_EQUAL, Sureness.between(Spread.of(1, 3, 3), Spread.of(3, 3.2, 5)));
    }

    @Test
    void overlapDoesNotMakeMediansFarApartEqual() {
        assertEquals(UNCLEAR, Sureness.between(Spread.of(1, 2, 3), Spread.of(3, 4, 5)));
    }

    @Test
    void twoRoundsSayTooLittle() {
        assertEquals(UNCLEAR, Sureness.between(Spread.of(1, 2), Spread.of(30, 40, 50)));
        assertEquals(UNCLEAR, Sureness.between(Spread.of(1), Spread.of(1.01)));
    }

    @Test
    void chanceOfLookingSureByLuck() {
        assertEquals(1, Sureness.oneIn(1));
        assertEquals(3, Sureness.oneIn(2));
        assertEquals(10, Sureness.oneIn(3));
        assertEquals(126, Sureness.oneIn(5));
        assertEquals(24_310, Sureness.oneIn(9));
    }
}
