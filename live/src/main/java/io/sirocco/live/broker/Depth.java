// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.time.Duration;

/**
 * How much of the past a broker keeps for {@link Broker#replay}. What goes beyond any of the three
 * is forgotten, the oldest first. Immutable.
 *
 * @param messages at most so many
 * @param bytes and no more than that, roughly; of the newest message at least
 * @param age and none that is older
 */
public record Depth(int messages, long bytes, Duration age) {

    /**
     * 100,000 messages, ten minutes, and 64 MiB or an eighth of the largest heap if that is less.
     */
    public static final Depth DEFAULT =
            new Depth(
                    100_000,
                    Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 8),
                    Duration.ofMinutes(10));

    /**
     * Refuses what makes no sense.
     *
     * @throws IllegalArgumentException when one of them is not above zero
     */
    public Depth {
        if (messages < 1 || bytes < 1 || !age.isPositive()) {
            throw new IllegalArgumentException(
                    "A depth is at least one message, one byte and some time, not "
                            + messages
                            + ", "
                            + bytes
                            + ", "
                            + age
                            + ".");
        }
    }
}
