// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Position;
import java.util.List;

/**
 * The messages that a room has kept after a position, or before it.
 *
 * @param messages oldest first
 * @param gap whether some are missing that were asked for
 * @param end where to go on
 */
public record History(List<Message> messages, boolean gap, Position end) {}
