// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Tasks of one loop that want to run at a moment, in nanoseconds of its time, more exactly than a
 * {@link TimerWheel} can. O(log n). Loop-confined.
 */
final class PreciseTimers {
    private final PriorityQueue<Entry> queue = new PriorityQueue<>();
    private long made;

    private record Entry(long nanos, long order, Runnable task) implements Comparable<Entry> {
        @Override
        public int compareTo(Entry other) {
            int byTime = Long.compare(nanos, other.nanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    void add(long nanos, Runnable task) {
        queue.add(new Entry(nanos, made++, task));
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Returns when the next one is due. */
    long next() {
        return queue.element().nanos;
    }

    /** Runs all that are due; those that they make in turn wait for the next call. */
    void runDue(long nanos, Consumer<Runnable> run) {
        long before = made;
        while (!queue.isEmpty() && queue.element().nanos <= nanos) {
            if (queue.element().order >= before) {
                return;
            }
            run.accept(queue.remove().task);
        }
    }
}
