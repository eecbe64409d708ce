// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;

/**
 * Packets in one body of long polling: text, with a record separator between two of them, and bytes
 * as {@code b} and Base64.
 */
public final class Payload {
    private static final char SEPARATOR = 0x1e;

    private Payload() {}

    /**
     * The packets of one body, each parsed when it is asked for: a body of a megabyte may hold
     * 100,000 of them. Used by one thread.
     */
    public static final class Packets {
        private final byte[] body;
        private final int length;
        private int at;

        /** Reads {@code body[0..length)}, UTF-8. */
        public Packets(byte[] body, int length) {
            this.body = body;
            this.length = length;
        }

        /** Returns whether there is another one; an empty body has one that cannot be parsed. */
        public boolean hasNext() {
            return at <= length;
        }

        /**
         * Parses the next one.
         *
         * @throws WireException when it is malformed
         */
        public EnginePacket next() throws WireException {
            int end = at;
            while (end < length && body[end] != SEPARATOR) {
                end++;
            }
            var text = new String(body, at, end - at, UTF_8);
            at = end + 1;
            return packet(text);
        }
    }

    private static EnginePacket packet(String text) throws WireException {
        if (!text.startsWith("b")) {
            return EnginePacket.parse(text);
        }
        try {
            return new EnginePacket.Binary(Base64.getDecoder().decode(withoutBreaks(text)));
        } catch (IllegalArgumentException e) {
            throw new WireException("a binary packet in a payload is b and Base64");
        }
    }

    /** The client of Java breaks lines, and ends with a break. */
    private static String withoutBreaks(String text) {
        String base64 = text.substring(1);
        return base64.indexOf('\n') < 0 ? base64 : base64.replace("\r", "").replace("\n", "");
    }

    /** Adds a packet of text, digit and all. */
    public static void add(StringBuilder body, String packet) {
        separate(body).append(packet);
    }

    /** Adds bytes. */
    public static void add(StringBuilder body, byte[] bytes) {
        separate(body).append('b').append(Base64.getEncoder().encodeToString(bytes));
    }

    private static StringBuilder separate(StringBuilder body) {
        return body.isEmpty() ? body : body.append(SEPARATOR);
    }
}
