// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.List;

/**
 * Messages of the past, oldest first.
 *
 * @param messages what is left of them
 * @param gap whether some are missing that were asked for
 * @param end where to go on
 */
public record Replay(List<Message> messages, boolean gap, Position end) {

    /** One of them. */
    public record Message(Position position, Publication publication) {}
}
