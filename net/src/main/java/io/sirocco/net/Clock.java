// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * The time that deadlines and dates are reckoned by. Given from outside, so that a test moves it by
 * hand and never sleeps. Any thread.
 */
public interface Clock {

    /** Nanoseconds of a clock that never goes back; its origin means nothing. */
    long nanos();

    /** Milliseconds since 1970-01-01T00:00Z, for dates that people read. */
    long wallMillis();

    /**
     * Tells the clock whom to wake when it leaps. A clock that moves by itself ignores this; one
     * that is moved by hand calls {@code wake} after each move, so that a waiting loop looks at its
     * deadlines again.
     */
    default void onLeap(Runnable wake) {}

    /** The machine's clock. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }

    /** {@link System#nanoTime} and {@link System#currentTimeMillis}. */
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
