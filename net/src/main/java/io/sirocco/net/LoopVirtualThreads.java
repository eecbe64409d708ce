// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LinkedErrors;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.concurrent.ForkJoinPool;

/**
 * The virtual threads that one loop carries: those that can run, the one that runs, and the kind of
 * task that the watchdog should know of. Loop-confined, except where stated otherwise.
 */
final class LoopVirtualThreads implements LoopVirtualThread.Scheduler {
    static {
        LinkedErrors.link(Throwable.class);
    }

    private static final VarHandle RUN = field("run", long.class);
    private static final VarHandle KIND = field("kind", TaskKind.class);

    private final Loop loop;
    private final ArrayDeque<LoopVirtualThread> runnable = new ArrayDeque<>();
    private LoopVirtualThread running;
    private volatile long run; // counts the runs of tasks of a kind, for the watchdog
    private volatile TaskKind kind; // of what runs now; null for none

    LoopVirtualThreads(Loop loop) {
        this.loop = loop;
    }

    /** Returns whether one of them runs on the calling thread now. Any thread. */
    boolean isRunning(Thread current) {
        LoopVirtualThread carried = running;
        return carried != null && carried.thread() == current;
    }

    /** Returns the one that the loop runs; null for none. Any thread. */
    Thread running() {
        LoopVirtualThread carried = running;
        return carried == null ? null : carried.thread();
    }

    int size() {
        return runnable.size();
    }

    boolean isEmpty() {
        return runnable.isEmpty();
    }

    /** Appends one that another thread has made runnable. */
    void add(LoopVirtualThread carried) {
        runnable.add(carried);
    }

    /**
     * Starts a virtual thread. When called on the loop's thread it has run until it first blocked,
     * or ended, when this returns. Any thread.
     */
    Thread start(TaskKind kind, boolean movable, Runnable task) {
        LoopVirtualThread carried = LoopVirtualThread.start(this, kind, movable, task);
        if (loop.isCurrent() && runnable.peekLast() == carried) {
            runnable.pollLast();
            run(carried);
        }
        return carried.thread();
    }

    /** Runs the first one that can run. */
    void runNext() {
        run(runnable.poll());
    }

    private void run(LoopVirtualThread carried) {
        if (carried.leaves()) {
            carried.runElsewhere();
            return;
        }
        TaskKind before = kind;
        note(carried.kind);
        running = carried;
        try {
            carried.run();
        } catch (Throwable e) {
            loop.failed(e);
        } finally {
            running = null;
            note(before);
        }
    }

    /** Called by the JDK: {@code carried} can run. Any thread. */
    @Override
    public void runnable(LoopVirtualThread carried) {
        if (loop.takesLocalTasks()) {
            runnable.add(carried);
        } else if (!loop.handOver(carried)) {
            // The loop has ended before the thread did: it may at least come to its end.
            ForkJoinPool.commonPool().execute(carried::run);
        }
    }

    /** The loop has ended: the JDK's pool runs one that could still run. */
    void abandonNext() {
        runnable(runnable.poll());
    }

    /** See {@link Loop#enter}; the caller is not the loop's own thread. Any thread. */
    boolean enter(Thread current) {
        LoopVirtualThread carried = running;
        if (carried == null || carried.thread() != current) {
            return false;
        }
        carried.sections++;
        return true;
    }

    void exit() {
        LoopVirtualThread carried = running;
        if (carried != null) {
            carried.sections--;
        }
    }

    // ---- what runs, for the watchdog

    TaskKind beginTask(TaskKind kind) {
        TaskKind before = this.kind;
        endTask(kind);
        return before;
    }

    void endTask(TaskKind before) {
        LoopVirtualThread carried = running;
        if (carried != null) {
            carried.kind = before; // it may park and run again
        }
        note(before);
    }

    private void note(TaskKind next) {
        RUN.setRelease(this, run + 1);
        KIND.setRelease(this, next);
    }

    /** Counts runs of tasks: it stays the same for as long as one goes on. Any thread. */
    long runs() {
        return (long) RUN.getAcquire(this);
    }

    /** Returns the kind of what runs now, or null. Any thread. */
    TaskKind kind() {
        return (TaskKind) KIND.getAcquire(this);
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(LoopVirtualThreads.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
