// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C, as a wish to see what was measured so far: the thread that works is interrupted, and the
 * JVM waits for it to print. Any thread.
 */
final class Interruption {
    private static final long PRINTING_SECONDS = 20;

    private Interruption() {}

    /** Does {@code work}, which is to end soon when its thread is interrupted. */
    static <T> T heeded(Callable<T> work) throws Exception {
        Thread worker = Thread.currentThread();
        var printed = new CountDownLatch(1);
        var hook =
                new Thread(
                        () -> {
                            worker.interrupt();
                            try {
                                boolean ignored = printed.await(PRINTING_SECONDS, TimeUnit.SECONDS);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return work.call();
        } finally {
            printed.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // it runs
            }
        }
    }
}
