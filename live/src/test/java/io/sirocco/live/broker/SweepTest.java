// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A million entries that are over are not looked at by one call. */
class SweepTest {
    private static final int ALL = 100_000;

    @Test
    void noCallLooksAtMoreThanItMayAndAllOfThemAtEverything() {
        var map = new ConcurrentHashMap<Integer, Integer>();
        for (int i = 0; i < ALL; i++) {
            map.put(i, i);
        }
        var looked = new AtomicInteger();
        var sweep =
                new Sweep<>(
                        map,
                        (value, now) -> {
                            looked.incrementAndGet();
                            return value < now;
                        });
        sweep.run(Sweep.SOME, ALL / 2);
        assertEquals(Sweep.SOME, looked.get());
        for (int i = 0; i < ALL / Sweep.SOME; i++) {
            sweep.run(Sweep.SOME, ALL / 2);
        }
        assertEquals(ALL / 2, map.size());
        assertTrue(looked.get() <= ALL + Sweep.SOME);
    }

    @Test
    void moreIsRemovedThanComes() {
        var map = new ConcurrentHashMap<Integer, Integer>();
        var sweep = new Sweep<>(map, (until, now) -> until < now);
        for (int i = 0; i < ALL; i++) {
            sweep.run(Sweep.SOME, i);
            map.put(i, i + 100); // over a hundred puts later
        }
        assertTrue(map.size() < 200, map.size() + " are there");
    }
}
