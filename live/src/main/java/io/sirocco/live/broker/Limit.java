// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.time.Duration;

/**
 * How often something may happen: once at least, within a millisecond at least. Making one that
 * cannot be is an {@link IllegalArgumentException}. Immutable.
 */
public sealed interface Limit {

    /** A bucket with {@code count} tokens, which fills evenly within {@code per}. */
    record Bucket(int count, Duration per) implements Limit {
        public Bucket {
            check(count, "per", per);
        }
    }

    /** {@code count} times, then not again until nothing was tried for {@code silence}. */
    record UntilSilence(int count, Duration silence) implements Limit {
        public UntilSilence {
            check(count, "silence", silence);
        }
    }

    private static void check(int count, String name, Duration time) {
        if (count < 1) {
            throw new IllegalArgumentException("count must be 1 or more, not " + count + ".");
        }
        if (time.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException(
                    name + " must be PT0.001S or more, not " + time + ".");
        }
    }
}
