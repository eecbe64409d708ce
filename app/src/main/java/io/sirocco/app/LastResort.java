// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Ends the process when it does not end by itself: a drain may wait for a thread that has died, a
 * shutdown hook may hang, and a loop that has died for want of heap may not find enough of it to
 * tell anybody. Its thread is started beforehand, looks once a second, and allocates nothing. Any
 * thread.
 */
final class LastResort {
    /** What is left for the end of the process when the drain time is over. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong end = new AtomicLong(Long.MAX_VALUE);
    private final Thread thread;
    private volatile int code;

    private final BooleanSupplier failed;

    /**
     * Starts it.
     *
     * @param failed whether the server has failed; must allocate nothing
     */
    LastResort(BooleanSupplier failed) {
        this.failed = failed;
        thread = Thread.ofPlatform().daemon().name("sirocco-last-resort").start(this::watch);
    }

    /**
     * The process is about to end: it has {@code drain}, and some seconds. Only the first counts.
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
