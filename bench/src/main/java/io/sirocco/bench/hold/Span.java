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

    long pick(RandomGenerator random) {
        return from == to ? from : random.nextLong(from, to + 1);
    }
}
