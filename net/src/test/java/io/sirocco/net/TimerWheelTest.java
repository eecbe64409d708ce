// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The wheel against a naive model: a list of due times that is searched whole. */
class TimerWheelTest {
    private static final int GRAIN = 16;
    private static final int COARSE_GRAIN = 256;

    private static final class Probe extends Timer {
        final int number;
        final Set<Integer> fired;
        long expected = NEVER; // the model
        long armedAhead;

        Probe(int number, Set<Integer> fired) {
            this.number = number;
            this.fired = fired;
        }

        @Override
        void fire() {
            assertTrue(fired.add(number), "once only");
        }
    }

    @Test
    void agreesWithTheModel() {
        for (int seed = 0; seed < 6; seed++) {
            run(new Random(seed));
        }
    }

    @Test
    @Tag("heavy")
    void agreesWithTheModelForLong() {
        for (int seed = 6; seed < 100; seed++) {
            run(new Random(seed));
        }
    }

    /** The wheel keeps only 32 bits of a tick. */
    @Test
    void deadlinesThatAreYearsAwayCanBeMovedAndFireInTime() {
        long day = 24 * 3_600_000L;
        long now = (1L << 31) * GRAIN - 1_000; // where 32 bits of a tick overflow
        var wheel = new TimerWheel(now);
        var fired = new HashSet<Integer>();
        var far = new Probe(0, fired);
        var near = new Probe(1, fired);
        wheel.arm(far, now + 1_000 * day);
        wheel.arm(near, now + 1_000 * day);
        wheel.arm(near, now + 2_000);
        wheel.advance(now + 1_999);
        assertEquals(Set.of(), fired);
        wheel.advance(now + 2_000 + COARSE_GRAIN);
        assertEquals(Set.of(1), fired);
        for (long days = 1; days < 1_000; days++) {
            wheel.advance(now + days * day);
        }
        assertEquals(Set.of(1), fired);
        wheel.advance(now + 1_000 * day + COARSE_GRAIN);
        assertEquals(Set.of(0, 1), fired);
    }

    private static void run(Random random) {
        long now = random.nextLong(-100_000, 100_000);
        var wheel = new TimerWheel(now);
        var fired = new HashSet<Integer>();
        var probes = new ArrayList<Probe>();
        for (int i = 0; i < 60; i++) {
            probes.add(new Probe(i, fired));
        }
        for (int step = 0; step < 3_000; step++) {
            Probe probe = probes.get(random.nextInt(probes.size()));
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    long ahead =
                            switch (random.nextInt(4)) {
                                case 0 -> random.nextInt(40) - 10;
                                case 1 -> random.nextInt(2_500);
                                case 2 -> random.nextInt(10_000);
                                default -> random.nextInt(100_000);
                            };
                    probe.expected = now + ahead;
                    probe.armedAhead = Math.max(0, ahead);
                    wheel.arm(probe, probe.expected);
                }
                case 2 -> {
                    if (random.nextInt(4) == 0) {
                        probe.expected = Timer.NEVER;
                        if (random.nextBoolean()) {
                            wheel.cancel(probe);
                        } else {
                            wheel.arm(probe, Timer.NEVER);
                        }
                    }
                }
                default -> {
                    long wait = wheel.untilNext();
                    long leap =
                            switch (random.nextInt(6)) {
                                case 0 -> random.nextInt(3);
                                case 1 -> random.nextInt(20_000);
                                default -> Math.max(1, wait);
                            };
                    now += leap;
                    fired.clear();
                    wheel.advance(now);
                    for (Probe p : probes) {
                        check(p, fired.contains(p.number), now);
                    }
                }
            }
            checkWait(wheel, probes, now);
        }
    }

    private static void check(Probe probe, boolean fired, long now) {
        long late = now - probe.expected;
        if (fired) {
            assertTrue(late >= 0, () -> "early by " + -late);
            probe.expected = Timer.NEVER;
        } else if (probe.expected != Timer.NEVER) {
            int grain = probe.armedAhead > 2_000 ? COARSE_GRAIN : GRAIN;
            assertTrue(late < grain, () -> "late by " + late);
        }
    }

    /** Nobody who waits as long as it says is later than one grain. */
    private static void checkWait(TimerWheel wheel, ArrayList<Probe> probes, long now) {
        long wait = wheel.untilNext();
        for (Probe probe : probes) {
            if (probe.expected != Timer.NEVER) {
                int grain = probe.armedAhead > 2_000 ? COARSE_GRAIN : GRAIN;
                long latest = Math.max(now, probe.expected) + grain;
                assertTrue(wait > 0 && now + wait <= latest, () -> "it would sleep " + wait);
            }
        }
    }

    @Test
    void isEmptyAgain() {
        var wheel = new TimerWheel(0);
        assertEquals(-1, wheel.untilNext());
        var fired = new HashSet<Integer>();
        var one = new Probe(1, fired);
        var two = new Probe(2, fired);
        wheel.arm(one, 100);
        wheel.arm(two, 200_000);
        assertEquals(2, wheel.size());
        wheel.cancel(one);
        assertEquals(1, wheel.size());
        wheel.advance(300_000);
        assertEquals(Set.of(2), fired);
        assertEquals(0, wheel.size());
        assertEquals(-1, wheel.untilNext());
    }

    /** An idle loop with far deadlines sleeps for long. */
    @Test
    void farDeadlinesShareTheirSlots() {
        var wheel = new TimerWheel(0);
        for (int i = 0; i < 1000; i++) {
            wheel.arm(new Probe(i, new HashSet<>()), 5_000 + i);
        }
        int wakes = 0;
        for (long now = 0; wheel.size() > 0; wakes++) {
            now += wheel.untilNext();
            wheel.advance(now);
        }
        assertTrue(wakes <= 6, "it woke " + wakes + " times");
    }

    @Test
    void aTimerMayArmItselfAndCancelOthersWhileItFires() {
        var wheel = new TimerWheel(0);
        var log = new ArrayList<String>();
        var victim =
                new Timer() {
                    @Override
                    void fire() {
                        log.add("victim");
                    }
                };
        var again =
                new Timer() {
                    @Override
                    void fire() {
                        log.add("again");
                        wheel.cancel(victim);
                        if (log.size() < 5) {
                            wheel.arm(this, 0);
                        }
                    }
                };
        wheel.arm(again, 10);
        wheel.arm(victim, 10);
        for (int i = 1; i < 20; i++) {
            wheel.advance(i * 16L);
        }
        assertEquals(5, log.size());
        assertTrue(!log.contains("victim"));
        assertEquals(0, wheel.size());
    }
}
