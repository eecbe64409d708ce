// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.net.log.LazyLogger;
import java.util.concurrent.Semaphore;

/**
 * SIGHUP, handled one after the other on a thread of its own: signals that come meanwhile count as
 * one. Any thread.
 */
final class HangUps implements Runnable {
    private static final LazyLogger LOG = LazyLogger.of(HangUps.class);

    private final Semaphore waiting = new Semaphore(0);

    /** The signal has come. */
    @Override
    public void run() {
        waiting.release();
    }

    private static void failed(Throwable thrown) {
        try {
            LOG.get().log(System.Logger.Level.ERROR, "a reload failed", thrown);
        } catch (Throwable e) {
            // there is no heap for that either
        }
    }

    /** From now on each is answered by {@code action}; what it throws is logged. */
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
