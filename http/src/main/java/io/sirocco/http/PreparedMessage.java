// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.websocket.EncodedMessage;
import io.sirocco.http.websocket.Frame;

/**
 * A message to be sent to many WebSockets. It is encoded once, and compressed once for all sockets
 * without context takeover.
 *
 * <pre>{@code
 * PreparedMessage.text(text).sendTo(room); // any Iterable of WebSockets
 * }</pre>
 *
 * <p>Any thread.
 */
public sealed interface PreparedMessage permits EncodedMessage {
    /** Creates a text message. */
    static PreparedMessage text(String text) {
        return new EncodedMessage(Frame.TEXT, text.getBytes(UTF_8));
    }

    /** Creates a binary message. Do not change the array afterwards. */
    static PreparedMessage binary(byte[] bytes) {
        return new EncodedMessage(Frame.BINARY, bytes);
    }

    /**
     * Sends this message to each of {@code sockets} whose output buffer has room, as {@link
     * WebSocket#trySend(PreparedMessage)} does. Wakes each event loop once, regardless of the
     * number of its sockets.
     *
     * @return the number of sockets that accepted the message
     */
    int sendTo(Iterable<? extends WebSocket> sockets);
}
