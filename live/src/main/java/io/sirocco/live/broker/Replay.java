// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.List;

/**
 * Messages of the past, oldest first.
 *
 * @param messages what is left of them
 * @param gap whether some are missing that were asked for
 * @param end where to go on
 * @param more whether this is a part of them, and another begins behind {@code end}
 */
public record Replay(List<Message> messages, boolean gap, Position end, boolean more) {

    /** All of them. */
    public Replay(List<Message> messages, boolean gap, Position end) {
        this(messages, gap, end, false);
    }

    /** One of them. */
    public record Message(Position position, Publication publication) {}
}
