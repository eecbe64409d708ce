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
     * What is left of a time of this kind when one comes at a moment that has nothing to do with
     * it. Whoever begins so asks at the steady rate from the beginning (the forward recurrence time
     * of a renewal process: Cox, "Renewal Theory", 1962).
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
