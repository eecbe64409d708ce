// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * Something with a deadline in a {@link TimerWheel}. Moving a deadline later only writes a field:
 * the wheel looks again when it meets the timer at its old place. Loop-confined.
 */
abstract class Timer {
    /** No deadline. */
    static final long NEVER = Long.MAX_VALUE;

    Timer previous;
    Timer next;

    /** When it is due, in milliseconds of the loop's time. */
    long due = NEVER;

    /**
     * The tick of the wheel that it hangs in, cut to 32 bits; means nothing while it hangs in none.
     */
    int tick;

    boolean isScheduled() {
        return next != null;
    }

    /** The deadline has passed. */
    abstract void fire();
}
