// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

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
     */
    record Job(Runnable work, Answer answer) {}

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

    /** Does them all. On the thread of the handlers. */
    void run() {
        for (Job job = next(); job != null; job = next()) {
            job.work.run();
        }
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
