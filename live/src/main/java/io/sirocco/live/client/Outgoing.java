// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.WebSocket;
import java.util.ArrayDeque;

/**
 * The pieces of packets that a socket has not taken yet. Those of one packet stay together.
 * Loop-confined.
 */
final class Outgoing {
    private static final int BYTES_OF_CHAR = 3; // at most

    private final ArrayDeque<Object> pieces = new ArrayDeque<>(); // strings and arrays of bytes
    private long most = Long.MAX_VALUE;

    /** What the server takes at a time, in bytes. */
    void most(long bytes) {
        most = bytes;
    }

    boolean takes(Message message) {
        if (message.largest() > most) {
            return false;
        }
        String text = message.text();
        return (long) BYTES_OF_CHAR * text.length() <= most || text.getBytes(UTF_8).length <= most;
    }

    void add(String text) {
        pieces.add(text);
    }

    void add(Message message) {
        pieces.add(message.text());
        pieces.addAll(message.attachments());
    }

    /** Before all others: it may stand between the pieces of a packet. */
    void urgent(String text) {
        pieces.addFirst(text);
    }

    boolean isEmpty() {
        return pieces.isEmpty();
    }

    /** Has {@code socket} take what it has room for. */
    void push(WebSocket socket) {
        while (!pieces.isEmpty() && takes(socket, pieces.peek())) {
            pieces.remove();
        }
    }

    private static boolean takes(WebSocket socket, Object piece) {
        return piece instanceof String text ? socket.trySend(text) : socket.trySend((byte[]) piece);
    }
}
