// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt: twice as long as before the last one, up to a limit;
 * and of that a random part between half and all, so that those who were cut off together do not
 * come back together. Loop-confined.
 */
final class Backoff {
    private static final int MAX_DOUBLINGS = 30;

    private final long firstMillis;
    private final long mostMillis;
    private final RandomGenerator random;
    private int attempts;

    Backoff(Duration first, Duration most, RandomGenerator random) {
        this.firstMillis = first.toMillis();
        this.mostMillis = most.toMillis();
        this.random = random;
    }

    /** Milliseconds before the next one. */
    long next() {
        int doublings = Math.min(attempts++, MAX_DOUBLINGS);
        boolean beyond = firstMillis > mostMillis >> doublings;
        long whole = beyond ? mostMillis : firstMillis << doublings;
        return whole - random.nextLong(whole / 2 + 1);
    }

    /** How many there were. */
    int attempts() {
        return attempts;
    }

    /** One has come to something. */
    void reset() {
        attempts = 0;
    }
}
