// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what a test cannot be told of: looks again and again, for twenty seconds at most. */
final class Eventually {
    private Eventually() {}

    static void that(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                fail("not within 20 s: " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
