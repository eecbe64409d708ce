// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * A WebSocket (RFC 6455), open from the answer of {@link Response#webSocket} on. Messages come to
 * the {@link WebSocketHandler} or to the {@link WebSocketListener} that it was opened with; anybody
 * may send.
 *
 * <p>What the peer has not taken yet is pending, and bounded by {@link
 * WebSocketSettings#maxPendingBytes}. When that is reached {@link #send} waits and {@link #trySend}
 * refuses. Messages of one thread arrive in their order. What is sent within one turn of the
 * socket's loop leaves in one write. Any thread, unless a method says otherwise.
 */
public interface WebSocket {

    /** What {@link #receive} answers. */
    sealed interface Message permits Text, Binary, Closed {}

    /** A message of text. */
    record Text(String text) implements Message {}

    /** A message of bytes, which are the receiver's own. */
    record Binary(byte[] bytes) implements Message {}

    /**
     * The end.
     *
     * @param code of whoever closed first (RFC 6455 7.4); 1005 when the peer gave none, 1006 when
     *     the connection was lost
     * @param reason that came with it, or that we have for it; may be empty
     * @param clean whether both sides have said good-bye; otherwise messages may be lost
     */
    record Closed(int code, String reason, boolean clean) implements Message {}

    /**
     * The next message; waits for it. Behind the last one comes {@link Closed}, at every further
     * call too. Only the thread of a {@link WebSocketHandler} may call this.
     *
     * @throws IOException when the thread is interrupted, as it is when the server is cut off
     */
    Message receive() throws IOException;

    /**
     * Sends text. Waits while too much is {@linkplain #pending pending}; a peer that takes nothing
     * for the server's write deadline is given up, which ends the wait.
     *
     * @throws IOException when the socket is closed
     * @throws IllegalStateException when it would have to wait on the loop, in a listener: that is
     *     what {@link #trySend} is for
     */
    void send(String text) throws IOException;

    /** The same with bytes, which must not change any more. */
    void send(byte[] bytes) throws IOException;

    /** The same with a message that was prepared for many. */
    void send(PreparedMessage message) throws IOException;

    /**
     * Sends text if there is room for it; never waits.
     *
     * @return whether it will be sent: false when {@link WebSocketSettings#maxPendingBytes} bytes
     *     or more are pending, of whose end {@link WebSocketListener#onDrained} tells, and when the
     *     socket is closed
     */
    boolean trySend(String text);

    /** The same with bytes, which must not change any more. */
    boolean trySend(byte[] bytes);

    /** The same with a message that was prepared for many. */
    boolean trySend(PreparedMessage message);

    /**
     * Sends a ping of at most 125 bytes; {@link WebSocketListener#onPong} has the answer. Nobody
     * need do so to keep the socket open: see {@link WebSocketSettings#ping}.
     */
    void ping(byte[] payload);

    /** Closes with 1000. */
    default void close() {
        close(1000, "");
    }

    /**
     * Says good-bye behind what was sent before, and refuses what is sent from now on. The
     * connection ends when the peer has said so as well, or {@link WebSocketSettings#closeTimeout}
     * has passed. Does nothing when it is closed already.
     *
     * @param code 1000 to 1003, 1007 to 1014, or 3000 to 4999
     * @param reason at most 123 bytes of it are sent
     * @throws IllegalArgumentException for another code
     */
    void close(int code, String reason);

    /**
     * Reads no more from the peer until {@link #resume}; a listener may be told of what has come
     * already, when this is called elsewhere than on its loop. A conversation does both by itself.
     */
    void pause();

    /** Reads again. */
    void resume();

    /** Bytes that were sent and that the kernel has not taken yet, frames and all. */
    long pending();

    /** Whether neither side has closed it. */
    boolean isOpen();

    /** The peer's address: that of a proxy if there is one. */
    SocketAddress remoteAddress();

    /** The sub-protocol that was agreed on; empty for none. */
    String subprotocol();

    /** Names it in logs: the id of the request that opened it. */
    String id();

    /** Attaches something of the program's own, in the place of what was attached before. */
    void attach(Object attachment);

    /** What was attached last. */
    Optional<Object> attachment();

    /**
     * Runs {@code task} where a listener is called: on the socket's loop, soon. Tasks of one thread
     * run in their order; none may block. Nothing runs when the server has ended.
     */
    void execute(Runnable task);
}
