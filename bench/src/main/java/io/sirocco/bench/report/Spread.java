// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What several rounds say of one figure: the median, and an interval around it. Of up to nine
 * rounds the interval is all of them; of more it leaves out the tenth at each end, since the more
 * rounds there are, the likelier one of them was disturbed. Immutable.
 *
 * @param least lower end of the interval
 * @param most upper end of it
 * @param rounds how many there were
 */
record Spread(double median, double least, double most, int rounds) {

    static Spread of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("there is no median of nothing");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        int out = n <= 9 ? 0 : n / 10;
        double median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
        return new Spread(median, sorted[out], sorted[n - 1 - out], n);
    }

    static Spread of(Figure figure, List<Race.Round> rounds) {
        return of(rounds.stream().mapToDouble(figure::of).toArray());
    }

    /**
     * The ratio of two peers, made round by round: the rounds interleave, so what disturbed one
     * peer in a round, such as a neighbour of the machine, disturbed the other as well. Rounds that
     * one of them lacks are left out, and those whose divisor is 0: less than the clock can tell.
     */
    static Optional<Spread> ratio(Figure figure, List<Race.Round> of, List<Race.Round> to) {
        int n = Math.min(of.size(), to.size());
        var ratios = new double[n];
        int count = 0;
        for (int i = 0; i < n; i++) {
            double divisor = figure.of(to.get(i));
            if (divisor > 0) {
                ratios[count++] = figure.of(of.get(i)) / divisor;
            }
        }
        return count == 0 ? Optional.empty() : Optional.of(of(Arrays.copyOf(ratios, count)));
    }

    /** The interval, "3.80..4.00" with {@code between} between the ends. */
    String interval(String between) {
        return rounds == 1 ? "one round" : Units.figure(least) + between + Units.figure(most);
    }

    boolean overlaps(Spread other) {
        return least <= other.most && other.least <= most;
    }
}
