// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LinkedErrors;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The death of one loop: its cause, and the notification of its owner. A server with fewer loops
 * than it started must not look healthy. All that it needs is made beforehand, since there may be
 * no heap. Any thread.
 */
final class LoopDeath {
    static {
        LinkedErrors.link(Throwable.class, LoopDeath.WAITING_THREW);
    }

    private static final String WAITING_THREW = "code that waits for the end of a loop threw";
    private static final int LOG_SECONDS = 3;
    private static final FileOutputStream STANDARD_ERROR = new FileOutputStream(FileDescriptor.err);

    private final Loop loop;
    private final byte[] lastWords; // where there is no heap for a line of the log
    private final CompletableFuture<Throwable> notified = new CompletableFuture<>();
    private final CountDownLatch logged = new CountDownLatch(1);
    private volatile Throwable cause;

    LoopDeath(Loop loop, String name) {
        this.loop = loop;
        this.lastWords =
                (name + " has died, and there is no heap to log why\n")
                        .getBytes(StandardCharsets.UTF_8);
    }

    /** Returns what the loop has died of; null while it has not. */
    Throwable cause() {
        return cause;
    }

    /** Returns what completes with the cause. */
    CompletableFuture<Throwable> notified() {
        return notified;
    }

    /** Sets the cause; {@link #report} is to follow. */
    void setCause(Throwable thrown) {
        cause = thrown;
    }

    /** Notifies the owner and logs, unless that was done before, when the loop had stalled. */
    void report() {
        if (notifyOwner()) {
            log();
        }
    }

    /**
     * Notifies the owner of the loop, once. May wait for other loops.
     *
     * @return false if the owner was notified before
     */
    boolean notifyOwner() {
        if (!complete(notified, cause)) {
            return false;
        }
        try {
            loop.settings.observer.loopDied(loop, cause);
        } catch (Throwable e) {
            Loop.observerThrew(e);
        }
        return true;
    }

    /**
     * Waits until it is logged, for three seconds at most: the lock of a log may be held by what
     * the loop has died of. At once if the loop has not died.
     *
     * @return false if it is not logged yet
     */
    boolean awaitLog() throws InterruptedException {
        return cause == null || logged.await(LOG_SECONDS, TimeUnit.SECONDS);
    }

    /** Logs it. */
    void log() {
        try {
            Loop.LOG.get().log(Level.ERROR, loop + " has died", cause);
        } catch (Throwable e) {
            try {
                STANDARD_ERROR.write(lastWords);
            } catch (Throwable e2) {
                // nothing is left that could report it
            }
        } finally {
            logged.countDown();
        }
    }

    /**
     * Completes {@code future}; what depends on it may fail.
     *
     * @return false if it was complete
     */
    static <T> boolean complete(CompletableFuture<T> future, T value) {
        try {
            return future.complete(value);
        } catch (Throwable e) {
            Loop.warn(Loop.LOG, WAITING_THREW, e);
            return true;
        }
    }
}
