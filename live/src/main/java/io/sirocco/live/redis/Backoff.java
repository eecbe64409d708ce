// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the next attempt: twice as long each time, from 20 ms up to a second, and
 * between half of that and all of it, so that nodes do not come at the same moment. Used by one
 * thread.
 */
final class Backoff {
    private static final long FIRST = 20;
    private static final long LONGEST = 1_000;

    private long next = FIRST;

    /** The next attempt may come soon again. */
    void succeeded() {
        next = FIRST;
    }

    Duration failed() {
        long most = next;
        next = Math.min(LONGEST, 2 * next);
        return Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1));
    }
}
