// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Server;
import io.sirocco.http.loop.LoopTasks;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.LinkedErrors;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls of the program that tell it what has happened on one loop: of the monitor, and of actions
 * for the end of an exchange. Such code may wait for a lock or for another thread. So it is not
 * called while an exchange goes from one state to the next, but soon afterwards, before output is
 * sent, on a virtual thread of the loop: what waits there keeps only the calls behind it waiting.
 * When very many do, the loop waits, too. The calls are made in order, one after the other.
 *
 * <p>A loop that has no virtual threads, or that is ending, makes the calls itself. Loop-confined.
 */
final class Notifications {
    static {
        LinkedErrors.link(Throwable.class, OutOfMemoryError.class, Notifications.THREW);
    }

    private static final LazyLogger LOG = LazyLogger.of(Server.class);
    private static final String THREW = "code that was notified threw";
    private static final int USUAL = 64;
    private static final int MOST = 1024; // before the loop waits

    private final LoopTasks tasks;
    private final Runnable whenIdle;
    private final ArrayDeque<Runnable> calls = new ArrayDeque<>(USUAL);
    private final Runnable delivers = this::deliver;
    private final Runnable deliversNow = this::deliverNow;
    private final Runnable awaitsRoom = this::awaitRoom;
    private boolean scheduled; // to be delivered
    private boolean delivering;
    private boolean full; // the loop is about to wait, or waits
    private Thread waiting; // until fewer calls wait; null for none

    /** Runs {@code whenIdle} when all calls have been made. */
    Notifications(LoopTasks tasks, Runnable whenIdle) {
        this.tasks = tasks;
        this.whenIdle = whenIdle;
    }

    /** Makes {@code call} soon, behind those that were added before. Throws nothing. */
    void add(Runnable call) {
        try {
            calls.add(call);
        } catch (OutOfMemoryError e) { // it may not get lost: something may be released by it
            run(call);
            return;
        }
        if (!scheduled && (!delivering || tasks.loop.isEnding())) {
            schedule();
        }
        if (delivering && !full && calls.size() > MOST) {
            full = tasks.execute(awaitsRoom);
        }
    }

    private void schedule() {
        try {
            scheduled = tasks.loop.executeBeforeFlush(deliversNow);
        } catch (OutOfMemoryError e) {
            scheduled = false;
        }
        if (!scheduled) { // the loop has ended, or there is no heap
            deliver();
        }
    }

    /**
     * Has the calls made at once, except those that must wait behind one that waits. On the loop's
     * own thread, which reads again behind it what it knows of a connection.
     */
    void deliverNow() {
        scheduled = false;
        boolean ending = tasks.loop.isEnding();
        if (calls.isEmpty() || delivering && !ending) {
            return;
        }
        try {
            if (tasks.loop.carriesVirtualThreads() && !ending) {
                tasks.loop.startVirtual(null, delivers);
                return;
            }
        } catch (OutOfMemoryError e) {
            // they are made here
        }
        deliver();
    }

    /** Returns whether all calls have been made. */
    boolean isIdle() {
        return calls.isEmpty() && !delivering;
    }

    private void deliver() {
        if (delivering && !tasks.loop.isEnding()) { // then what waits may wait for ever
            return;
        }
        delivering = true;
        try {
            for (Runnable call; (call = calls.poll()) != null; ) {
                run(call);
                if (waiting != null && calls.size() <= MOST / 2) {
                    LockSupport.unpark(waiting);
                }
                if (tasks.loop.isTurnLong() && !tasks.isOwnThread()) {
                    Thread.yield();
                }
            }
        } finally { // for want of heap, too: the next call has those that are left made
            delivering = false;
            if (waiting != null) {
                LockSupport.unpark(waiting);
            }
        }
        whenIdle.run();
    }

    /** Waits on the loop's own thread, in a task: nothing else is half done. */
    private void awaitRoom() {
        waiting = Thread.currentThread();
        while (delivering && calls.size() > MOST / 2) {
            LockSupport.park(this);
            Thread.interrupted(); // or it would not wait any more
        }
        waiting = null;
        full = false;
    }

    private void run(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            try {
                LOG.get().log(Level.WARNING, THREW, e);
            } catch (Throwable e2) {
                // nothing is left that could report it
            }
        } finally { // the next call is for another client
            Thread.interrupted();
            tasks.restoreClassLoader();
        }
    }
}
