// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.serial;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs one task after the other, in the order in which they were added, on the thread of one of
 * those that added some; the others go on. No lock is held while a task runs. Bounded for callers
 * that ask: {@link #hasRoom}, {@link #offer}. Any thread.
 */
public final class SerialExecutor {
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicInteger wanted = new AtomicInteger(); // calls of run that are not served
    private final int most;
    private final LazyLogger log;

    /**
     * An executor that nothing waits for yet.
     *
     * @param most how many tasks may wait
     * @param log is told of tasks that throw
     */
    public SerialExecutor(int most, LazyLogger log) {
        this.most = most;
        this.log = log;
    }

    /** Returns how many tasks may wait. */
    public int most() {
        return most;
    }

    /** Returns whether fewer tasks wait than may. */
    public boolean hasRoom() {
        return size.get() < most;
    }

    /**
     * Adds a task at the end, beyond the bound if need be. A call of {@link #run} follows, without
     * the lock, if any, that makes the order.
     */
    public void add(Runnable task) {
        size.incrementAndGet();
        waiting.add(task);
    }

    /** Adds a task and runs what waits; does neither, and returns false, when there is no room. */
    public boolean offer(Runnable task) {
        if (!hasRoom()) {
            return false;
        }
        execute(task);
        return true;
    }

    /** Adds a task, beyond the bound if need be, and runs what waits. */
    public void execute(Runnable task) {
        add(task);
        run();
    }

    /** Runs all that waits, unless another thread does. */
    public void run() {
        if (wanted.getAndIncrement() != 0) {
            return; // the thread that runs them sees it
        }
        int served = 1;
        do {
            for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
                size.decrementAndGet();
                runAlone(next);
            }
            served = wanted.addAndGet(-served);
        } while (served != 0);
    }

    private void runAlone(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) { // else nobody would run what follows
            log.get().log(Level.ERROR, "a message could not be delivered", e);
        }
    }
}
