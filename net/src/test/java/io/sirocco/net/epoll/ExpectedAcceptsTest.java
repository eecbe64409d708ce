// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ExpectedAcceptsTest {
    private final ExpectedAccepts expected = new ExpectedAccepts();
    private long turn = 100;
    private int callsInVain;

    /** Accepts in a turn what it is asked for of {@code waiting}; returns how many are left. */
    private int accept(int waiting) {
        turn++;
        int count = expected.count(0);
        if (waiting < count) {
            callsInVain++;
            expected.backlogEmpty(waiting);
            return 0;
        }
        expected.batchFull(turn);
        return waiting - count;
    }

    @Test
    void oneConnectionNowAndThenCostsNoCallMore() {
        for (int i = 0; i < 1_000; i++) {
            accept(1);
            turn++; // a turn without one
        }
        assertEquals(0, callsInVain);
    }

    @Test
    void aFewInEachTurnCostFewCallsMore() {
        int waiting = 0;
        for (int i = 0; i < 1_000; i++) {
            waiting = accept(waiting + 1 + i % 3);
        }
        assertTrue(callsInVain < 250, callsInVain + " of 1000 turns");
    }

    @Test
    void aBacklogIsWorkedOffInFewTurns() {
        int waiting = 4_096;
        int turns = 0;
        for (; waiting > 0; turns++) {
            waiting = accept(waiting);
        }
        assertTrue(turns < 50, turns + " turns");
    }

    @Test
    void noTurnIsGivenToAcceptingAlone() {
        for (int i = 0; i < 1_000; i++) {
            accept(1 << 20);
        }
        assertEquals(ExpectedAccepts.MAX_PER_TURN, expected.count(0));
    }

    @Test
    void afterALongTurnAllAreAccepted() {
        assertEquals(ExpectedAccepts.MAX_PER_TURN, expected.count(2_000_000));
        assertEquals(1, expected.count(50_000));
    }
}
