// SPDX-License-Identifier: Apache-2.0
package io.sirocco.ring;

import java.nio.ByteBuffer;

/**
 * What a WebSocket's listener is called with, in the terms of Ring. Calls for one socket never
 * overlap, and may block.
 */
public interface WebSocketCallbacks {
    /** Called instead of all others when the socket does not open. Must not block. */
    default void refused() {}

    /** Called first. */
    void open(RingSocket socket) throws Exception;

    /** Called for each message: a {@code String} or a {@code ByteBuffer}. */
    void message(RingSocket socket, Object message) throws Exception;

    /** Called for each ping, which was answered already. */
    void ping(RingSocket socket, ByteBuffer data) throws Exception;

    /** Called for each pong. */
    void pong(RingSocket socket, ByteBuffer data) throws Exception;

    /** Called when another callback has thrown an exception; the socket is closed with 1011. */
    void error(RingSocket socket, Throwable thrown) throws Exception;

    /** Called last. */
    void close(RingSocket socket, int code, String reason) throws Exception;
}
