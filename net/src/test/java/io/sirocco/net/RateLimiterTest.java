// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** The token bucket, by numbers. */
class RateLimiterTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void unlimitedNeverPauses() {
        RateLimiter bucket = RateLimiter.perSecond(RateLimiter.UNLIMITED);
        bucket.spend(Long.MAX_VALUE / 2, 0);
        assertEquals(0, bucket.pause(0));
        assertEquals(1_000_000, bucket.allowed(1_000_000, 0));
        assertEquals(4096, bucket.piece(4096));
    }

    @Test
    void aNegativeRateIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> RateLimiter.perSecond(-1));
    }

    /** However it is spent, no stretch of time lets more pass than the rate and one burst. */
    @Test
    void anyStretchOfTimeKeepsTheRate() {
        for (int seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            long rate = 1 + random.nextInt(10_000_000);
            RateLimiter bucket = RateLimiter.perSecond(rate);
            long now = random.nextLong();
            now -= now % SECOND;
            if (now > Long.MAX_VALUE - 100 * SECOND || now < Long.MIN_VALUE + 100 * SECOND) {
                now = 0;
            }
            long from = now;
            double passed = 0;
            double largest = 0;
            while (now - from < 20 * SECOND) {
                int wanted = 1 + random.nextInt(16_384);
                int allowed = bucket.allowed(wanted, now);
                assertTrue(allowed <= wanted);
                if (allowed > 0) {
                    bucket.spend(allowed, now);
                    passed += allowed;
                    largest = Math.max(largest, allowed);
                } else {
                    long pause = bucket.pause(now);
                    assertTrue(pause > 0 && pause <= SECOND / 10);
                    now += pause + random.nextInt(20) * 1_000_000L; // timers are late
                }
            }
            double expected = rate * 20.0;
            double slack = rate / 10.0 + 2 * largest;
            double total = passed;
            assertTrue(
                    Math.abs(total - expected) <= slack,
                    () -> "rate " + rate + ": " + total + " instead of " + expected);
        }
    }

    @Test
    void aDebtIsPaidOff() {
        RateLimiter bucket = RateLimiter.perSecond(1000);
        bucket.spend(1000, 0);
        assertEquals(0, bucket.allowed(1, 0));
        assertEquals(SECOND / 10, bucket.pause(0), "a tenth of a second at most");
        assertEquals(0, bucket.allowed(1, SECOND * 9 / 10));
        assertEquals(50, bucket.allowed(1000, SECOND));
    }

    @Test
    void aChangedRateForgivesTheDebt() {
        RateLimiter bucket = RateLimiter.perSecond(1);
        bucket.spend(1_000_000, 0);
        assertEquals(0, bucket.allowed(1, 0));
        bucket.rate(1_000);
        assertEquals(50, bucket.allowed(1_000, 0));
    }

    @Test
    void idlenessSavesUpOneBurstOnly() {
        RateLimiter bucket = RateLimiter.perSecond(20_000);
        bucket.spend(1000, 0);
        long later = 3600 * SECOND;
        int passed = 0;
        for (int allowed; (allowed = bucket.allowed(100, later)) > 0; passed += allowed) {
            bucket.spend(allowed, later);
        }
        assertTrue(passed <= 1_100, "passed " + passed);
    }
}
