// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits for what will be the case, and fails when it is not within a minute. */
public final class Eventually {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

    private Eventually() {}

    public static void await(String what, Callable<Boolean> isSo) throws Exception {
        long end = System.nanoTime() + PATIENCE;
        while (!isSo.call()) {
            if (System.nanoTime() > end) throw new AssertionError("never: " + what);
            Thread.sleep(1);
        }
    }
}
