// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.net.log.LazyLogger;
import java.util.concurrent.Semaphore;

/**
 * Handles SIGHUP on a thread of its own, one signal at a time: signals that arrive during a reload
 * count as one. Any thread.
 */
final class HangUps implements Runnable {
    private static final LazyLogger LOG = LazyLogger.of(HangUps.class);

    private final Semaphore waiting = new Semaphore(0);

    /** Records a signal. */
    @Override
    public void run() {
        waiting.release();
    }

    private static void failed(Throwable thrown) {
        try {
            LOG.get().log(System.Logger.Level.ERROR, "reload failed", thrown);
        } catch (Throwable e) {
            // out of memory here, too
        }
    }

    /** Runs {@code action} for each signal from now on; exceptions are logged. */
    void handledBy(Runnable action) {
        Thread.ofPlatform()
                .daemon()
                .name("sirocco-reload")
                .start(
                        () -> {
                            while (true) {
                                waiting.acquireUninterruptibly();
                                waiting.drainPermits();
                                try {
                                    action.run();
                                } catch (Throwable e) { // this thread must not end
                                    failed(e);
                                }
                            }
                        });
    }
}
