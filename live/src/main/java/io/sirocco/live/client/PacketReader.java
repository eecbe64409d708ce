// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Makes packets of the messages of a connection (the protocol of Socket.IO, revision 5):
 *
 * <pre>
 *   kind ["attachments" -] [/namespace ,] [id] [JSON]      and then as many binary messages
 * </pre>
 *
 * Loop-confined.
 */
final class PacketReader {
    /** Bytes of one packet, beside its text. */
    private static final int MOST_ATTACHMENTS = 16;

    private static final int MOST_DIGITS = 15;

    private final Json json;
    private Packet waiting; // for attachments; null for none
    private int missing;
    private final List<byte[]> attachments = new ArrayList<>(0);
    private int at;

    PacketReader(Json json) {
        this.json = json;
    }

    /** A message of text; empty when its bytes are still to come. */
    Optional<Packet> text(String text) throws MalformedException {
        if (waiting != null) {
            throw new MalformedException("text where bytes were announced");
        }
        Packet packet = parse(text);
        if (missing > 0) {
            waiting = packet;
            return Optional.empty();
        }
        return Optional.of(checked(packet));
    }

    /** A message of bytes; the packet when they are the last of it. */
    Optional<Packet> binary(byte[] bytes) throws MalformedException {
        if (waiting == null) {
            throw new MalformedException("bytes that nothing has announced");
        }
        attachments.add(bytes);
        waiting =
                new Packet(
                        waiting.kind(),
                        waiting.namespace(),
                        waiting.id(),
                        waiting.data(),
                        waiting.size() + bytes.length);
        if (--missing > 0) {
            return Optional.empty();
        }
        Packet whole = waiting;
        waiting = null;
        JsonNode data = json.attach(whole.data(), attachments);
        attachments.clear();
        return Optional.of(
                checked(
                        new Packet(
                                whole.kind().plain(),
                                whole.namespace(),
                                whole.id(),
                                data,
                                whole.size())));
    }

    private Packet parse(String text) throws MalformedException {
        at = 1;
        int digit = text.isEmpty() ? -1 : text.charAt(0) - '0';
        if (digit < 0 || digit >= Packet.Kind.values().length) {
            throw new MalformedException("a packet of no known kind");
        }
        Packet.Kind kind = Packet.Kind.values()[digit];
        missing = 0;
        if (kind.binary()) {
            long count = number(text);
            if (count < 0
                    || count > MOST_ATTACHMENTS
                    || at >= text.length()
                    || text.charAt(at++) != '-') {
                throw new MalformedException("a bad number of attachments");
            }
            missing = (int) count;
        }
        String namespace = namespace(text);
        long id = number(text);
        JsonNode data = at < text.length() ? json.parse(text.substring(at)) : null;
        if (missing == 0) {
            kind = kind.plain();
        }
        return new Packet(kind, namespace, id, data, text.length());
    }

    private String namespace(String text) {
        if (at >= text.length() || text.charAt(at) != '/') {
            return "/";
        }
        int comma = text.indexOf(',', at);
        int end = comma < 0 ? text.length() : comma;
        String whole = text.substring(at, end);
        at = comma < 0 ? end : end + 1;
        int query = whole.indexOf('?');
        return query < 0 ? whole : whole.substring(0, query);
    }

    /** Digits, if there are any. */
    private long number(String text) throws MalformedException {
        int from = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at - from > MOST_DIGITS) {
            throw new MalformedException("a number that is too long");
        }
        return at == from ? Packet.NO_ID : Long.parseLong(text, from, at, 10);
    }

    private static Packet checked(Packet packet) throws MalformedException {
        JsonNode data = packet.data();
        boolean fits =
                switch (packet.kind()) {
                    case CONNECT -> data == null || data.isObject();
                    case DISCONNECT -> data == null;
                    case CONNECT_ERROR -> data != null && (data.isObject() || data.isString());
                    case EVENT ->
                            data != null
                                    && data.isArray()
                                    && !data.isEmpty()
                                    && data.get(0).isString();
                    case ANSWER -> data != null && data.isArray() && packet.id() != Packet.NO_ID;
                    case BINARY_EVENT, BINARY_ANSWER -> false;
                };
        if (!fits) {
            throw new MalformedException("a packet " + packet.kind() + " with the wrong data");
        }
        return packet;
    }
}
