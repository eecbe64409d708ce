// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.util.random.RandomGenerator;

/**
 * A range of whole numbers, both ends included, that values are chosen from uniformly. Immutable.
 */
public record Span(long from, long to) {
    public Span {
        if (from < 0 || to < from) {
            throw new IllegalArgumentException("from " + from + " to " + to + " is no range");
        }
    }

    /** The mean of what is chosen. */
    double mean() {
        return (from + to) / 2.0;
    }

    /**
     * Returns a think time cut at a random moment, as seen by an observer who arrives then (forward
     * recurrence time: Cox, "Renewal Theory", 1962), so the rate is steady from the start.
     */
    long rest(RandomGenerator random) {
        double a = from;
        double b = to + 1.0;
        double whole =
                Math.sqrt(
                        a * a + random.nextDouble() * (b * b - a * a)); // the longer, the likelier
        return (long) (random.nextDouble() * whole);
    }

    /** One of them, all equally likely. */
    long pick(RandomGenerator random) {
        return from == to ? from : random.nextLong(from, to + 1);
    }
}
