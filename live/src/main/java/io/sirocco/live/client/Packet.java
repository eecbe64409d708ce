// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A packet of Socket.IO 5, its bytes in place.
 *
 * @param id of the answer that is wanted, or that this is; {@link #NO_ID} for none
 * @param data an array for events and answers; null where there is none
 * @param size what it has cost to carry
 */
record Packet(Kind kind, String namespace, long id, JsonNode data, long size) {
    static final long NO_ID = -1;

    /** As they stand on the wire: a digit, which is the ordinal. */
    enum Kind {
        CONNECT,
        DISCONNECT,
        EVENT,
        ANSWER,
        CONNECT_ERROR,
        BINARY_EVENT,
        BINARY_ANSWER;

        boolean binary() {
            return this == BINARY_EVENT || this == BINARY_ANSWER;
        }

        /** Without regard to attachments. */
        Kind plain() {
            return switch (this) {
                case BINARY_EVENT -> EVENT;
                case BINARY_ANSWER -> ANSWER;
                default -> this;
            };
        }
    }

    /** The name of an event. */
    String event() {
        return data.get(0).stringValue();
    }

    /** What follows the name of an event; all of an answer. */
    List<JsonNode> values() {
        List<JsonNode> all = data.valueStream().toList();
        return kind == Kind.EVENT ? all.subList(1, all.size()) : all;
    }

    /** The text of a packet, behind the {@code 4} of Engine.IO for a message. */
    static String encode(Kind kind, String namespace, long id, String json, int attachments) {
        var text = new StringBuilder(16 + namespace.length() + json.length());
        boolean binary = attachments > 0;
        int digit =
                !binary
                        ? kind.ordinal()
                        : (kind == Kind.EVENT ? Kind.BINARY_EVENT : Kind.BINARY_ANSWER).ordinal();
        text.append('4').append(digit);
        if (binary) {
            text.append(attachments).append('-');
        }
        if (!namespace.equals("/")) {
            text.append(namespace).append(',');
        }
        if (id != NO_ID) {
            text.append(id);
        }
        return text.append(json).toString();
    }
}
