// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.wire;

import java.util.Set;

/**
 * A packet of Socket.IO 5, without its attachments:
 *
 * <pre>
 *   2 ["name",1]              an event, in the namespace /
 *   51-/admin,7["name",{"_placeholder":true,"num":0}]
 *   │└ one attachment       │└ JSON
 *   └ a binary event        └ 7: wants an answer
 * </pre>
 *
 * @param namespace begins with a slash
 * @param id of the answer; -1 for none
 * @param attachments how many follow
 * @param data JSON, which nobody has looked into but for its first character; may be empty
 */
public record Packet(Type type, String namespace, long id, int attachments, String data) {
    /** No {@link #id}. */
    public static final long NO_ID = -1;

    /** Names of events that clients and servers tell themselves: they do not travel. */
    public static final Set<String> RESERVED =
            Set.of(
                    "connect",
                    "connect_error",
                    "disconnect",
                    "disconnecting",
                    "newListener",
                    "removeListener");

    private static final int MAX_DIGITS = 15;
    private static final int LONGEST_NAMESPACE = 255;

    /** What it is; its digit is its place here. */
    public enum Type {
        CONNECT,
        DISCONNECT,
        EVENT,
        ACK,
        CONNECT_ERROR,
        BINARY_EVENT,
        BINARY_ACK;

        private static final Type[] ALL = values();

        /** As it travels. */
        public char digit() {
            return (char) ('0' + ordinal());
        }

        /** Whether attachments follow. */
        public boolean binary() {
            return this == BINARY_EVENT || this == BINARY_ACK;
        }
    }

    /** One without an id and without attachments. */
    public static Packet of(Type type, String namespace, String data) {
        return new Packet(type, namespace, NO_ID, 0, data);
    }

    /** An event; {@code data} is a JSON array. */
    public static Packet event(String namespace, long id, int attachments, String data) {
        Type type = attachments == 0 ? Type.EVENT : Type.BINARY_EVENT;
        return new Packet(type, namespace, id, attachments, data);
    }

    /** An answer; {@code data} is a JSON array. */
    public static Packet ack(String namespace, long id, int attachments, String data) {
        Type type = attachments == 0 ? Type.ACK : Type.BINARY_ACK;
        return new Packet(type, namespace, id, attachments, data);
    }

    /** As it travels. */
    @Override
    public String toString() {
        var text = new StringBuilder(data.length() + 16);
        appendTo(text);
        return text.toString();
    }

    /** As it travels. */
    public void appendTo(StringBuilder text) {
        text.append(type.digit());
        if (type.binary()) {
            text.append(attachments).append('-');
        }
        if (!namespace.equals("/")) {
            text.append(namespace).append(',');
        }
        if (id != NO_ID) {
            text.append(id);
        }
        text.append(data);
    }

    /**
     * Reads one.
     *
     * @throws WireException when it is none
     */
    public static Packet parse(String text) throws WireException {
        int digit = text.isEmpty() ? -1 : text.charAt(0) - '0';
        if (digit < 0 || digit >= Type.ALL.length) {
            throw new WireException("a packet of Socket.IO begins with a digit from 0 to 6");
        }
        Type type = Type.ALL[digit];
        int at = 1;
        int attachments = 0;
        if (type.binary()) {
            int end = digits(text, at);
            if (end == at || end - at > 4 || end == text.length() || text.charAt(end) != '-') {
                throw new WireException("a binary packet tells how many attachments follow");
            }
            attachments = Integer.parseInt(text, at, end, 10);
            at = end + 1;
        }
        String namespace = "/";
        if (at < text.length() && text.charAt(at) == '/') {
            int comma = text.indexOf(',', at);
            int end = comma < 0 ? text.length() : comma;
            if (end - at > LONGEST_NAMESPACE) {
                throw new WireException("a namespace has 255 characters at most");
            }
            namespace = text.substring(at, end);
            at = comma < 0 ? end : end + 1;
        }
        int end = digits(text, at);
        if (end - at > MAX_DIGITS) {
            throw new WireException("an id has 15 digits at most");
        }
        long id = end == at ? NO_ID : Long.parseLong(text, at, end, 10);
        var packet = new Packet(type, namespace, id, attachments, text.substring(end));
        packet.check();
        return packet;
    }

    private static int digits(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        return at;
    }

    private void check() throws WireException {
        char first = data.isEmpty() ? 0 : data.charAt(0);
        boolean good =
                switch (type) {
                    case CONNECT -> (first == 0 || first == '{') && id == NO_ID;
                    case DISCONNECT -> first == 0 && id == NO_ID;
                    case EVENT, BINARY_EVENT -> first == '[';
                    case ACK, BINARY_ACK -> first == '[' && id != NO_ID;
                    case CONNECT_ERROR -> (first == '{' || first == '"') && id == NO_ID;
                };
        if (!good) {
            throw new WireException("the data of " + type + " cannot be so");
        }
    }
}
