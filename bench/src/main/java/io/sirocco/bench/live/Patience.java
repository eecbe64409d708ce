// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How the thread of a run waits, and whether somebody has had enough of it. Used by one thread. */
final class Patience {
    private boolean interrupted;

    /** Whether the thread was interrupted while it waited: the run is to end soon. */
    boolean interrupted() {
        return interrupted;
    }

    /** Until {@code latch} is open; ends early when the thread is interrupted. */
    void await(CountDownLatch latch, long nanos) {
        try {
            boolean ignored = latch.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
    }

    void sleep(long nanos) {
        await(new CountDownLatch(1), nanos);
    }
}
