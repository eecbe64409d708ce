// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Measures the turns of one loop: how long they last, and whether the present one is long.
 * Loop-confined, except where noted.
 */
final class TurnClock {
    private static final VarHandle BEGUN;

    static {
        try {
            BEGUN = MethodHandles.lookup().findVarHandle(TurnClock.class, "begun", long.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private volatile long begun; // 0 while the loop waits
    private volatile long longTurn; // the last one that the watchdog has found long, by its begin
    private long turns;
    private long busyNanos;
    private long longest;
    private long last;

    /** A turn begins at {@code now}, as {@link System#nanoTime}. */
    void begin(long now) {
        BEGUN.setOpaque(this, now);
        turns++;
    }

    /** The turn, if there is one, ends: the loop is about to wait. */
    void end() {
        long since = begun;
        if (since != 0) {
            long nanos = System.nanoTime() - since;
            busyNanos += nanos;
            longest = Math.max(longest, nanos);
            last = nanos;
            BEGUN.setOpaque(this, 0L);
        }
    }

    /** Returns when the present turn began, as {@link System#nanoTime}; 0 for none. Any thread. */
    long begun() {
        return (long) BEGUN.getOpaque(this);
    }

    /** The turn that began at {@code since} is long. The watchdog's thread. */
    void isLong(long since) {
        longTurn = since;
    }

    /** Returns whether the watchdog has found the present turn long. */
    boolean isLong() {
        long now = begun();
        return now != 0 && longTurn == now;
    }

    /** Returns the number of turns. Any thread, a turn late. */
    long turns() {
        return turns;
    }

    /** Returns the nanoseconds of all turns that have ended. Any thread, a turn late. */
    long busyNanos() {
        return busyNanos;
    }

    /** Returns the nanoseconds of the turn that ended last. */
    long last() {
        return last;
    }

    /** Returns the nanoseconds of the longest turn. Any thread, a turn late. */
    long longest() {
        return longest;
    }
}
