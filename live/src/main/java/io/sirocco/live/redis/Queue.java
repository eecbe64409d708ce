// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import io.sirocco.live.broker.BrokerException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What waits for the server, first come first served; bounded in number and bytes. Deadlines come
 * in the same order, since all have the same time. Any thread.
 */
final class Queue {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition some = lock.newCondition();
    private final ArrayDeque<Work> works = new ArrayDeque<>();
    private final int most;
    private final long mostBytes;
    private long bytes;
    private boolean closed;

    Queue(int most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
    }

    /** Puts it at the end, or fails it. */
    void add(Work work) {
        String refusal = offer(work);
        if (!refusal.isEmpty()) {
            work.stage().completeExceptionally(new BrokerException(refusal));
        }
    }

    private String offer(Work work) {
        lock.lock();
        try {
            if (closed) {
                return "The broker is closed.";
            }
            if (works.size() >= most || (bytes + work.size() > mostBytes && !works.isEmpty())) {
                return "%d calls (%d bytes) wait for the broker already."
                        .formatted(works.size(), bytes);
            }
            works.add(work);
            bytes += work.size();
            some.signal();
            return "";
        } finally {
            lock.unlock();
        }
    }

    /**
     * The first ones, some of which may have failed meanwhile; none after {@code nanos} without
     * any, or when it is closed.
     */
    List<Work> take(int many, long manyBytes, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (works.isEmpty() && !closed && left > 0) {
                left = some.awaitNanos(left);
            }
            List<Work> taken = new ArrayList<>();
            long size = 0;
            while (!works.isEmpty() && taken.size() < many && size < manyBytes) {
                Work next = works.remove();
                size += next.size();
                taken.add(next);
            }
            bytes -= size;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Takes those out whose time is over. */
    List<Work> overdue(long now) {
        lock.lock();
        try {
            List<Work> taken = new ArrayList<>();
            while (!works.isEmpty() && now - works.peek().deadline() >= 0) {
                Work next = works.remove();
                bytes -= next.size();
                taken.add(next);
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more, and gives up what there is. */
    List<Work> close() {
        lock.lock();
        try {
            closed = true;
            some.signalAll();
            var left = List.copyOf(works);
            works.clear();
            bytes = 0;
            return left;
        } finally {
            lock.unlock();
        }
    }

    static long second() {
        return TimeUnit.SECONDS.toNanos(1);
    }
}
