// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LinkedErrors;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.FlightRecorder;

/**
 * The platform thread below a loop. It runs continuations and nothing else: the loop's own code,
 * which is a virtual thread, and the virtual threads of the loop, one at a time.
 *
 * <pre>
 *                    starts or continues a thread           that thread parks or ends
 *   loop's code ────────────────────────────────▶ thread ────────────────────────────▶ loop's code
 *       │
 *       │ waits for a lock                                     the lock is free
 *       └─────────────▶ threads, in the order in which they can run ─────────────────▶ loop's code
 * </pre>
 *
 * <p>So a lock never stops a loop: if the loop's code waits for a lock behind one of its own
 * virtual threads, that thread runs, takes the lock and releases it. As soon as the loop's code can
 * run, at most one other thread runs before it: the loop may have yielded to it.
 *
 * <p>The carrier takes no locks except those inside of the JDK's virtual threads. Confined to the
 * carrier; any thread may call {@link #execute}, {@link #runAgain} and {@link #wake}.
 */
final class LoopCarrier implements Executor {
    static {
        LinkedErrors.link(Throwable.class, OutOfMemoryError.class);
    }

    private static final int MAX_WAITS = 64; // that are recorded, of one turn
    private static final VarHandle RUNNABLE;

    static {
        try {
            RUNNABLE =
                    MethodHandles.lookup()
                            .findVarHandle(LoopCarrier.class, "runnable", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private final Loop loop;
    private final LoopVirtualThreads threads;
    private final Thread carrier;
    private final Thread ownThread; // of the loop
    private Runnable continuation; // of the loop's code
    private Runnable task; // that the loop's code has asked for; null for none
    private boolean calling; // the loop's code waits for its task, and no other thread may run
    private final ArrayDeque<LoopWaitedEvent> waits = new ArrayDeque<>(0); // of this turn
    private LoopWaitedEvent waiting; // the one that goes on; null for none
    private volatile boolean runnable; // the loop's code is
    private volatile boolean parked;

    LoopCarrier(Loop loop, LoopVirtualThreads threads, String name, Runnable run) {
        this.loop = loop;
        this.threads = threads;
        this.carrier = Thread.ofPlatform().name(name).unstarted(this::carry);
        this.ownThread = LoopVirtualThread.create(this, run);
        ownThread.setName(name);
    }

    /** Returns the virtual thread that runs the loop's code. */
    Thread ownThread() {
        return ownThread;
    }

    void start() {
        carrier.start();
    }

    /** Returns whether the caller is the carrier itself, on which no virtual thread is mounted. */
    boolean isCurrent() {
        return Thread.currentThread() == carrier;
    }

    /** Called by the JDK when the loop's code can run, or a thread that it has started itself. */
    @Override
    public void execute(Runnable runContinuation) {
        if (continuation == null) {
            continuation = runContinuation; // its own comes first, and is always the same
        }
        if (continuation != runContinuation) {
            LoopVirtualThread.onJdkScheduler(runContinuation);
        } else if (isCurrent()) { // the loop's code has yielded
            RUNNABLE.setOpaque(this, true); // this thread alone reads it: no fence
        } else {
            runnable = true;
            wake();
        }
    }

    /**
     * Has the loop's code run, if it can. The JDK keeps a thread that can run from running while it
     * takes its stack, and does not submit it again if it finds no heap. A wake-up that came while
     * it waited stays lost then, and the watchdog finds the loop.
     */
    void runAgain() {
        runnable = true;
        wake();
    }

    /** Another thread has made a virtual thread runnable. */
    void wake() {
        if (parked) {
            LockSupport.unpark(carrier);
        }
    }

    /**
     * Runs {@code task} on the carrier itself, with no virtual thread mounted: for a call that
     * treats virtual threads differently. The task must not throw. On the loop's own thread.
     *
     * @return false if it did not run, because the loop's code cannot be unmounted now
     */
    boolean runUnmounted(Runnable task) {
        this.task = task;
        calling = true;
        try {
            Thread.yield();
        } catch (OutOfMemoryError e) { // there is no heap for the stack
            // it is still there
        } finally {
            calling = false;
        }
        boolean done = this.task == null;
        this.task = null;
        return done;
    }

    private void carry() {
        try {
            ownThread.start();
            while (ownThread.isAlive()) {
                if (runnable) {
                    RUNNABLE.setRelease(this, false);
                    if (waiting != null && !Loop.isWaiting(ownThread)) {
                        waiting.end();
                        waiting = null;
                    }
                    continuation.run(); // until it yields, waits or ends
                    if (!runnable && FlightRecorder.isInitialized()) {
                        noteWait();
                    }
                }
                if (task != null) {
                    runTask();
                } else if (calling) { // the JDK takes the stack of the loop's code
                    Thread.onSpinWait();
                } else if (!runThreads() && !runnable && ownThread.isAlive()) {
                    park();
                }
            }
        } catch (Throwable e) { // the JDK could not park or continue the loop's code
            loop.lost(e);
        }
    }

    /** Begins an event for the wait of the loop's code, if it is recorded. */
    private void noteWait() {
        try {
            if (waiting == null && waits.size() < MAX_WAITS && Loop.isWaiting(ownThread)) {
                LoopWaitedEvent event = LoopWaitedEvent.begin(ownThread);
                if (event != null) {
                    waits.add(event);
                    waiting = event;
                }
            }
        } catch (OutOfMemoryError e) { // it is not recorded
            runnable = true; // see runAgain
        }
    }

    /**
     * Commits the events of waits that are over. On the loop's own thread: of the events that a
     * carrier commits itself, JDK 25 drops the first one after each event of a thread that it
     * carried.
     */
    void reportWaits() {
        while (!waits.isEmpty()) {
            waits.poll().commit();
        }
    }

    private boolean runThreads() {
        try {
            return threads.runSome();
        } catch (Throwable e) { // out of heap, above all: the loop's code can still end it
            loop.die(e);
            return true;
        }
    }

    private void runTask() {
        Runnable asked = task;
        task = null;
        asked.run();
    }

    private void park() {
        Thread.interrupted(); // or it would not park
        parked = true;
        if (!runnable && threads.noneUnparked()) {
            LockSupport.park(this);
        }
        parked = false;
    }
}
