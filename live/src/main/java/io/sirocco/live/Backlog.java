// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What waits for one loop, and is done in order.
 *
 * <pre>
 *   execute   what must happen, such as a connect or a close     always taken
 *   reserve   a place for a message                              while there is one
 *   room      who sends, and waits                               held back while it is half full
 * </pre>
 *
 * <p>After a turn in which many were sent something it rests for as long as that took: meanwhile
 * more comes, which leaves in the same writes, and others have the loop. A write costs more than
 * what is in it, so the busier a loop is the less a message costs.
 *
 * <p>It takes no locks, since a loop that waits for one behind a virtual thread of its own stands
 * still. Any thread, unless a method says otherwise.
 */
final class Backlog {
    private static final LazyLogger LOG = LazyLogger.of(Live.class);
    private static final int AT_ONCE = 64; // tasks of one turn
    private static final int MANY = 64; // deliveries, after which it rests
    private static final long LONGEST_REST = 5_000_000; // nanoseconds

    private final Loop loop;
    private final int most;
    private final long mostBytes;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicReference<CompletableFuture<Void>> room = new AtomicReference<>();
    private boolean draining; // on the loop, as are the next two
    private boolean resting;
    private int deliveries; // since the last rest
    private volatile boolean hurries;

    /** Bounds for messages, in number and bytes. */
    Backlog(Loop loop, int most, long mostBytes) {
        this.loop = loop;
        this.most = most;
        this.mostBytes = mostBytes;
    }

    // ---- what comes

    /** Has {@code task} run behind all that came before: at once where we are. */
    void execute(Runnable task) {
        queue.add(task);
        if (loop.inLoop()) {
            drain(Integer.MAX_VALUE);
        } else {
            schedule();
        }
    }

    /** The same, never at once. */
    void executeLater(Runnable task) {
        queue.add(task);
        schedule();
    }

    /** Does what waits, if this is where we are and no rest is due. */
    void drainHere() {
        if (loop.inLoop() && !resting) {
            drain(Integer.MAX_VALUE);
        }
    }

    /** Answers false when the server has stopped. */
    private boolean schedule() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                loop.execute(this::turn);
            } catch (RejectedExecutionException e) {
                scheduled.set(false);
                return false;
            }
        }
        return true;
    }

    // ---- bounds

    /** Takes a place for a message of so many bytes; false when all are taken. */
    boolean reserve(long size) {
        if (messages.get() >= most || bytes.get() >= mostBytes) {
            return false;
        }
        messages.incrementAndGet();
        bytes.addAndGet(size); // the one that crosses is taken
        return true;
    }

    /** Gives it back. */
    void release(long size) {
        messages.decrementAndGet();
        bytes.addAndGet(-size);
    }

    private boolean isHalfFull() {
        return messages.get() >= most / 2 || bytes.get() >= mostBytes / 2;
    }

    /** Null while there is room; else it ends when there is. */
    CompletableFuture<Void> awaitRoom() {
        if (!isHalfFull()) {
            return null;
        }
        var mine = new CompletableFuture<Void>();
        CompletableFuture<Void> known = room.compareAndExchange(null, mine);
        CompletableFuture<Void> waiting = known == null ? mine : known;
        if (!schedule()) { // the loop may have been quicker than we, or have ended
            waiting.complete(null);
        }
        return waiting;
    }

    private void giveRoom() {
        if (room.get() != null && !isHalfFull()) {
            CompletableFuture<Void> waiting = room.getAndSet(null);
            if (waiting != null) {
                loop.startVirtual(() -> waiting.complete(null)); // what follows may block
            }
        }
    }

    // ---- on the loop

    /** So many were sent a message. Loop-confined. */
    void delivered(int receivers) {
        deliveries += receivers;
    }

    /** The server stops: no rest any more. */
    void hurry() {
        hurries = true;
    }

    /** Does a part of it, and the rest in the next turn: others want the loop, too. */
    private void turn() {
        long began = loop.clock().nanos();
        drain(AT_ONCE);
        if (deliveries < MANY || hurries) {
            again();
        } else {
            resting = true;
            loop.execute(() -> rest(began)); // the kernel has what was written, by then
        }
        deliveries = 0;
    }

    private void rest(long began) {
        long now = loop.clock().nanos();
        loop.at(now + Math.min(now - began, LONGEST_REST), this::again);
    }

    private void again() {
        resting = false;
        scheduled.set(false);
        if (!queue.isEmpty()) {
            schedule();
        }
    }

    private void drain(int most) {
        if (draining) {
            return;
        }
        draining = true;
        try {
            for (int i = 0; i < most; i++) {
                Runnable task = queue.poll();
                if (task == null) {
                    break;
                }
                run(task);
            }
        } finally {
            draining = false;
        }
        giveRoom();
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.get().log(Level.ERROR, "a shard failed at what it was told", e);
        }
    }
}
