// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LinkedErrors;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;

/**
 * The virtual threads that one loop carries: those that can run, the one that runs, and the kind of
 * task that the watchdog should know of. Loop-confined, except where stated otherwise.
 */
final class LoopVirtualThreads implements LoopVirtualThread.Scheduler {
    static {
        LinkedErrors.link(Throwable.class);
    }

    private static final int MAX_SHOWN = 16;
    private static final VarHandle RUN = field("run", long.class);
    private static final VarHandle KIND = field("kind", TaskKind.class);

    private final Loop loop;
    private final ArrayDeque<LoopVirtualThread> runnable = new ArrayDeque<>();
    private final MpscQueue<LoopVirtualThread> unparked = new MpscQueue<>(); // by other threads
    private final Consumer<LoopVirtualThread> append = runnable::add;
    private LoopVirtualThread running;
    private volatile long run; // counts the runs of tasks of a kind, for the watchdog
    private volatile TaskKind kind; // of what runs now; null for none
    private LoopVirtualThread chosen; // to run next, before the loop goes on; null for none
    private int most = 1; // that run before the loop goes on, if it can
    private int ran; // since the loop has yielded
    private Throwable thrown; // by the JDK when it ran one; null for none

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

    /**
     * Returns the one that runs, and a few of those that can run next, as far as they can be seen:
     * not those that wait. Any thread.
     */
    List<Thread> visible() {
        var some = new ArrayList<Thread>();
        Thread now = running();
        if (now != null) {
            some.add(now);
        }
        try {
            for (LoopVirtualThread each : runnable) {
                if (some.size() == MAX_SHOWN) {
                    break;
                }
                some.add(each.thread());
            }
        } catch (RuntimeException e) { // they have changed meanwhile, since the loop runs again
            return some;
        }
        return some;
    }

    int size() {
        return runnable.size();
    }

    boolean isEmpty() {
        return runnable.isEmpty();
    }

    /** Returns whether other threads have made none runnable. Any thread. */
    boolean noneUnparked() {
        return unparked.isEmpty() || unparked.isClosed();
    }

    /** Queues those that other threads have made runnable. On the carrier. */
    void takeUnparked() {
        unparked.drain(append);
    }

    /** Takes no more from other threads: the loop ends. */
    void close() {
        unparked.close(append);
    }

    /**
     * Starts a virtual thread. When called on the loop's own thread it has run until it first
     * blocked, or ended, when this returns; unless the loop's code cannot be unmounted now, as in a
     * class initialiser or below native code. Then it runs in a later task. Any thread.
     */
    Thread start(TaskKind kind, boolean movable, Runnable task) {
        LoopVirtualThread carried = LoopVirtualThread.start(this, kind, movable, task);
        // The last one, unless the loop has ended and a pool of the JDK has it
        if (loop.isOwnThread() && runnable.peekLast() == carried) {
            chosen = runnable.pollLast();
            yieldToThem();
            if (chosen != null) { // the loop cannot be unmounted now
                runnable.add(chosen);
                chosen = null;
            }
        }
        return carried.thread();
    }

    /** Starts a virtual thread that stays on the loop and runs in its turn. Any thread. */
    Thread startInTurn(TaskKind kind, Runnable task) {
        return LoopVirtualThread.start(this, kind, false, task).thread();
    }

    /**
     * Runs the first of those that can run, up to {@code most} of them, until output is to be sent.
     * On the loop's own thread.
     *
     * @return how many; {@code most} if the loop cannot be unmounted now, and none has run
     */
    int runFirst(int most) {
        this.most = most;
        ran = 0;
        yieldToThem();
        this.most = 1;
        return ran == 0 ? most : ran;
    }

    /** Reports what the JDK has thrown when it ran one. On the loop's own thread. */
    void reportThrown() {
        if (thrown != null) {
            Throwable report = thrown;
            thrown = null;
            loop.failed(report);
        }
    }

    /** The carrier unmounts the loop's code, and calls {@link #runSome}. */
    private static void yieldToThem() {
        try {
            Thread.yield();
        } catch (OutOfMemoryError e) { // there is no heap for the stack of the loop
            // as if it could not be unmounted: they stay in the queue
        }
    }

    /**
     * Runs the thread that the loop has chosen; if it has chosen none, the first of those that can
     * run: the loop has yielded to them, or it waits for a lock. On the carrier.
     *
     * @return whether there was one
     */
    boolean runSome() {
        if (chosen != null) {
            LoopVirtualThread next = chosen;
            chosen = null;
            run(next);
            return true;
        }
        takeUnparked(); // or those that yield again and again would overtake them for ever
        for (int left = most; left > 0; left--) {
            LoopVirtualThread next = runnable.poll();
            if (next == null) {
                return left < most;
            }
            ran++;
            run(next);
            if (loop.isFlushDue() || loop.isTurnLong()) {
                break;
            }
        }
        return true;
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
        } catch (Throwable e) { // no log here: its lock may belong to one of them
            thrown = e;
        } finally {
            running = null;
            note(before);
        }
    }

    /** Called by the JDK: {@code carried} can run. Any thread. */
    @Override
    public void runnable(LoopVirtualThread carried) {
        if (loop.takesLocalTasks() || loop.isCarrier() && !loop.over) {
            runnable.add(carried);
        } else if (unparked.offer(carried, Long.MAX_VALUE)) {
            loop.virtualThreadRunnable();
        } else {
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
