// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.web.proxy.ServerHealth.State;
import org.junit.jupiter.api.Test;

/** Ejections, checks and slow starts, at times that begin below zero. */
class ServerHealthTest {
    private final ServerHealth health = new ServerHealth(2, 1000, 10_000, 3, 2, 4000);
    private long now = -5000;

    private boolean fail() {
        return health.failed(now);
    }

    private void ejectAgain() {
        assertFalse(fail());
        assertTrue(fail());
    }

    /** How long the current ejection lasts. */
    private long ejection() {
        long from = now;
        while (!health.isAvailable(now)) {
            now += 1000;
        }
        return now - from;
    }

    @Test
    void failuresInARowEject() {
        assertFalse(fail());
        health.succeeded();
        assertFalse(fail());
        assertEquals(State.UP, health.state(now));
        assertTrue(fail());
        assertEquals(State.EJECTED, health.state(now));
        assertTrue(health.isUsable());
        assertFalse(fail(), "it is ejected already");
        assertEquals(10_000, ejection());
        assertEquals(State.UP, health.state(now));
    }

    @Test
    void failuresFarApartDoNot() {
        assertFalse(fail());
        now += 1001;
        assertFalse(fail());
        now += 1000;
        assertTrue(fail());
    }

    @Test
    void eachFurtherEjectionLastsTwiceAsLongUpToTenTimes() {
        for (long expected : new long[] {10, 20, 40, 80, 100, 100}) {
            ejectAgain();
            assertEquals(expected * 1000, ejection());
        }
        now += 100_000;
        ejectAgain();
        assertEquals(10_000, ejection());
    }

    @Test
    void aServerThatComesBackGetsItsShareGradually() {
        assertEquals(1, health.share(now));
        ejectAgain();
        ejection();
        assertEquals(0.1, health.share(now));
        now += 1000;
        assertEquals(0.25, health.share(now));
        now += 1000;
        assertEquals(0.5, health.share(now));
        now += 2000;
        assertEquals(1, health.share(now));
        assertEquals(1, health.share(now - 3000));
    }

    @Test
    void checksTakeAServerOutAndBack() {
        assertFalse(health.checked(true, now));
        assertFalse(health.checked(false, now));
        assertFalse(health.checked(false, now));
        assertFalse(health.checked(true, now));
        assertFalse(health.checked(false, now));
        assertFalse(health.checked(false, now));
        assertTrue(health.checked(false, now));
        assertEquals(State.DOWN, health.state(now));
        assertFalse(health.isUsable());
        assertFalse(health.checked(true, now));
        assertFalse(health.checked(false, now));
        assertFalse(health.checked(true, now));
        assertTrue(health.checked(true, now));
        assertEquals(State.UP, health.state(now));
        assertEquals(0.1, health.share(now));
    }

    @Test
    void zeroFailuresNeverEject() {
        var never = new ServerHealth(0, 1000, 10_000, 3, 2, 0);
        for (int i = 0; i < 100; i++) {
            assertFalse(never.failed(now));
        }
    }
}
