// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a namespace has to send, in order, bounded in number and bytes. While it is joined, whoever
 * finds no room waits; while it is not, the {@link Overflow} decides. Any thread.
 */
final class Outbox {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final ArrayDeque<Message> queue = new ArrayDeque<>();
    private final int most;
    private final long mostBytes;
    private final Overflow overflow;
    private long bytes;
    private long dropped;
    private boolean joined;
    private boolean closed;

    Outbox(int most, long mostBytes, Overflow overflow) {
        this.most = most;
        this.mostBytes = mostBytes;
        this.overflow = overflow;
    }

    /**
     * Takes a message, if it may.
     *
     * @param displaced filled with what had to go for it
     * @param longest nanoseconds to wait
     */
    boolean put(Message message, List<Message> displaced, long longest)
            throws InterruptedException {
        lock.lock();
        try {
            long left = longest;
            while (!closed && joined && !fits(message) && left > 0) {
                left = room.awaitNanos(left);
            }
            while (!closed && !joined && !fits(message) && overflow == Overflow.DROP_OLDEST) {
                displaced.add(take());
                dropped++;
            }
            if (closed || !fits(message)) {
                dropped++;
                return false;
            }
            queue.add(message);
            bytes += message.size();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** An empty one takes a message of any size. */
    private boolean fits(Message message) {
        return queue.isEmpty() || queue.size() < most && bytes + message.size() <= mostBytes;
    }

    private Message take() {
        Message first = queue.poll();
        bytes -= first.size();
        return first;
    }

    /** The next one; null when there is none. */
    Message poll() {
        lock.lock();
        try {
            if (queue.isEmpty()) {
                return null;
            }
            Message first = take();
            room.signalAll();
            return first;
        } finally {
            lock.unlock();
        }
    }

    /** Nobody waits for its answer any more. */
    void remove(Message message) {
        lock.lock();
        try {
            if (queue.remove(message)) {
                bytes -= message.size();
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** What becomes of those who find no room. */
    void joined(boolean joined) {
        lock.lock();
        try {
            this.joined = joined;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** It takes no more. */
    void close() {
        lock.lock();
        try {
            closed = true;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** All that is in it, which it keeps no longer. */
    List<Message> clear() {
        lock.lock();
        try {
            var all = new ArrayList<>(queue);
            queue.clear();
            bytes = 0;
            room.signalAll();
            return all;
        } finally {
            lock.unlock();
        }
    }

    boolean isEmpty() {
        return size() == 0;
    }

    int size() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    /** How many were not taken, or had to go. */
    long dropped() {
        lock.lock();
        try {
            return dropped;
        } finally {
            lock.unlock();
        }
    }
}
