// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import com.sun.management.ThreadMXBean;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;

/**
 * The current run of a {@link Worker}'s thread: the request that it belongs to, the resources that
 * it has used, and its end if it exceeds a limit. The worker begins and ends runs; other threads
 * check and kill them. Any thread.
 */
final class Run {
    /** Limits whose excess ends a run. */
    enum Limit {
        TIMEOUT("it exceeded the timeout"),
        CPU("it exceeded cpu-time (in Java cpuTime)"),
        MEMORY("it exceeded max-allocation (in Java maxAllocation)"),
        STATEMENTS("it exceeded max-statements (in Java maxStatements)");

        final String reason;

        Limit(String reason) {
            this.reason = reason;
        }
    }

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long LONG_NANOS = 2_000_000;
    private static final Duration INTERRUPT = Duration.ofSeconds(2);

    /** The end of a run by a limit; done when the interrupt has left the context. */
    private record Kill(Limit limit, CountDownLatch done) {}

    private final Worker worker;
    private final ScriptOptions.Settings settings;
    private volatile boolean running;
    private volatile ScriptRequest request; // null for none
    private volatile boolean loads; // a script is loaded
    private volatile long number;
    private volatile long began;
    private volatile long allocatedBefore;
    private Kill kill; // guarded by this
    private long seen = -1; // of the watchdog: the run that it has seen last
    private long cpuWhenSeen;

    Run(Worker worker, ScriptOptions.Settings settings) {
        this.worker = worker;
        this.settings = settings;
    }

    // ---- for the worker

    void begin(ScriptRequest of, boolean isLoad) {
        allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
        began = System.nanoTime();
        request = of;
        loads = isLoad;
        synchronized (this) {
            number++;
            running = true;
        }
    }

    /** Ends the run; returns the limit that it has exceeded, or null. */
    Limit end() {
        Kill by;
        synchronized (this) {
            running = false;
            by = kill;
            kill = null;
        }
        ScriptRequest of = request;
        if (of != null) {
            of.allocated += THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
        }
        request = null;
        if (by == null) {
            return null;
        }
        awaitInterrupt(by);
        return by.limit;
    }

    /** Until the interrupt is over, the next run could be hit by it. */
    private static void awaitInterrupt(Kill by) {
        for (boolean done = false; !done; ) {
            try {
                by.done.await();
                done = true;
            } catch (InterruptedException e) {
                // by the interrupt of the context
            }
        }
        Thread.interrupted(); // which may leave its flag behind
    }

    /** Returns the request on whose behalf this runs, or null. */
    ScriptRequest request() {
        return request;
    }

    // ---- for others

    boolean isRunning() {
        return running && !worker.isAbandoned();
    }

    /** Returns whether it has run for so long that it may go on. */
    boolean isLong(long now) {
        return running && now - began > LONG_NANOS;
    }

    /** Ends the run if it exceeds a limit; returns what it has allocated. For the watchdog. */
    long check(long now) {
        if (!isRunning()) {
            return 0;
        }
        long which = number;
        long thread = worker.thread.threadId();
        ScriptRequest of = request;
        long allocated = THREADS.getThreadAllocatedBytes(thread) - allocatedBefore;
        if (allocated + (of == null ? 0 : of.allocated) > settings.maxAllocation()) {
            kill(which, Limit.MEMORY);
            return allocated;
        }
        long most = loads ? settings.setupNanos() : settings.cpuNanos();
        if (seen != which) {
            seen = which;
            cpuWhenSeen = THREADS.getThreadCpuTime(thread);
        } else if (now - began > most && THREADS.getThreadCpuTime(thread) - cpuWhenSeen > most) {
            kill(which, Limit.CPU);
        }
        return allocated;
    }

    /** Ends the run, whichever it is. */
    void kill(Limit limit) {
        kill(number, limit);
    }

    /** Ends the run if it is one of this request. */
    void timedOut(ScriptRequest of) {
        long which = number;
        if (running && request == of) {
            kill(which, Limit.TIMEOUT);
        }
    }

    private void kill(long which, Limit limit) {
        Kill by;
        synchronized (this) {
            if (!running || number != which || kill != null) {
                return;
            }
            by = new Kill(limit, new CountDownLatch(1));
            kill = by;
        }
        if (!loads) {
            worker.retire(); // a script that was not loaded leaves nothing behind
        }
        Thread.ofPlatform().daemon().name("sirocco-script-interrupt").start(() -> interrupt(by));
    }

    private void interrupt(Kill by) {
        try {
            worker.context().interrupt(INTERRUPT);
        } catch (TimeoutException e) {
            worker.abandon("it cannot be interrupted");
        } catch (RuntimeException e) {
            ScriptLog.log(Level.ERROR, "A script was not interrupted", e);
        } finally {
            by.done.countDown();
        }
    }
}
