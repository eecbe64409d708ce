// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChoiceTest {
    private static Call[] weighted(int... weights) {
        return IntStream.range(0, weights.length)
                .mapToObj(i -> Runs.get("/" + i).times(weights[i]))
                .toArray(Call[]::new);
    }

    private static List<String> taken(Choice choice, int count) {
        return IntStream.range(0, count).mapToObj(i -> choice.next().label()).toList();
    }

    @Test
    void inTurnFromTheFirstOnWhateverTheWeights() {
        var choice = new Choice(weighted(1, 100, 1), Load.Order.ROUND_ROBIN, 0);
        List<String> round = List.of("GET /0", "GET /1", "GET /2");
        assertEquals(round, taken(choice, 3));
        assertEquals(round, taken(choice, 3));
    }

    /** Within five standard deviations; and the seed is fixed, so this is so for ever. */
    @Test
    void atRandomByWeight() {
        int[] weights = {1, 3, 6, 90};
        int n = 100_000;
        var choice = new Choice(weighted(weights), Load.Order.WEIGHTED, 1);
        List<String> taken = taken(choice, n);
        for (int i = 0; i < weights.length; i++) {
            String label = "GET /" + i;
            double p = weights[i] / 100.0;
            long count = taken.stream().filter(label::equals).count();
            double deviations = (count - n * p) / Math.sqrt(n * p * (1 - p));
            assertTrue(Math.abs(deviations) < 5, () -> label + ": " + count + " of " + n);
        }
    }

    @Test
    void theSameSeedLeadsToTheSameChoices() {
        Call[] calls = weighted(1, 2, 3);
        List<String> first = taken(new Choice(calls, Load.Order.WEIGHTED, 7), 100);
        assertEquals(first, taken(new Choice(calls, Load.Order.WEIGHTED, 7), 100));
        assertNotEquals(first, taken(new Choice(calls, Load.Order.WEIGHTED, 8), 100));
    }

    @Test
    void theSumOfTheWeightsMayBeLarge() {
        int most = Integer.MAX_VALUE;
        var choice = new Choice(weighted(most, most, most, 1), Load.Order.WEIGHTED, 3);
        List<String> taken = taken(choice, 1_000);
        for (int i = 0; i < 3; i++) {
            assertTrue(taken.contains("GET /" + i));
        }
    }

    @Test
    void oneIsChosenAlways() {
        for (Load.Order order : Load.Order.values()) {
            var choice = new Choice(weighted(5), order, 0);
            assertEquals(List.of("GET /0", "GET /0"), taken(choice, 2));
        }
    }
}
