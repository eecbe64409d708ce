// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.Arguments;
import io.sirocco.live.wire.Json;
import io.sirocco.live.wire.Packet;
import io.sirocco.live.wire.Received;
import io.sirocco.live.wire.WireException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A packet that the server has sent, its bytes in place. Immutable.
 *
 * @param data null where there is none
 * @param size what it has cost to carry
 */
record Incoming(Json json, Packet packet, JsonNode data, long size) {

    static Incoming of(Json json, Received received) throws WireException {
        Packet packet = received.packet();
        JsonNode data =
                packet.data().isEmpty() ? null : json.parse(packet.data(), received.attachments());
        boolean event =
                packet.type() == Packet.Type.EVENT || packet.type() == Packet.Type.BINARY_EVENT;
        if (event && (data.isEmpty() || !data.get(0).isString())) {
            throw new WireException("an event without a name");
        }
        return new Incoming(json, packet, data, received.size());
    }

    /** Whether it is an event that wants no answer: only those carry an offset. */
    boolean isPlain() {
        return packet.id() == Packet.NO_ID;
    }

    /** The name of an event. */
    String event() {
        return data.get(0).stringValue();
    }

    /** What follows the name of an event. */
    Arguments arguments() {
        return new Arguments(json.mapper(), data, 1);
    }

    /** All of an answer. */
    Arguments answer() {
        return new Arguments(json.mapper(), data, 0);
    }

    /** The last argument of an event if it is a string: what an offset looks like. */
    Optional<String> lastText() {
        JsonNode last = data.size() < 2 ? null : data.get(data.size() - 1);
        return last != null && last.isString() ? Optional.of(last.stringValue()) : Optional.empty();
    }
}
