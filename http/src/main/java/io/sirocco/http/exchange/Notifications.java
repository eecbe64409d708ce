// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import io.sirocco.http.Server;
import io.sirocco.http.loop.LoopTasks;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.LinkedErrors;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls of the program that tell it what has happened on one loop: reports to the monitor, or
 * actions for the end of an exchange, each with a queue of its own. Such code may wait for a lock
 * or for another thread. So it is not called while an exchange goes from one state to the next, but
 * soon afterwards, before output is sent, on a virtual thread of the loop. When very many calls
 * wait, the loop waits, too. The calls begin in order.
 *
 * <ul>
 *   <li>Reports are made one after the other: one that waits keeps those behind it waiting.
 *   <li>Of the actions, one that waits keeps none waiting: another thread runs those behind it.
 *       Among them are those with which a response releases what it holds elsewhere.
 * </ul>
 *
 * <p>A loop that has no virtual threads, or that is ending, makes the calls itself; when it is
 * ending, it does not wait for one that waits. Loop-confined.
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
    private final boolean oneByOne;
    private final Runnable whenIdle;
    private final ArrayDeque<Runnable> calls = new ArrayDeque<>(USUAL);
    private final Runnable delivers = this::deliver;
    private final Runnable deliversNow = this::deliverNow;
    private final Runnable awaitsRoom = this::awaitRoom;
    private boolean scheduled; // to be delivered
    private final ArrayList<Thread> callers = new ArrayList<>(USUAL); // that make calls now
    private boolean full; // the loop is about to wait, or waits
    private Thread loopThread; // waits until fewer calls wait; null for none

    private Notifications(LoopTasks tasks, boolean oneByOne, Runnable whenIdle) {
        this.tasks = tasks;
        this.oneByOne = oneByOne;
        this.whenIdle = whenIdle;
    }

    /** Returns a queue of reports, which runs {@code whenIdle} when all of them have been made. */
    static Notifications reports(LoopTasks tasks, Runnable whenIdle) {
        return new Notifications(tasks, true, whenIdle);
    }

    /** Returns a queue of actions, which runs {@code whenIdle} when all of them have been run. */
    static Notifications actions(LoopTasks tasks, Runnable whenIdle) {
        return new Notifications(tasks, false, whenIdle);
    }

    /** Makes {@code call} soon, behind those that were added before. Throws nothing. */
    void add(Runnable call) {
        try {
            calls.add(call);
        } catch (OutOfMemoryError e) { // it may not get lost: something may be released by it
            run(call);
            return;
        }
        if (!scheduled && !mustWait()) {
            schedule();
        }
        if (!callers.isEmpty() && !full && waiting() > MOST) {
            full = tasks.execute(awaitsRoom);
        }
    }

    /** Returns whether calls wait for one that is being made. */
    private boolean mustWait() {
        return oneByOne && !callers.isEmpty() && !tasks.loop.isEnding();
    }

    private int waiting() {
        return calls.size() + callers.size();
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
        if (calls.isEmpty() || mustWait()) {
            return;
        }
        try {
            if (tasks.loop.carriesVirtualThreads() && !tasks.loop.isEnding()) {
                startThreads();
                return;
            }
        } catch (OutOfMemoryError e) {
            // they are made here
        }
        deliver();
    }

    /**
     * Starts one; if calls are left when it waits, and need not wait for it, another, and so on.
     */
    private void startThreads() {
        for (int n = calls.size(); n > 0 && !calls.isEmpty() && !mustWait(); n--) {
            tasks.loop.startVirtual(null, delivers);
            if (tasks.loop.isTurnLong() && !calls.isEmpty() && !mustWait()) {
                scheduled = tasks.execute(deliversNow); // the others in another turn
                return;
            }
        }
    }

    /** Returns whether all calls have been made. */
    boolean isIdle() {
        return calls.isEmpty() && (callers.isEmpty() || tasks.loop.isEnding());
    }

    /** Returns whether {@code thread} makes one of the calls now. */
    boolean areMadeBy(Thread thread) {
        return callers.contains(thread);
    }

    private void deliver() {
        if (mustWait()) {
            return;
        }
        Thread caller = Thread.currentThread();
        boolean nested = callers.contains(caller);
        if (!nested) {
            callers.add(caller);
        }
        try {
            for (Runnable call; (call = calls.poll()) != null; ) {
                run(call);
                if (loopThread != null && waiting() <= MOST / 2) {
                    LockSupport.unpark(loopThread);
                }
                if (tasks.loop.isTurnLong() && !tasks.isOwnThread()) {
                    Thread.yield();
                }
            }
        } finally { // for want of heap, too: the next call has those that are left made
            if (!nested) {
                callers.remove(caller);
            }
            if (loopThread != null) {
                LockSupport.unpark(loopThread);
            }
        }
        whenIdle.run();
    }

    /** Waits on the loop's own thread, in a task: nothing else is half done. */
    private void awaitRoom() {
        loopThread = Thread.currentThread();
        while (!callers.isEmpty() && waiting() > MOST / 2) {
            LockSupport.park(this);
            Thread.interrupted(); // or it would not wait any more
        }
        loopThread = null;
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
