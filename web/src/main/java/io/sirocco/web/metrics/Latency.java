// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * How long requests took: counts by class of duration. Two of one route at two moments make the
 * latency between them. Immutable.
 */
public final class Latency {
    private static final List<Long> BOUNDS = Arrays.stream(Latencies.BOUNDS).boxed().toList();

    private final long[] bounds; // requests of each class of Latencies.BOUNDS, not cumulative
    private final long[] fine;
    private final long nanos;

    Latency(long[] bounds, long[] fine, long nanos) {
        this.bounds = bounds;
        this.fine = fine;
        this.nanos = nanos;
    }

    /** Of no request. */
    public static Latency none() {
        return new Latency(new long[Latencies.BOUNDS.length + 1], new long[Latencies.FINE], 0);
    }

    /** Upper bounds of the classes that {@link #upTo} counts, in nanoseconds. */
    public static List<Long> bounds() {
        return BOUNDS;
    }

    /** Requests that took no longer than bound {@code i} of {@link #bounds}. */
    public long upTo(int i) {
        long sum = 0;
        for (int k = 0; k <= i; k++) {
            sum += bounds[k];
        }
        return sum;
    }

    /** Requests. */
    public long count() {
        return upTo(bounds.length - 1);
    }

    /** What all of them took together. */
    public long nanos() {
        return nanos;
    }

    /**
     * The duration in nanoseconds that {@code share} of the requests, from 0 to 1, did not exceed;
     * right to 3 % from a microsecond to a minute. Empty when there were none.
     */
    public OptionalLong percentile(double share) {
        long all = 0;
        for (long count : fine) {
            all += count;
        }
        long rank = Math.max(1, (long) Math.ceil(share * all));
        for (int i = 0; i < fine.length && all > 0; i++) {
            rank -= fine[i];
            if (rank <= 0) {
                return OptionalLong.of(Latencies.middle(i));
            }
        }
        return OptionalLong.empty();
    }

    /** That of both together. */
    public Latency plus(Latency other) {
        return combined(other, 1);
    }

    /** That of the requests since {@code earlier}. */
    public Latency since(Latency earlier) {
        return combined(earlier, -1);
    }

    private Latency combined(Latency other, int sign) {
        return new Latency(
                combined(bounds, other.bounds, sign),
                combined(fine, other.fine, sign),
                nanos + sign * other.nanos);
    }

    private static long[] combined(long[] a, long[] b, int sign) {
        var result = new long[a.length];
        for (int i = 0; i < a.length; i++) {
            result[i] = a[i] + sign * b[i];
        }
        return result;
    }
}
