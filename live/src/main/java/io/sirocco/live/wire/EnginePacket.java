// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.wire;

/**
 * A packet of Engine.IO 4: a digit and text, or bytes, which are always a message. Over a WebSocket
 * each is a frame of its own; in a poll they stand in a {@link Payload}. Immutable.
 */
public sealed interface EnginePacket {

    /** One of text. */
    record Text(Kind kind, String data) implements EnginePacket {

        /** As it travels. */
        @Override
        public String toString() {
            return kind.digit() + data;
        }
    }

    /** A message of bytes. */
    record Binary(byte[] bytes) implements EnginePacket {}

    /** What a packet is for; its digit is its place here. */
    enum Kind {
        OPEN,
        CLOSE,
        PING,
        PONG,
        MESSAGE,
        UPGRADE,
        NOOP;

        private static final Kind[] ALL = values();

        /** As it travels. */
        public char digit() {
            return (char) ('0' + ordinal());
        }
    }

    /**
     * Reads one of text.
     *
     * @throws WireException when it is none
     */
    static Text parse(String text) throws WireException {
        int kind = text.isEmpty() ? -1 : text.charAt(0) - '0';
        if (kind < 0 || kind >= Kind.ALL.length) {
            throw new WireException("a packet of Engine.IO begins with a digit from 0 to 6");
        }
        return new Text(Kind.ALL[kind], text.substring(1));
    }
}
