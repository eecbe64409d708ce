// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The slots of a listener, an equal number for each of its loops: a loop that has none left finds
 * one that has. A slot is taken before a connection is given to its loop. Not too many may be on
 * their way to a loop from others: it may be busy, and its tables are not made for that. Any
 * thread.
 */
final class Slots {
    private static final int APART = 16; // so that loops do not share a cache line

    private final int loops;
    private final int each;
    private final int arrivals;
    private final AtomicIntegerArray taken;
    private final AtomicIntegerArray arriving;

    /**
     * @param each slots of one loop
     * @param arrivals connections that may be on their way to one loop from others
     */
    Slots(int loops, int each, int arrivals) {
        this.loops = loops;
        this.each = each;
        this.arrivals = arrivals;
        this.arriving = new AtomicIntegerArray(loops * APART);
        this.taken = new AtomicIntegerArray(loops * APART);
    }

    /** Takes a slot of {@code loop} for a connection that is at {@code from}. */
    private boolean take(int loop, int from) {
        if (loop == from) {
            return increment(taken, loop, each);
        }
        if (!increment(arriving, loop, arrivals)) {
            return false;
        }
        if (increment(taken, loop, each)) {
            return true;
        }
        arriving.decrementAndGet(loop * APART);
        return false;
    }

    private static boolean increment(AtomicIntegerArray counts, int loop, int most) {
        int seen;
        do {
            seen = counts.get(loop * APART);
            if (seen >= most) {
                return false;
            }
        } while (!counts.compareAndSet(loop * APART, seen, seen + 1));
        return true;
    }

    /**
     * Counts a connection that has come from another loop. Returns whether others may have waited
     * for that.
     */
    boolean arrived(int loop) {
        return arriving.getAndDecrement(loop * APART) == arrivals;
    }

    /** Takes a slot of {@code loop} or, if it has none left, of the loop that has most. */
    int takeNear(int loop) {
        for (int next = loop; next >= 0; next = roomiest(loop)) {
            if (take(next, loop)) {
                return next;
            }
        }
        return -1;
    }

    /** Takes one of the first loop from {@code first} on, around, for what is at {@code loop}. */
    int takeFrom(int first, int loop) {
        for (int i = 0; i < loops; i++) {
            int next = (first + i) % loops;
            if (take(next, loop)) {
                return next;
            }
        }
        return -1;
    }

    /**
     * Returns the loop with most slots left, of those that a connection at {@code from} can reach;
     * -1 for none.
     */
    private int roomiest(int from) {
        int best = -1;
        int most = 0;
        for (int loop = 0; loop < loops; loop++) {
            boolean reached = loop == from || arriving.get(loop * APART) < arrivals;
            if (reached && left(loop) > most) {
                most = left(loop);
                best = loop;
            }
        }
        return best;
    }

    /** Gives back a slot of {@code loop}. */
    void give(int loop) {
        taken.decrementAndGet(loop * APART);
    }

    int left(int loop) {
        return each - taken.get(loop * APART);
    }

    /** Returns whether there is one for a connection at {@code loop}. */
    boolean anyLeft(int loop) {
        return roomiest(loop) >= 0;
    }
}
