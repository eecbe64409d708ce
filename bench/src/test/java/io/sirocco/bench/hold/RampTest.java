// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RampTest {
    private static final long MILLI = 1_000_000;

    private static int taken(Ramp ramp, long at) {
        int count = 0;
        while (ramp.take(at)) {
            count++;
        }
        return count;
    }

    @Test
    void oneAtOnceAndTheNextWhenItsTimeHasCome() {
        var ramp = new Ramp(1_000, 5);
        assertTrue(ramp.take(5));
        assertFalse(ramp.take(5 + MILLI - 1));
        assertEquals(5 + MILLI, ramp.next());
        assertTrue(ramp.take(5 + MILLI));
    }

    @Test
    void whoLooksSeldomTakesAllThatIsDue() {
        var ramp = new Ramp(5_000, 0);
        int count = 0;
        for (long at = 0; at < 1_000 * MILLI; at += 16 * MILLI) {
            count += taken(ramp, at);
        }
        assertEquals(4_961, count); // the last look is at 992 ms
    }

    @Test
    void afterAStallATenthOfASecondIsCaughtUpWithAndNoMore() {
        var ramp = new Ramp(1_000, 0);
        assertEquals(1, taken(ramp, 0));
        assertEquals(101, taken(ramp, 10_000 * MILLI));
        assertEquals(1, taken(ramp, 10_001 * MILLI));
    }

    @Test
    void aTimeBeforeTheOriginOfTheClockIsOneLikeOthers() {
        var ramp = new Ramp(1_000, -3 * MILLI);
        assertEquals(6, taken(ramp, 2 * MILLI));
    }
}
