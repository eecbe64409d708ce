// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Request g is due at g / rate, whichever loop sends it. */
class ScheduleTest {

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 1, 3, 7, 300, 333.3, 1000, 12_345, 1e6, 1e8})
    void theLoopsTakeTurns(double rate) {
        for (int loops = 1; loops <= 5; loops++) {
            for (int g = 0; g < 10_000; g++) {
                var schedule = new Schedule(rate, g % loops, loops);
                assertEquals((long) (g * 1e9 / rate), schedule.due(g / loops), "request " + g);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 10, 300, 333, 500, 1000, 12_345, 1_000_000})
    void inSoManySecondsThereAreExactlySoMany(int rate) {
        for (int seconds : new int[] {1, 2, 3, 10, 60, 3_600}) {
            for (int loops = 1; loops <= 8; loops++) {
                int n = loops;
                LongStream shares =
                        IntStream.range(0, n)
                                .mapToLong(
                                        i ->
                                                new Schedule(rate, i, n)
                                                        .dueBefore(seconds * 1_000_000_000L));
                assertEquals((long) rate * seconds, shares.sum());
            }
        }
    }

    @Test
    void whatIsDueBeforeAMomentIsWhatIsDueEarlier() {
        var random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            double rate = Math.exp(random.nextDouble() * 15);
            int loops = 1 + random.nextInt(4);
            var schedule = new Schedule(rate, random.nextInt(loops), loops);
            long k = random.nextInt(1_000_000);
            long due = schedule.due(k);
            assertEquals(k, schedule.dueBefore(due), schedule + " " + k);
            assertEquals(k + 1, schedule.dueBefore(due + 1), schedule + " " + k);
        }
        assertEquals(0, new Schedule(10, 0, 1).dueBefore(0));
        assertEquals(0, new Schedule(10, 0, 1).dueBefore(-5));
        assertEquals(1, new Schedule(10, 0, 1).dueBefore(1));
        assertEquals(0, new Schedule(10, 1, 2).dueBefore(1));
    }

    /** For as long and as fast as a load may go, and at the slowest: time goes on. */
    @Test
    void farFromTheBeginningToo() {
        var fast = new Schedule(1e8, 1, 2);
        long year = 365L * 24 * 3600 * 100_000_000 / 2;
        assertEquals(365L * 24 * 3600, Math.round(fast.due(year) / 1e9));
        assertTrue(fast.due(year) < fast.due(year + 100));
        var slow = new Schedule(1e-3, 0, 1);
        assertEquals(1_000_000_000_000L, slow.due(1));
    }
}
