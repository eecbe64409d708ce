// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.wire;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Packets in one body of long polling: text, with a record separator between two of them, and bytes
 * as {@code b} and Base64.
 */
public final class Payload {
    private static final char SEPARATOR = 0x1e;

    private Payload() {}

    /**
     * Reads a body.
     *
     * @throws WireException when one of its packets is none
     */
    public static List<EnginePacket> parse(String body) throws WireException {
        var packets = new ArrayList<EnginePacket>();
        int from = 0;
        while (true) {
            int end = body.indexOf(SEPARATOR, from);
            packets.add(packet(body.substring(from, end < 0 ? body.length() : end)));
            if (end < 0) {
                return packets;
            }
            from = end + 1;
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
