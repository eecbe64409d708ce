// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.net.Loop;
import io.sirocco.net.TaskKind;
import java.util.ArrayDeque;

/**
 * What waits for the handlers of one client, which run one after the other, on a virtual thread
 * that is there while there is something to do. Any thread.
 */
final class Inbox {
    private ArrayDeque<Job> jobs; // null while it is empty
    private boolean running;
    private Thread thread;
    private Job current;
    private long since;

    /**
     * Something to do.
     *
     * @param answer that it owes; null for none
     * @param kind what the loops know it by
     */
    record Job(Runnable work, Answer answer, TaskKind kind) {}

    /** Adds one; true when somebody has to {@link #run} them. */
    synchronized boolean add(Job job) {
        if (jobs == null) {
            jobs = new ArrayDeque<>(4);
        }
        jobs.add(job);
        boolean idle = !running;
        running = true;
        return idle;
    }

    /**
     * Does them all, on the thread of the handlers; on {@code loop} those only that have never
     * blocked one.
     *
     * @return the one that another thread must do, and all behind it; null when all is done
     */
    Job run(Loop loop) {
        for (Job job = next(); job != null; job = next()) {
            if (!loop.inLoop()) {
                work(job);
            } else if (loop.carries(job.kind)) {
                TaskKind before = loop.beginTask(job.kind);
                try {
                    work(job);
                } finally {
                    loop.endTask(before);
                }
            } else {
                return job;
            }
        }
        return null;
    }

    /** Does what {@link #run} has left, before all others. On the new thread of the handlers. */
    void runFirst(Job left) {
        synchronized (this) {
            thread = Thread.currentThread();
        }
        work(left);
    }

    /** What waits behind it is done whatever it throws. */
    private static void work(Job job) {
        Tasks.run(job.work, "a handler of a client failed");
    }

    /**
     * No thread could be started for what waits: the next {@link #add} asks for one again.
     *
     * @param left what {@link #run} has left, which stays the first; or null
     */
    synchronized void notStarted(Job left) {
        if (left != null) {
            jobs.addFirst(left);
        }
        current = null;
        running = false;
        thread = null;
    }

    private synchronized Job next() {
        Thread.interrupted(); // of the one before
        current = jobs == null ? null : jobs.poll();
        if (current == null) {
            jobs = null;
            running = false;
            thread = null;
        } else {
            thread = Thread.currentThread();
            since = System.nanoTime();
        }
        return current;
    }

    synchronized boolean isRunning() {
        return running;
    }

    /**
     * Interrupts a job that owes an answer and has taken {@code nanos}.
     *
     * @return its answer, or null when there is none to be given
     */
    synchronized Answer interruptAfter(long nanos) {
        if (current == null || current.answer == null || System.nanoTime() - since < nanos) {
            return null;
        }
        thread.interrupt();
        return current.answer;
    }

    /** For how long the present job has been running. */
    synchronized long nanos() {
        return current == null ? 0 : System.nanoTime() - since;
    }
}
