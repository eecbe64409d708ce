// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends requests that exceed a limit, and has requests that wait served by workers that rest: looks
 * at all running scripts every 5 ms, and rests while there are none. Its methods are for any
 * thread.
 */
final class ScriptWatchdog {
    private static final long EVERY_NANOS = 5_000_000;

    private final ScriptPool pool;
    private final AtomicBoolean resting = new AtomicBoolean();
    private volatile Thread thread; // null until it is needed

    ScriptWatchdog(ScriptPool pool) {
        this.pool = pool;
    }

    /** Has it look, because there is something to see. */
    void wake() {
        if (thread == null) {
            start();
        }
        if (resting.get() && resting.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
        }
    }

    private synchronized void start() {
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("sirocco-script-watch").unstarted(this::run);
            thread.start();
        }
    }

    private void run() {
        while (!pool.isClosed()) {
            if (look()) {
                LockSupport.parkNanos(this, EVERY_NANOS);
                continue;
            }
            resting.set(true);
            if (!look() && !pool.isClosed()) {
                LockSupport.park(this);
            }
            resting.set(false);
        }
    }

    /** Returns whether anything is to be watched. */
    private boolean look() {
        long now = System.nanoTime();
        for (ScriptRequest each : pool.timed) {
            each.checkTimeout(now);
        }
        if (pool.hasWaiting()) {
            pool.wake(); // those that are awake may be busy for longer
        }
        long sum = 0;
        Worker largest = null;
        long most = 0;
        boolean running = false;
        for (Worker each : pool.workers()) {
            long allocated = each.run.check(now);
            running |= each.run.isRunning();
            sum += allocated;
            if (allocated > most) {
                most = allocated;
                largest = each;
            }
        }
        if (largest != null && sum > Runtime.getRuntime().maxMemory() / 2) {
            largest.run.kill(Run.Limit.MEMORY);
        }
        return running || !pool.timed.isEmpty();
    }
}
