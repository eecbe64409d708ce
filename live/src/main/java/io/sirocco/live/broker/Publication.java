// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.List;
import java.util.Set;

/**
 * A message, and whom it is for.
 *
 * @param namespace of the clients
 * @param rooms the destinations, each an {@link Address}: it goes to the clients in one of these
 *     rooms, and to the clients named, once; to all of the namespace where there is none
 * @param except the ids of clients who do not get it
 * @param event a packet of Socket.IO as text, without an offset
 * @param attachments its bytes, in order; nobody changes them
 * @param kept whether it is for {@link Broker#replay} too
 * @param histories of its rooms, those that keep a history, and how much
 */
public record Publication(
        String namespace,
        Set<String> rooms,
        Set<String> except,
        String event,
        List<byte[]> attachments,
        boolean kept,
        List<Bounds> histories) {

    /**
     * How much of a history is kept.
     *
     * @param room which one
     * @param messages at most so many
     * @param millis and none that is older
     */
    public record Bounds(String room, int messages, long millis) {}
}
