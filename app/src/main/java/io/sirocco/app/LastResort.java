// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Halts the process if it does not end by itself: a drain may wait for a dead thread, a shutdown
 * hook may hang, and an event loop that dies of an OutOfMemoryError may be unable to report it. Its
 * thread starts with the server, checks once a second, and allocates nothing. Any thread.
 */
final class LastResort {
    /** The time that the process has to end after the drain timeout. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong end = new AtomicLong(Long.MAX_VALUE);
    private final Thread thread;
    private volatile int code;

    private final BooleanSupplier failed;

    /**
     * Starts the thread.
     *
     * @param failed whether the server has failed; must allocate nothing
     */
    LastResort(BooleanSupplier failed) {
        this.failed = failed;
        thread = Thread.ofPlatform().daemon().name("sirocco-last-resort").start(this::watch);
    }

    /**
     * Halts the process with {@code code} if it has not ended some seconds after {@code drain}. The
     * time of the first call counts, and the code of the last: a loop may die during a drain.
     */
    void after(Duration drain, int code) {
        this.code = code;
        long at = System.nanoTime() + drain.toNanos() + GRACE_NANOS;
        if (end.compareAndSet(Long.MAX_VALUE, at)) {
            LockSupport.unpark(thread);
        }
    }

    /** Waits for the end of the process: for a thread that cannot go on without heap. */
    void await() {
        while (true) {
            LockSupport.park();
        }
    }

    private void watch() {
        while (true) {
            long at = end.get();
            long left = at - System.nanoTime();
            if (at == Long.MAX_VALUE) {
                LockSupport.parkNanos(LOOK_NANOS);
                if (failed.getAsBoolean()) {
                    after(Duration.ZERO, Serving.FAILED);
                }
            } else if (left > 0) {
                LockSupport.parkNanos(left);
            } else {
                Runtime.getRuntime().halt(code);
            }
        }
    }
}
