// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.lua.ScriptThread;
import io.sirocco.home.lua.TaskCause;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A thread of scripts whose clock is moved by hand: tasks run in {@link #run}, {@link #advance} and
 * {@link #runUntil}, on the thread of the test. {@link #execute} may be called on any thread, the
 * rest on that of the test.
 */
public final class ManualScriptThread implements ScriptThread {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final PriorityQueue<Later> later =
            new PriorityQueue<>(
                    Comparator.<Later>comparingLong(each -> each.nanos)
                            .thenComparingLong(each -> each.number));
    private final List<Throwable> errors = new ArrayList<>();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private volatile Predicate<String> refused = name -> false;
    private Instant now;
    private long nanos;
    private long number;

    private record Later(long nanos, long number, Runnable task) {}

    public ManualScriptThread(Instant now) {
        this.now = now;
    }

    @Override
    public boolean execute(String name, Runnable task) {
        return !refused.test(name) && tasks.add(TaskCause.inherit(task));
    }

    /** Refuses tasks by their name, as a thread does for which too many wait. */
    public void refuse(Predicate<String> refused) {
        this.refused = refused;
    }

    /** Returns how many tasks wait for the thread. Any thread. */
    public int waiting() {
        return tasks.size();
    }

    /** Drops the tasks that wait, as the end of the scripts does. */
    public void drop() {
        tasks.clear();
    }

    @Override
    public Scheduled schedule(String name, Duration delay, Runnable task) {
        var entry =
                new Later(nanos + Math.max(0, delay.toNanos()), number++, TaskCause.inherit(task));
        later.add(entry);
        return () -> later.remove(entry);
    }

    @Override
    public boolean await(CompletableFuture<?> future, Duration timeout) {
        try {
            runUntil(future::isDone);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return future.isDone();
    }

    @Override
    public void spend(long steps) {}

    @Override
    public void warn(String line) {
        warnings.add(line);
    }

    /** Returns the warnings so far. Any thread. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    @Override
    public InstantSource clock() {
        return () -> now;
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    /** Returns how many tasks wait for their time. */
    public int scheduled() {
        return later.size();
    }

    /** Runs the tasks that are due. An error of one is kept for {@link #errors}. */
    public void run() {
        do {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                run(task);
            }
            while (!later.isEmpty() && later.peek().nanos <= nanos) {
                run(later.remove().task);
            }
        } while (!tasks.isEmpty());
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            errors.add(e);
        }
    }

    /** Moves the clock, and runs what becomes due, each at its time. */
    public void advance(Duration time) {
        long end = nanos + time.toNanos();
        run();
        while (!later.isEmpty() && later.peek().nanos <= end) {
            move(later.peek().nanos);
            run();
        }
        move(end);
    }

    /** Moves the clock to {@code time} as {@link #advance(Duration)} does. */
    public void advanceTo(Instant time) {
        advance(Duration.between(now, time));
    }

    private void move(long to) {
        now = now.plusNanos(to - nanos);
        nanos = to;
    }

    /** Moves the clock at once, as a thread does that was busy for so long. */
    public void block(Duration time) {
        move(nanos + time.toNanos());
    }

    /** Sets the wall clock; intervals are not concerned. */
    public void setClock(Instant time) {
        now = time;
    }

    /** Runs tasks of other threads until {@code condition} holds. */
    public void runUntil(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        run();
        while (!condition.getAsBoolean()) {
            Runnable task = tasks.poll(10, TimeUnit.MILLISECONDS); // the condition needs none
            if (task != null) {
                run(task);
                run();
            } else if (System.nanoTime() > end) {
                throw new AssertionError("it has not happened for " + PATIENCE);
            }
        }
    }

    /** Returns the errors of tasks so far, and forgets them. */
    public List<Throwable> errors() {
        List<Throwable> copy = List.copyOf(errors);
        errors.clear();
        return copy;
    }
}
