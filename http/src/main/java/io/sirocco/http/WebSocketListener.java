// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/**
 * Is told what happens on WebSockets, on the loop of each: must not block. One listener may serve
 * any number of sockets, which cost no thread and no buffer while they are idle. What a method
 * throws is reported to {@link Monitor#handlerFailed}, and its socket is closed with 1011.
 *
 * <p>While the peer does not take what it is sent, nothing is read from it either. Loop-confined,
 * to the loop of each socket.
 */
public interface WebSocketListener {

    /** It is open. */
    default void onOpen(WebSocket socket) {}

    /** A message of text has come. */
    default void onText(WebSocket socket, String text) {}

    /** A message of bytes has come, which are the listener's own. */
    default void onBinary(WebSocket socket, byte[] bytes) {}

    /** A pong has come, asked for or not; pings are answered without anybody's help. */
    default void onPong(WebSocket socket, byte[] payload) {}

    /** A send was refused, and half of what may be pending is free again. */
    default void onDrained(WebSocket socket) {}

    /** It has come to its end. Called exactly once, last. */
    default void onClose(WebSocket socket, WebSocket.Closed closed) {}
}
