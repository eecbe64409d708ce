// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

/**
 * Serves WebSockets with callbacks. A socket with a listener uses no thread and no buffer while it
 * is idle. One listener may serve any number of sockets; calls for one socket never overlap.
 *
 * <pre>{@code
 * WebSocketListener echo = new WebSocketListener() {
 *     @Override
 *     public void onText(WebSocket socket, String text) {
 *         socket.trySend(text);
 *     }
 * };
 * routes.get("/echo", request -> Response.webSocket(echo));
 * }</pre>
 *
 * <p>An exception that a method throws is reported to {@link Monitor#handlerFailed}, and closes the
 * socket with 1011. While the output buffer of a socket is full, the server does not read from its
 * peer.
 *
 * <p>Methods are called on the socket's event loop and must not block. A listener that blocks its
 * loop for more than 20 ms is called on virtual threads of the JDK's scheduler from then on, one
 * call at a time for each socket, unless its route is {@link ExecutionMode#LOOP} or {@link
 * ExecutionMode#INLINE}.
 */
public interface WebSocketListener {

    /**
     * Called instead of all others when no socket opens: the handshake was refused, or the client
     * had gone, or the response came too late. An exception is logged. Not called for a response
     * that a filter has replaced.
     */
    default void onRefused() {}

    /** Called first, when the socket is open. */
    default void onOpen(WebSocket socket) {}

    /** Called for each text message. */
    default void onText(WebSocket socket, String text) {}

    /** Called for each binary message, whose array belongs to the listener. */
    default void onBinary(WebSocket socket, byte[] bytes) {}

    /** Called for each ping, which was answered already. */
    default void onPing(WebSocket socket, byte[] payload) {}

    /** Called for each pong, requested or not. */
    default void onPong(WebSocket socket, byte[] payload) {}

    /**
     * Called when half of the output buffer is free again, after {@link WebSocket#trySend} has
     * returned false.
     */
    default void onDrained(WebSocket socket) {}

    /** Called exactly once, as the last callback, however the socket ends. */
    default void onClose(WebSocket socket, WebSocket.Closed closed) {}
}
