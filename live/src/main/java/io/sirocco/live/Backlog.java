// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.net.Loop;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

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
 * <p>It takes no locks, since a loop serves no connection while it waits for one. Any thread,
 * unless a method says otherwise.
 */
final class Backlog {
    private static final int AT_ONCE = 64; // of one turn
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
    private boolean draining; // on the loop, as are the next four
    private boolean resting;
    private BooleanSupplier unfinished; // see inPieces; null when there is none
    private int deliveries; // since the last rest
    private int taken; // in this turn
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
        if (loop.enter()) {
            try {
                drain(Integer.MAX_VALUE);
            } finally {
                loop.exit();
            }
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
        if (loop.enter()) {
            try {
                if (!resting) {
                    drain(Integer.MAX_VALUE);
                }
            } finally {
                loop.exit();
            }
        }
    }

    /** Answers false when the server has stopped. */
    private boolean schedule() {
        if (scheduled.compareAndSet(false, true)) {
            boolean accepted = false;
            try {
                loop.execute(this::turn);
                accepted = true;
            } catch (RejectedExecutionException e) {
                return false;
            } finally {
                if (!accepted) {
                    scheduled.set(false);
                }
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

    /** Bytes of messages that wait. */
    long bytes() {
        return bytes.get();
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
                complete(waiting);
            }
        }
    }

    private void complete(CompletableFuture<Void> waiting) {
        try {
            loop.startVirtual(() -> waiting.complete(null)); // what follows may block
        } catch (Throwable e) { // no thread: better here than never
            waiting.complete(null);
            throw e;
        }
    }

    // ---- on the loop

    /** The next, to be done with the present one; null when {@code with} does not want it. */
    Runnable takeNext(Predicate<Runnable> with) {
        Runnable next = queue.peek();
        if (next == null || !with.test(next)) {
            return null;
        }
        taken++;
        return queue.poll();
    }

    /**
     * The task that runs now has more to do than fits into a turn: {@code piece} does a part of it
     * in each of the next turns, until it returns false. Whatever waits comes after that, and the
     * loop does its other work between the pieces. Loop-confined.
     */
    void inPieces(BooleanSupplier piece) {
        unfinished = piece;
        schedule();
    }

    /** Does the next piece; returns whether nothing is left of it. */
    private boolean goOn() {
        BooleanSupplier piece = unfinished;
        if (piece == null) {
            return true;
        }
        draining = true;
        unfinished = null;
        try {
            Tasks.run(
                    () -> {
                        if (piece.getAsBoolean()) {
                            unfinished = piece;
                        }
                    },
                    "a shard failed at a piece of a task");
        } finally {
            draining = false;
        }
        return unfinished == null;
    }

    /** So many were sent a message. Loop-confined. */
    void delivered(int receivers) {
        deliveries += receivers;
    }

    /** The server stops: no rest any more. */
    void hurry() {
        hurries = true;
    }

    /**
     * Does a part of it, and the rest in the next turn: others want the loop, too. Whatever is
     * thrown here, the next turn is scheduled, or nothing would ever be done again.
     */
    private void turn() {
        long began = loop.clock().nanos();
        try {
            if (goOn()) {
                drain(AT_ONCE);
            }
        } finally {
            boolean rests = deliveries >= MANY && !hurries && unfinished == null;
            deliveries = 0;
            if (rests) {
                restLater(began);
            } else {
                again();
            }
        }
    }

    private void restLater(long began) {
        resting = true;
        try {
            loop.execute(() -> rest(began)); // the kernel has what was written, by then
        } catch (Throwable e) {
            again();
            throw e;
        }
    }

    private void rest(long began) {
        long now = loop.clock().nanos();
        try {
            loop.scheduleAt(now + Math.min(now - began, LONGEST_REST), this::again);
        } catch (Throwable e) {
            again();
            throw e;
        }
    }

    private void again() {
        resting = false;
        scheduled.set(false);
        if (!queue.isEmpty() || unfinished != null) {
            schedule();
        }
    }

    private void drain(int most) {
        if (draining || unfinished != null) {
            return;
        }
        draining = true;
        taken = 0;
        try {
            while (taken < most && unfinished == null) {
                Runnable task = queue.poll();
                if (task == null) {
                    break;
                }
                taken++;
                Tasks.run(task, "a shard failed at a task");
            }
        } finally {
            draining = false;
        }
        giveRoom();
    }
}
