// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.log;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Lines on their way from the loops to the writer: a ring of slots of 1 KiB each. A longer line
 * takes several, so that the queue is bounded in bytes as well; the writer finds it in the first of
 * them.
 *
 * <pre>
 *        head: the writer takes here          tail: the loops claim here
 *          ▼                                    ▼
 *   ...  [line] [line: 3 slots ] [   ] [   ] [claimed, not yet there]  ...
 * </pre>
 *
 * <p>To put costs one atomic addition and never waits. Any thread puts, one thread takes.
 */
final class LineQueue {
    private static final int SLOT_BITS = 10;

    private final AtomicReferenceArray<Line> slots;
    private final int mask;
    private final AtomicLong tail = new AtomicLong();
    private final AtomicLong head = new AtomicLong();

    /** The number of slots is rounded up to a power of two. */
    LineQueue(int slots) {
        int size = Integer.highestOneBit(Math.max(64, 2 * slots - 1));
        this.slots = new AtomicReferenceArray<>(size);
        this.mask = size - 1;
    }

    private static int weight(Line line) {
        return 1 + (line.bytes().length >> SLOT_BITS);
    }

    /** Adds a line; returns false if there is no room. Any thread. */
    boolean put(Line line) {
        int weight = weight(line);
        long at;
        do {
            at = tail.get();
            if (at + weight - head.get() > mask + 1) {
                return false;
            }
        } while (!tail.compareAndSet(at, at + weight));
        slots.setRelease((int) at & mask, line);
        return true;
    }

    /** The next line; null when there is none, or it is not quite there. The writer only. */
    Line take() {
        long at = head.get();
        Line line = slots.getAcquire((int) at & mask);
        if (line != null) {
            slots.setPlain((int) at & mask, null);
            head.lazySet(at + weight(line));
        }
        return line;
    }

    /** Returns whether a quarter of it is taken: time to wake the writer. Any thread. */
    boolean filling() {
        return tail.get() - head.get() > mask >> 2;
    }

    /** Returns whether nothing was put that has not been taken. Any thread. */
    boolean empty() {
        return tail.get() == head.get();
    }
}
