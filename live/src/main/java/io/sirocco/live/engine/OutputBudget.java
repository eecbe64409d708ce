// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of what waits for all peers of an engine together; a parcel that waits for many counts
 * once. From half of {@code most} on each peer may have less waiting, and beyond it little. Any
 * thread.
 */
final class OutputBudget {
    /** Bytes that may wait for a peer when there is room for no more. */
    static final int LITTLE = 16 << 10;

    /** Of a peer's budget, the part that it has when more than half of the room is taken. */
    private static final int PART = 4;

    private final long most;
    private final AtomicLong bytes = new AtomicLong();

    OutputBudget(long most) {
        this.most = most;
    }

    /** A parcel waits for one peer more. Returns whether that is the first. */
    boolean add(Parcel parcel) {
        boolean first = parcel.enter();
        if (first) {
            bytes.addAndGet(parcel.cost());
        }
        return first;
    }

    /** A parcel does not wait for a peer any more. */
    void remove(Parcel parcel) {
        if (parcel.leave()) {
            bytes.addAndGet(-parcel.cost());
        }
    }

    /** What may wait for one peer now that may have {@code budget} bytes when nobody is slow. */
    long allowed(long budget) {
        long now = bytes.get();
        if (now <= most / 2) {
            return budget;
        }
        return Math.min(budget, now <= most ? Math.max(LITTLE, budget / PART) : LITTLE);
    }

    /** Whether the slowest peers are to go. */
    boolean isFull() {
        return bytes.get() > most;
    }

    /** Whether nothing more may wait for anybody: those that are to go have not gone yet. */
    boolean isExhausted() {
        return bytes.get() > 2 * most;
    }

    /** Bytes that are to go when it is full, so that it is not at once again. */
    long excess() {
        return bytes.get() - most / 4 * 3;
    }

    /** Bytes that wait. */
    long bytes() {
        return bytes.get();
    }
}
