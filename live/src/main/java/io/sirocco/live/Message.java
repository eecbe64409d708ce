// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Position;

/**
 * A message of a history.
 *
 * @param position its place in the order of all messages
 * @param event its name
 * @param arguments what came with it
 */
public record Message(Position position, String event, Arguments arguments) {}
