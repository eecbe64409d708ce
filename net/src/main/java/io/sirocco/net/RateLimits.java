// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The rate limiters of one connection: its own, its route's, its server's. Loop-confined. */
final class RateLimits {
    private final List<RateLimiter> ownReads;
    private final List<RateLimiter> ownWrites;
    private final RateLimiter[] reads;
    private final RateLimiter[] writes;

    RateLimits(List<RateLimiter> reads, List<RateLimiter> writes) {
        this(reads, writes, List.of(), List.of());
    }

    private RateLimits(
            List<RateLimiter> ownReads,
            List<RateLimiter> ownWrites,
            List<RateLimiter> furtherReads,
            List<RateLimiter> furtherWrites) {
        this.ownReads = ownReads;
        this.ownWrites = ownWrites;
        this.reads =
                Stream.concat(ownReads.stream(), furtherReads.stream()).toArray(RateLimiter[]::new);
        this.writes =
                Stream.concat(ownWrites.stream(), furtherWrites.stream())
                        .toArray(RateLimiter[]::new);
    }

    /**
     * Returns its own limiters and these instead of all others. For each limiter of {@code
     * eachReads} and {@code eachWrites} it has one that follows it, and keeps the one that it had.
     */
    RateLimits with(
            List<RateLimiter> furtherReads,
            List<RateLimiter> furtherWrites,
            List<RateLimiter> eachReads,
            List<RateLimiter> eachWrites) {
        return new RateLimits(
                ownReads,
                ownWrites,
                plus(furtherReads, eachReads, reads),
                plus(furtherWrites, eachWrites, writes));
    }

    private static List<RateLimiter> plus(
            List<RateLimiter> further, List<RateLimiter> each, RateLimiter[] known) {
        if (each.isEmpty()) {
            return further;
        }
        var all = new ArrayList<>(further);
        for (RateLimiter source : each) {
            all.add(
                    Arrays.stream(known)
                            .filter(bucket -> bucket.follows(source))
                            .findFirst()
                            .orElseGet(source::follower));
        }
        return all;
    }

    /** Spends {@code bytes} that were read. Returns the milliseconds for which to read no more. */
    long read(int bytes, long now) {
        for (RateLimiter bucket : reads) {
            bucket.spend(bytes, now);
        }
        return pause(reads, now);
    }

    /** Returns how many bytes to read at a time, up to {@code most}. */
    int piece(int most) {
        int least = most;
        for (RateLimiter bucket : reads) {
            least = bucket.piece(least);
        }
        return least;
    }

    /** Returns how many of {@code wanted} bytes may be written now. */
    int write(int wanted, long now) {
        int allowed = wanted;
        for (RateLimiter bucket : writes) {
            allowed = Math.min(allowed, bucket.allowed(wanted, now));
        }
        return allowed;
    }

    void wrote(int bytes, long now) {
        for (RateLimiter bucket : writes) {
            bucket.spend(bytes, now);
        }
    }

    /** Returns the milliseconds until something may be written. */
    long writePause(long now) {
        return pause(writes, now);
    }

    private static long pause(RateLimiter[] buckets, long now) {
        long nanos = 0;
        for (RateLimiter bucket : buckets) {
            nanos = Math.max(nanos, bucket.pause(now));
        }
        return (nanos + 999_999) / 1_000_000;
    }
}
