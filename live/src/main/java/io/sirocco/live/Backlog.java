// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What waits for one loop, in order.
 *
 * <pre>
 *   add     what must happen, such as a connect or a close     always taken
 *   reserve a place for a message                              while there is one
 *   room    who sends, and waits                               held back while it is half full
 * </pre>
 *
 * <p>It takes no locks, since a loop that waits for one behind a virtual thread of its own stands
 * still. Any thread; {@link #poll} and {@link #giveRoom} are for the loop.
 */
final class Backlog {
    private final int most;
    private final long mostBytes;
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicReference<CompletableFuture<Void>> room = new AtomicReference<>();

    /** Bounds for messages, in number and bytes. */
    Backlog(int most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
    }

    void add(Runnable task) {
        queue.add(task);
    }

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

    boolean isEmpty() {
        return queue.isEmpty();
    }

    private boolean isHalfFull() {
        return messages.get() >= most / 2 || bytes.get() >= mostBytes / 2;
    }

    /** The next to be done, or null. */
    Runnable poll() {
        return queue.poll();
    }

    /** Null while there is room; else it ends when there is. */
    CompletableFuture<Void> awaitRoom() {
        if (!isHalfFull()) {
            return null;
        }
        var mine = new CompletableFuture<Void>();
        CompletableFuture<Void> known = room.compareAndExchange(null, mine);
        return known == null ? mine : known;
    }

    /** Those whom to tell that there is room; null for nobody. */
    CompletableFuture<Void> giveRoom() {
        return room.get() == null || isHalfFull() ? null : room.getAndSet(null);
    }
}
