// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what is certain to happen, and not for how long it takes. */
final class Waiting {
    private static final long PATIENCE = 30_000_000_000L;

    private Waiting() {}

    static void until(String what, BooleanSupplier happened) {
        long giveUp = System.nanoTime() + PATIENCE;
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() > giveUp) {
                throw new AssertionError("waited in vain until " + what);
            }
            LockSupport.parkNanos(200_000);
        }
    }

    /** Waits on a thread that nothing interrupts before. */
    static void untilOpen(CountDownLatch latch) {
        try {
            if (!latch.await(PATIENCE, TimeUnit.NANOSECONDS)) {
                throw new AssertionError("waited in vain");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
