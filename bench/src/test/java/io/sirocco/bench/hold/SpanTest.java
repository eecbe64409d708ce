// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SpanTest {
    private static final int MANY = 200_000;
    private final SplittableRandom random = new SplittableRandom(1);

    private static double mean(LongSupplier values) {
        return LongStream.generate(values).limit(MANY).average().orElseThrow();
    }

    @Test
    void bothEndsOccurAndNothingBeyond() {
        var span = new Span(3, 5);
        long[] seen =
                LongStream.generate(() -> span.pick(random)).limit(1_000).distinct().toArray();
        assertEquals(3, seen.length);
        assertEquals(4, LongStream.of(seen).average().orElseThrow());
        assertEquals(7, new Span(7, 7).pick(random));
    }

    @Test
    void theMeanIsThatOfTheValues() {
        var span = new Span(10_000, 99_000);
        assertEquals(54_500, span.mean());
        assertEquals(54_500, mean(() -> span.pick(random)), 300);
    }

    /** E(X²) / 2E(X), of a uniform X. */
    @Test
    void theRestOfATimeHasTheMeanThatTheoryGives() {
        var span = new Span(10_000, 99_000);
        double a = 10_000;
        double b = 99_000;
        double expected = (a * a + a * b + b * b) / 3 / (a + b);
        assertEquals(expected, mean(() -> span.rest(random)), expected / 100);
    }

    @Test
    void anEndBeforeTheBeginningIsNoRange() {
        assertThrows(IllegalArgumentException.class, () -> new Span(2, 1));
        assertThrows(IllegalArgumentException.class, () -> new Span(-1, 1));
    }
}
