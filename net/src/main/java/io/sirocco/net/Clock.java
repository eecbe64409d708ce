// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * The source of time for deadlines and dates. A test passes a clock that it moves by hand, and
 * never sleeps. Any thread.
 */
public interface Clock {

    /** Returns the nanoseconds of a clock that never goes back; its origin is arbitrary. */
    long nanos();

    /** Returns the milliseconds since 1970-01-01T00:00Z, for dates that people read. */
    long wallMillis();

    /**
     * Registers {@code wake} for leaps of the clock. A clock that moves by itself ignores this; a
     * clock that is moved by hand calls {@code wake} after each move, so that a waiting loop checks
     * its deadlines.
     */
    default void onLeap(Runnable wake) {}

    /** Returns the clock of the machine. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }

    /** The clock of the machine: {@link System#nanoTime} and {@link System#currentTimeMillis}. */
    enum SystemClock implements Clock {
        INSTANCE;

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long wallMillis() {
            return System.currentTimeMillis();
        }
    }
}
