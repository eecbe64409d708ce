// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * A WebSocket (RFC 6455), of a server ({@link Response#webSocket}) or a client ({@link
 * WebSocketClient}). Its messages are received by the {@link WebSocketHandler} or {@link
 * WebSocketListener} that it was opened with; any thread may send.
 *
 * <pre>{@code
 * routes.get("/echo", request -> Response.webSocket(socket -> {
 *     while (socket.receive() instanceof WebSocket.Text(String text)) {
 *         socket.send(text);
 *     }
 * }));
 * }</pre>
 *
 * <p>The output buffer of a socket is bounded by {@link WebSocketSettings#maxPendingBytes}: when it
 * is full, {@link #send} waits and {@link #trySend} returns false. Messages of one thread arrive in
 * the order in which they were sent. Messages sent during one turn of the socket's event loop leave
 * in one write.
 *
 * <p>Any thread, unless a method says otherwise.
 */
public interface WebSocket {

    /** The result of {@link #receive}: a message or the end of the socket. */
    sealed interface Message permits Text, Binary, Closed {}

    /** A text message. Immutable. */
    record Text(String text) implements Message {}

    /** A binary message, whose array belongs to the receiver. */
    record Binary(byte[] bytes) implements Message {}

    /**
     * The end of a socket. Immutable.
     *
     * @param code the close code of the side that closed first (RFC 6455 7.4); 1005 if the peer
     *     sent none, 1006 if the connection was lost
     * @param reason the reason sent with it, or the server's own description; may be empty
     * @param clean whether both sides sent a close frame; otherwise messages may be lost
     */
    record Closed(int code, String reason, boolean clean) implements Message {}

    /**
     * Returns the next message, waiting for it if necessary. Returns a {@link Closed} at the end,
     * and at each further call. Only the thread of a {@link WebSocketHandler} may call this method.
     *
     * @throws IOException if the thread is interrupted, as it is when a stopping server cuts off
     *     the socket
     * @throws IllegalStateException if another thread calls it, or if the socket has a listener
     */
    Message receive() throws IOException;

    /**
     * Sends a text message. Waits while the output buffer is full. A peer that reads nothing within
     * the server's {@linkplain Config#writeTimeout write timeout} is disconnected, which ends the
     * wait.
     *
     * @throws IOException if the socket is closed
     * @throws IllegalStateException if it would have to wait on the event loop, in a listener for
     *     example; use {@link #trySend} there
     */
    void send(String text) throws IOException;

    /**
     * Sends a binary message as {@link #send(String)} does. Do not change the array afterwards.
     *
     * @throws IOException if the socket is closed
     * @throws IllegalStateException if it would have to wait on the event loop
     */
    void send(byte[] bytes) throws IOException;

    /**
     * Sends a prepared message as {@link #send(String)} does.
     *
     * @throws IOException if the socket is closed
     * @throws IllegalStateException if it would have to wait on the event loop
     */
    void send(PreparedMessage message) throws IOException;

    /**
     * Waits while the output buffer is full: for code that makes a large message, or copies one,
     * and would keep it in memory while {@code send} waits.
     *
     * @throws IOException if the socket is closed
     * @throws IllegalStateException if it would have to wait on the event loop
     */
    void awaitRoom() throws IOException;

    /**
     * Sends a text message if the output buffer has room. Never waits.
     *
     * @return whether the message was accepted; false if {@link WebSocketSettings#maxPendingBytes}
     *     bytes or more are pending, in which case {@link WebSocketListener#onDrained} is called
     *     later, or if the socket is closed
     */
    boolean trySend(String text);

    /**
     * Sends a binary message as {@link #trySend(String)} does. Do not change the array afterwards.
     */
    boolean trySend(byte[] bytes);

    /** Sends a prepared message as {@link #trySend(String)} does. */
    boolean trySend(PreparedMessage message);

    /**
     * Sends a ping. The reply is passed to {@link WebSocketListener#onPong}. Not needed to keep the
     * socket open; see {@link WebSocketSettings#ping}. Does nothing if the socket is closed.
     *
     * @throws IllegalArgumentException if the payload is longer than 125 bytes
     */
    void ping(byte[] payload);

    /**
     * Sends a pong that nobody has requested (RFC 6455 5.5.3); pings are answered automatically.
     * Does nothing if the socket is closed.
     *
     * @throws IllegalArgumentException if the payload is longer than 125 bytes
     */
    void pong(byte[] payload);

    /** Closes the socket with code 1000. */
    default void close() {
        close(1000, "");
    }

    /**
     * Sends a close frame after the messages sent before, and refuses later ones. The connection
     * ends when the peer has replied with its close frame, or after {@link
     * WebSocketSettings#closeTimeout}. Does nothing if the socket is closed.
     *
     * @param code 1000 to 1003, 1007 to 1014, or 3000 to 4999
     * @param reason a reason, cut to 123 bytes of UTF-8
     * @throws IllegalArgumentException if the code is another
     */
    void close(int code, String reason);

    /**
     * Stops reading from the peer until {@link #resume}. A listener may still receive messages that
     * have already arrived, unless this is called on its event loop. Not needed in blocking
     * handlers, which do so automatically.
     */
    void pause();

    /** Continues reading from the peer. */
    void resume();

    /** Returns the number of bytes sent that the kernel has not taken yet, including framing. */
    long pending();

    /** Returns whether neither side has closed the socket. */
    boolean isOpen();

    /** Returns the address of the connection's peer, which is a proxy if there is one. */
    SocketAddress remoteAddress();

    /** Returns the negotiated subprotocol; empty if there is none. */
    String subprotocol();

    /** Returns the id of the request that opened the socket, for logs. */
    String id();

    /** Associates an object with this socket, replacing the previous one. */
    void attach(Object attachment);

    /** Returns the object set by {@link #attach}. */
    Optional<Object> attachment();

    /**
     * Runs {@code task} where the listener of this socket is called: on its event loop, shortly.
     * Tasks of one thread run in order and must not block. They do not run after the server has
     * stopped.
     */
    void execute(Runnable task);
}
