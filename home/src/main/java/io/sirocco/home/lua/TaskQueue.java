// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import io.sirocco.net.Clock;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The work that waits for the thread of the scripts: calls, tasks, and tasks with a delay. Up to
 * 10,000 calls and tasks, and as many with a delay, may wait; the scripts of the calls have up to
 * 16 Mi characters together. Any thread adds; the thread of the scripts takes.
 */
final class TaskQueue {
    private static final int MAX = 10_000;
    private static final int MAX_CHARACTERS = 16 << 20;
    private static final long MAX_DELAY = Long.MAX_VALUE / 4; // 73 years

    /** Work of the thread. Immutable. */
    sealed interface Work {
        /** Returns how many characters it keeps. */
        default int characters() {
            return 0;
        }

        /** A task in Java. */
        record Task(String name, Runnable body) implements Work {}

        /**
         * A script of a client, whose value {@code done} receives.
         *
         * @param late whether it has come after its state was stopped
         */
        record Call(
                String script,
                Optional<InetSocketAddress> source,
                Consumer<String> done,
                boolean late)
                implements Work {
            Call(String script, Optional<InetSocketAddress> source, Consumer<String> done) {
                this(script, source, done, false);
            }

            @Override
            public int characters() {
                return script.length();
            }

            boolean isProbe() {
                return script.equals("checkAlive()");
            }
        }
    }

    /** What the thread can take: interrupted tasks leave room for all, for probes, for nothing. */
    enum Accepted {
        ALL,
        PROBES,
        NONE
    }

    private final class Delayed implements ScriptThread.Scheduled, Comparable<Delayed> {
        private final long due;
        private final long number; // keeps the order of those that are due at the same time
        private final Work.Task task;

        Delayed(long due, long number, Work.Task task) {
            this.due = due;
            this.number = number;
            this.task = task;
        }

        @Override
        public int compareTo(Delayed other) {
            int order = Long.compare(due - other.due, 0);
            return order != 0 ? order : Long.compare(number, other.number);
        }

        @Override
        public void cancel() {
            synchronized (delayed) {
                delayed.remove(this);
                setNextDue();
            }
        }
    }

    private final Clock clock;
    private final Queue<Work> works = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicInteger characters = new AtomicInteger();
    private final Queue<Work> passed = new ArrayDeque<>(); // older than works; of the taking thread
    private final PriorityQueue<Delayed> delayed = new PriorityQueue<>();
    private long numbers;
    private volatile long nextDue = Long.MAX_VALUE;
    private volatile boolean closed;
    private volatile boolean sleeping;
    private volatile Thread taker; // null until it waits

    TaskQueue(Clock clock) {
        this.clock = clock;
    }

    /** Adds work without waking the thread. Returns false if it is refused. */
    boolean add(Work work) {
        if (closed || size.get() >= MAX || characters.get() + work.characters() > MAX_CHARACTERS) {
            return false;
        }
        characters.addAndGet(work.characters());
        size.incrementAndGet();
        works.add(work);
        // When it has been closed meanwhile, the work is either taken back here or already refused.
        return !closed || !works.remove(work);
    }

    /** Wakes the thread if it waits for work. */
    void wake() {
        Thread thread = taker;
        if (sleeping && thread != null) {
            sleeping = false;
            LockSupport.unpark(thread);
        }
    }

    /**
     * Adds a task that is due after a delay. It never runs when the queue is closed.
     *
     * @throws RejectedExecutionException if too many wait
     */
    ScriptThread.Scheduled addLater(long nanos, Work.Task task) {
        Delayed later;
        synchronized (delayed) {
            later = new Delayed(clock.nanos() + Math.clamp(nanos, 0, MAX_DELAY), numbers++, task);
            if (closed) {
                return later;
            }
            if (delayed.size() == MAX) {
                throw new RejectedExecutionException(
                        task.name() + ": " + MAX + " tasks with a delay wait already");
            }
            delayed.add(later);
            setNextDue();
        }
        wake();
        return later;
    }

    private void setNextDue() {
        Delayed first = delayed.peek();
        nextDue = first == null ? Long.MAX_VALUE : first.due;
    }

    private boolean isDue() {
        long due = nextDue;
        return due != Long.MAX_VALUE && clock.nanos() - due >= 0;
    }

    /** Moves what is due behind the work that waits. */
    private void takeDue() {
        if (!isDue()) {
            return;
        }
        synchronized (delayed) {
            long now = clock.nanos();
            for (Delayed first = delayed.peek();
                    first != null && now - first.due >= 0;
                    first = delayed.peek()) {
                delayed.remove();
                size.incrementAndGet();
                works.add(first.task);
            }
            setNextDue();
        }
    }

    /** Takes the oldest work, or null. */
    Work take() {
        takeDue();
        Work work = passed.poll();
        if (work == null) {
            work = works.poll();
        }
        if (work != null) {
            taken(work);
        }
        return work;
    }

    /** Takes the oldest call of {@code checkAlive()}, passing others, or null. */
    Work.Call takeProbe() {
        takeDue();
        for (Work work = works.poll(); work != null; work = works.poll()) {
            if (work instanceof Work.Call call && call.isProbe()) {
                taken(call);
                return call;
            }
            passed.add(work);
        }
        return null;
    }

    private void taken(Work work) {
        size.decrementAndGet();
        characters.addAndGet(-work.characters());
    }

    /** Returns how many calls and tasks wait. */
    int size() {
        return size.get();
    }

    /**
     * Waits for work, but not beyond {@code deadline} of the clock.
     *
     * @param accepted what the thread could take now: it does not wait if that is there
     * @param done it does not wait either if this holds
     */
    void await(long deadline, Accepted accepted, BooleanSupplier done) {
        taker = Thread.currentThread();
        sleeping = true;
        try {
            boolean due = accepted != Accepted.NONE && isDue();
            boolean some =
                    switch (accepted) {
                        case ALL -> !passed.isEmpty() || !works.isEmpty();
                        case PROBES -> !works.isEmpty();
                        case NONE -> false;
                    };
            if (!due && !some && !closed && !done.getAsBoolean()) {
                long until = deadline;
                long next = accepted == Accepted.NONE ? Long.MAX_VALUE : nextDue;
                if (next != Long.MAX_VALUE && (until == Long.MAX_VALUE || next - until < 0)) {
                    until = next;
                }
                if (until == Long.MAX_VALUE) {
                    LockSupport.park(this);
                } else {
                    long wait = until - clock.nanos();
                    if (wait > 0) {
                        LockSupport.parkNanos(this, wait);
                    }
                }
            }
        } finally {
            sleeping = false;
        }
    }

    /** Refuses further work, and gives what waits to {@code refused}. Any thread. */
    void close(Consumer<Work> refused) {
        closed = true;
        synchronized (delayed) {
            delayed.clear();
            nextDue = Long.MAX_VALUE;
        }
        for (Work work = works.poll(); work != null; work = works.poll()) {
            refused.accept(work);
        }
        wake();
    }

    /** Gives what was passed over to {@code refused}, at the end of the thread that takes. */
    void closePassed(Consumer<Work> refused) {
        for (Work work = passed.poll(); work != null; work = passed.poll()) {
            refused.accept(work);
        }
    }
}
