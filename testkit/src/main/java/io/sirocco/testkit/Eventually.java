// SPDX-License-Identifier: Apache-2.0
package io.sirocco.testkit;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for a condition that nothing announces, by asking every millisecond. A condition that does
 * not come true within 30 s is a failure. Any thread.
 */
public final class Eventually {
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    private Eventually() {}

    /**
     * Returns when the condition holds.
     *
     * @param what what the failure says has never come true
     */
    public static void await(String what, Callable<Boolean> condition) {
        long start = System.nanoTime();
        while (!holds(condition)) {
            if (System.nanoTime() - start > LIMIT) {
                throw new AssertionError("not within 30 s: " + what);
            }
            LockSupport.parkNanos(PAUSE);
        }
    }

    private static boolean holds(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
