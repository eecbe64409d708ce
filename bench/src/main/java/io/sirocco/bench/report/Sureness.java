// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

/** How sure it is that of two peers one is better. Immutable. */
enum Sureness {
    /** Their ranges do not overlap, and each has rounds enough. */
    SURE("sure"),
    /** Their ranges overlap, and their medians are close. */
    ABOUT_EQUAL("about equal"),
    /** Their ranges overlap though their medians are apart, or there are too few rounds. */
    UNCLEAR("unclear");

    /**
     * Two equal peers have ranges that do not overlap in one race of three with two rounds, in one
     * of ten with three, and in one of 126 with five.
     */
    static final int ROUNDS = 3;

    /** Medians that differ by more than this are not called about equal. */
    static final double CLOSE = 1.1;

    final String words;

    Sureness(String words) {
        this.words = words;
    }

    static Sureness between(Spread a, Spread b) {
        if (!a.overlaps(b)) {
            return Math.min(a.rounds(), b.rounds()) >= ROUNDS ? SURE : UNCLEAR;
        }
        double less = Math.min(a.median(), b.median());
        return Math.max(a.median(), b.median()) <= less * CLOSE ? ABOUT_EQUAL : UNCLEAR;
    }

    /** In how many races of two equal peers one looks sure: 1 in so many, with so many rounds. */
    static long oneIn(int rounds) {
        long ways = 1; // of the 2n rounds, n are the first peer's
        for (int i = 1; i <= rounds; i++) {
            ways = ways * (rounds + i) / i;
        }
        return ways / 2; // all of the first before all of the second, or the other way around
    }
}
