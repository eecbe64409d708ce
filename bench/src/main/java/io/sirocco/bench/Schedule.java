// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import java.util.Optional;

/**
 * When the requests of an open loop are due, in nanoseconds from its beginning: number <em>g</em>
 * at <em>g / rate</em> seconds, and each of the loops takes every so many-th. Immutable.
 *
 * @param rate requests per second, of all loops
 * @param index which of the loops it is, from 0
 */
public record Schedule(double rate, int index, int loops) {

    /** That of a loop at a rate; none when the rate is 0, as many as go. */
    public static Optional<Schedule> at(double rate, int index, int loops) {
        return rate == 0 ? Optional.empty() : Optional.of(new Schedule(rate, index, loops));
    }

    /** When the loop's own request {@code k} is due, from 0 on. */
    public long due(long k) {
        double number = index + (double) k * loops;
        return (long) (number * 1e9 / rate);
    }

    /** How many of its own are due before {@code nanos} have passed. */
    public long dueBefore(long nanos) {
        double about = (nanos * rate / 1e9 - index) / loops;
        long k = Math.max(0, (long) about - 1); // rounding is left to due(), so that both agree
        while (due(k) < nanos) {
            k++;
        }
        return k;
    }
}
