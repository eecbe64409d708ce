// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A promise of the design, and what a race says of it. Immutable.
 *
 * @param text what is promised, without the limit
 * @param bound which side of the limit keeps it
 * @param measured the ratio, unless somebody took no part
 * @param best the same ratio as the floor has it: what no server can better; where that says
 *     something
 * @param failures requests of ours that failed, where none may
 * @param capped whether the generator was the bottleneck of a figure of ours that it can cap
 */
record Target(
        String text,
        Bound bound,
        double limit,
        Function<Race, Optional<Spread>> measured,
        Function<Race, Optional<Spread>> best,
        Function<Race, Long> failures,
        Predicate<Race> capped) {

    enum Bound {
        AT_MOST("at most"),
        AT_LEAST("at least");

        final String words;

        Bound(String words) {
            this.words = words;
        }

        boolean holds(double value, double limit) {
            return this == AT_MOST ? value <= limit : value >= limit;
        }
    }

    /** Met or missed by the median; said to be close when rounds are on both sides of the limit. */
    String outcome(Race race) {
        Optional<Spread> ratio = measured.apply(race);
        if (ratio.isEmpty()) {
            return "not measured";
        }
        long failed = failures.apply(race);
        if (failed > 0) {
            return "missed: " + Units.count(failed) + " failed";
        }
        boolean met = bound.holds(ratio.get().median(), limit);
        if (!met && capped.test(race)) {
            return "not told: bound by the generator";
        }
        boolean close = ratio.get().least() < limit && limit < ratio.get().most();
        return (met ? "met" : "missed") + (close ? ", within the spread" : "");
    }

    String limitInWords() {
        return bound.words + " " + Units.plain(limit);
    }
}
