// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A limit in bytes, or accepts, per second: a token bucket (RFC 2697 3) that may run into debt, so
 * that a large piece passes and a pause follows that pays for it. The connections of several loops
 * may share one limiter, and its rate may change while they run. Any thread.
 */
public final class RateLimiter {
    /** No limit. */
    public static final long UNLIMITED = 0;

    private static final long SECOND = 1_000_000_000L;

    /** The moment, in nanoseconds of the loop's clock, at which all that was spent is paid for. */
    private final AtomicLong paidUntil = new AtomicLong(Long.MIN_VALUE);

    /** The limiter whose rate it has; null for a rate of its own. */
    private final RateLimiter source;

    private volatile long rate;
    private volatile long burst;

    private RateLimiter(long rate, RateLimiter source) {
        this.source = source;
        rate(rate);
    }

    /** Returns another limiter that always has the rate of this one. */
    RateLimiter follower() {
        return new RateLimiter(rate, this);
    }

    /** Returns whether it is a {@link #follower} of {@code source}. */
    boolean follows(RateLimiter source) {
        return this.source == source;
    }

    private long follow() {
        if (source != null && source.rate != rate) {
            rate(source.rate);
        }
        return rate;
    }

    /**
     * Returns a limiter of {@code bytesPerSecond}, or one without a limit for {@link #UNLIMITED}.
     */
    public static RateLimiter perSecond(long bytesPerSecond) {
        return new RateLimiter(bytesPerSecond, null);
    }

    /** Returns the bytes per second; {@link #UNLIMITED} when there is no limit. */
    public long rate() {
        return rate;
    }

    /**
     * Changes the limit and forgives what was overspent under the old one. Connections that wait
     * keep their present pause, of a tenth of a second at most.
     *
     * @throws IllegalArgumentException when {@code bytesPerSecond} is negative
     */
    public void rate(long bytesPerSecond) {
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException(
                    "A rate is 0 (unlimited) or more bytes per second, not " + bytesPerSecond);
        }
        rate = bytesPerSecond;
        burst = Math.max(1, bytesPerSecond / 20); // 50 ms worth
        paidUntil.set(Long.MIN_VALUE);
    }

    /** Returns how many bytes may pass now, up to {@code wanted}; 0 while the bucket is in debt. */
    int allowed(int wanted, long now) {
        long perSecond = follow();
        if (perSecond == UNLIMITED) {
            return wanted;
        }
        return paidUntil.get() > now ? 0 : Math.clamp(burst, 1, wanted);
    }

    /**
     * Returns how many bytes may be read at a time, up to {@code most}, so that no long debt
     * arises.
     */
    int piece(int most) {
        return follow() == UNLIMITED ? most : Math.clamp(burst, 1, most);
    }

    /** Takes {@code bytes} out of the bucket. */
    void spend(long bytes, long now) {
        long perSecond = follow();
        if (perSecond == UNLIMITED) {
            return;
        }
        long cost = (long) ((double) bytes * SECOND / perSecond);
        long floor = now - SECOND / 20; // what was saved up: the burst
        paidUntil.accumulateAndGet(cost, (paid, price) -> Math.max(paid, floor) + price);
    }

    /** Returns the nanoseconds from {@code now} until bytes may pass again; 0 when they may. */
    long pause(long now) {
        long perSecond = follow();
        long paid = paidUntil.get();
        if (perSecond == UNLIMITED || paid <= now) {
            return 0;
        }
        return Math.min(paid - now, SECOND / 10);
    }
}
