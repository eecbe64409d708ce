// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The time before the next attempt to connect: it doubles up to a limit, and between half of it and
 * all of it is waited, so that clients do not come at the same moment. Used by one thread.
 */
final class ReconnectDelay {
    private final long first;
    private final long longest;
    private long next;

    ReconnectDelay(Duration first, Duration longest) {
        this.first = first.toMillis();
        this.longest = longest.toMillis();
        this.next = this.first;
    }

    void reset() {
        next = first;
    }

    /** Returns milliseconds. */
    long next() {
        long most = next;
        next = Math.min(longest, 2 * next);
        return ThreadLocalRandom.current().nextLong(most / 2, most + 1);
    }
}
