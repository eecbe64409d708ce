// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.websocket.EncodedMessage;
import io.sirocco.http.websocket.Frame;

/**
 * A message for many WebSockets: encoded once, and compressed once for all of them that keep no
 * context. Any thread.
 */
public sealed interface PreparedMessage permits EncodedMessage {
    /** A message of text. */
    static PreparedMessage text(String text) {
        return new EncodedMessage(Frame.TEXT, text.getBytes(UTF_8));
    }

    /** A message of bytes, which must not change any more. */
    static PreparedMessage binary(byte[] bytes) {
        return new EncodedMessage(Frame.BINARY, bytes);
    }

    /**
     * Sends it to each of {@code sockets} that has room for it, as {@link
     * WebSocket#trySend(PreparedMessage)} does, and wakes each of their loops once.
     *
     * @return how many have taken it
     */
    int sendTo(Iterable<? extends WebSocket> sockets);
}
