// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * The thread of MQTT, "sirocco-home-mqtt", and the tasks that wait for it. An exception of a task
 * is logged, and does not end a task that repeats.
 *
 * <p>What scripts begin comes through {@link #offer}: up to {@value #MAX_OFFERED} tasks with up to
 * 4 Mi characters wait; further ones are dropped, which is logged once until the thread has caught
 * up. All other tasks follow from those, from settings, or from what the broker sends, each of
 * which has a bound of its own. Any thread.
 */
final class MqttThread extends ScheduledThreadPoolExecutor {
    private static final LazyLogger LOG = LazyLogger.of(MqttConnection.class);
    static final int MAX_OFFERED = 1_000;
    private static final long MAX_CHARACTERS = 4 << 20;

    private final BiConsumer<Level, String> log;
    private final Queue<Offered> offered = new ArrayDeque<>(); // locked, with the next two
    private long characters;
    private boolean dropping;

    private record Offered(String key, long characters, Runnable task) {}

    /**
     * Creates a thread, which begins with the first task.
     *
     * @param log receives, on any thread, the lines for the owner of the controller
     */
    MqttThread(BiConsumer<Level, String> log) {
        super(
                1,
                Thread.ofPlatform().daemon().name("sirocco-home-mqtt").factory(),
                new ThreadPoolExecutor.DiscardPolicy());
        this.log = log;
        setRemoveOnCancelPolicy(true);
    }

    /**
     * Runs a task, unless too many wait. Tasks run in the order in which they were offered.
     *
     * @param key when too many wait, the oldest task with the same key is dropped instead of this
     *     one; empty for none
     * @param length of the text that the task keeps, in characters
     * @return whether it will run
     */
    boolean offer(String key, long length, Runnable task) {
        boolean replaces = false;
        boolean first = false;
        synchronized (offered) {
            if (isFull(length) && !key.isEmpty()) {
                replaces = removeOldest(key);
            }
            if (isFull(length)) {
                first = !dropping;
                dropping = true;
            } else {
                offered.add(new Offered(key, length, task));
                characters += length;
                if (!replaces) { // or the turn of the other is that of this
                    execute(this::runOffered);
                }
                return true;
            }
        }
        if (first) {
            log.accept(Level.WARNING, "MQTT: too much at once, a part is dropped");
        }
        return false;
    }

    /** A single task may be as long as it likes. */
    private boolean isFull(long length) {
        return offered.size() == MAX_OFFERED
                || characters > 0 && characters + length > MAX_CHARACTERS;
    }

    private boolean removeOldest(String key) {
        for (Iterator<Offered> each = offered.iterator(); each.hasNext(); ) {
            Offered task = each.next();
            if (task.key.equals(key)) {
                each.remove();
                characters -= task.characters;
                return true;
            }
        }
        return false;
    }

    private void runOffered() {
        Offered next;
        synchronized (offered) {
            next = offered.poll();
            if (next == null) {
                return;
            }
            characters -= next.characters;
            dropping &= !offered.isEmpty();
        }
        next.task.run();
    }

    /** Calls {@code action} on this thread with the result of a future. */
    <T> void when(CompletableFuture<T> future, BiConsumer<? super T, ? super Throwable> action) {
        future.whenComplete((value, error) -> execute(() -> action.accept(value, error)));
    }

    /** Runs a task now, and logs what it throws. */
    static void guarded(String what, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) { // or nothing would be received any more
            LOG.get().log(Level.ERROR, "MQTT: " + what + " has failed", e);
        }
    }

    /** Runs a task later; {@link #execute} is the same without a delay. */
    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return super.schedule(() -> guarded("a task", task), delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable task, long initialDelay, long delay, TimeUnit unit) {
        return super.scheduleWithFixedDelay(
                () -> guarded("a task", task), initialDelay, delay, unit);
    }
}
