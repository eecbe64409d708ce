// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.command;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ctrl-C, as a wish to see what was measured so far: the thread that works is interrupted, and the
 * JVM waits for it to print. Any thread.
 */
final class Interruption {
    private static final long PRINTING_SECONDS = 20;

    private Interruption() {}

    /** Shows what came of the work; answers the exit code. */
    interface Printing<T> {
        int print(T result) throws IOException;
    }

    /**
     * Does {@code work}, which is to end soon when its thread is interrupted, and then {@code
     * printing}, which nothing interrupts: a file that is being written would be closed by that.
     */
    static <T> int heeded(Callable<T> work, Printing<T> printing) throws Exception {
        Thread worker = Thread.currentThread();
        var working = new AtomicBoolean(true);
        var printed = new CountDownLatch(1);
        var hook =
                new Thread(
                        () -> {
                            synchronized (working) {
                                if (working.get()) {
                                    worker.interrupt();
                                }
                            }
                            try {
                                boolean ignored = printed.await(PRINTING_SECONDS, TimeUnit.SECONDS);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            T result = work.call();
            synchronized (working) {
                working.set(false);
                Thread.interrupted(); // it came too late
            }
            return printing.print(result);
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
