// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures for how long this machine lets a thread wait that wants to run: what a test must not
 * hold against the program. Any thread.
 */
final class StallMeter implements AutoCloseable {
    private static final long NAP = 500_000;

    private final ConcurrentLinkedQueue<Long> stalls = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    StallMeter() {
        Thread.ofPlatform().daemon().start(this::sleep);
    }

    private void sleep() {
        for (long since = System.nanoTime(); !over; ) {
            LockSupport.parkNanos(NAP);
            long now = System.nanoTime();
            if (now - since > 2 * NAP) {
                stalls.add(now - since);
            }
            since = now;
        }
    }

    /** The longest so far, in nanoseconds. */
    long longest() {
        return stalls.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** How many have been longer than so many nanoseconds. */
    long longerThan(long nanos) {
        return stalls.stream().filter(stall -> stall > nanos).count();
    }

    @Override
    public void close() {
        over = true;
    }
}
