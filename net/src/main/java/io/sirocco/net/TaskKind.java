// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * All runs of the same code on event loops, such as the handler of one route. Its virtual threads
 * are carried by the loop that starts them until one run blocks its loop: runs for more than {@link
 * Settings#blockingMillis} without parking. From then on the scheduler of the JDK runs them, so
 * that the same code blocks no loop twice.
 *
 * <p>Cold code is slow once. If the loop was mostly seen loading or initialising classes, the kind
 * returns to the loops after {@value #TRIAL} runs in succession that took less than 20 ms each; it
 * does so once. Any thread.
 */
public final class TaskKind {
    private static final LazyLogger LOG = LazyLogger.of(TaskKind.class);
    private static final int TRIAL = 1_000;
    private static final long HARMLESS = TimeUnit.MILLISECONDS.toNanos(20);

    private final String name;
    private volatile boolean moved;
    private volatile boolean onTrial;
    private boolean wasOnTrial;
    private final AtomicInteger harmless = new AtomicInteger();

    private TaskKind(String name) {
        this.name = name;
    }

    /** Returns a new kind; {@code name} appears in the log. */
    public static TaskKind of(String name) {
        return new TaskKind(name);
    }

    /** Returns the name, for the log. */
    public String name() {
        return name;
    }

    /** Returns whether it has blocked a loop, so that the JDK's scheduler runs it now. */
    public boolean moved() {
        return moved;
    }

    /** Starts a virtual thread on the JDK's scheduler. */
    public Thread startElsewhere(Runnable task) {
        return Loop.startElsewhere(onTrial ? () -> tried(task) : task);
    }

    private void tried(Runnable task) {
        long began = System.nanoTime();
        try {
            task.run();
        } finally {
            if (System.nanoTime() - began > HARMLESS) {
                harmless.set(0);
            } else if (harmless.incrementAndGet() == TRIAL) {
                comeBack();
            }
        }
    }

    /**
     * Moves it off the loops, since it has blocked one: on trial the first time, for good the
     * second time.
     *
     * @return whether it was still on the loops
     */
    synchronized boolean move() {
        if (moved) {
            return false;
        }
        onTrial = !wasOnTrial;
        wasOnTrial = true;
        moved = true;
        return true;
    }

    /** Returns whether it was moved for the first time, and may return to the loops. */
    boolean onTrial() {
        return onTrial;
    }

    /** Ends the trial: it stays off the loops. */
    synchronized void moveForGood() {
        onTrial = false;
    }

    private synchronized void comeBack() {
        if (onTrial) {
            onTrial = false;
            moved = false;
            LOG.get()
                    .log(
                            Level.INFO,
                            "{0} runs on the event loops again: its last 1,000 runs were quick",
                            name);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
