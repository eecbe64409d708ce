// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.limit;

import java.time.Duration;

/**
 * Checks the times that a program sets, where it sets them. A time of more than a century becomes
 * one, so that it can be added to another and counted in nanoseconds. Any thread.
 */
public final class Timeouts {
    private static final Duration LEAST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Timeouts() {}

    /**
     * Returns a time of at least 1 ms.
     *
     * @param name begins the message
     * @throws IllegalArgumentException if it is null or shorter
     */
    public static Duration positive(String name, Duration value) {
        if (value == null || value.compareTo(LEAST) < 0) {
            throw new IllegalArgumentException(name + " must be 1 ms or more, not " + value + ".");
        }
        return value.compareTo(LONGEST) > 0 ? LONGEST : value;
    }

    /**
     * Returns a time in whole milliseconds, rounded up, so that a short one does not become zero.
     *
     * @param name begins the message
     * @throws IllegalArgumentException if it is null or negative
     */
    public static Duration notNegative(String name, Duration value) {
        if (value == null || value.isNegative()) {
            throw new IllegalArgumentException(name + " must be zero or more, not " + value + ".");
        }
        return value.compareTo(LONGEST) > 0
                ? LONGEST
                : Duration.ofMillis(value.plusNanos(999_999).toMillis());
    }
}
