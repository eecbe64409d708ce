// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that wait for all peers of an engine together; a parcel that waits for many counts
 * once. From half of {@code most} on each peer may have less waiting, and beyond it little. Any
 * thread.
 */
final class Waiting {
    /** Bytes that may wait for a peer when there is room for no more. */
    static final int LITTLE = 16 << 10;

    /** Of a peer's budget, the part that it has when more than half of the room is taken. */
    private static final int PART = 4;

    private final long most;
    private final AtomicLong bytes = new AtomicLong();

    Waiting(long most) {
        this.most = most;
    }

    /** A parcel waits for one peer more. */
    void add(Parcel parcel) {
        if (parcel.enter()) {
            bytes.addAndGet(parcel.size());
        }
    }

    /** A parcel does not wait for a peer any more. */
    void remove(Parcel parcel) {
        if (parcel.leave()) {
            bytes.addAndGet(-parcel.size());
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

    /** Bytes that wait. */
    long bytes() {
        return bytes.get();
    }
}
