// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what must come to pass; the bound is for what never does. */
final class Eventually {
    private static final Duration BOUND = Duration.ofSeconds(30);

    private Eventually() {}

    static void await(String what, BooleanSupplier holds) {
        long end = System.nanoTime() + BOUND.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("never: " + what);
            }
            LockSupport.parkNanos(200_000);
        }
    }
}
