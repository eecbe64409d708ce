// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;

/**
 * Serves a WebSocket with blocking code, on a virtual thread of its own. See {@link
 * Response#webSocket(WebSocketHandler)}.
 */
@FunctionalInterface
public interface WebSocketHandler {

    /**
     * Receives and sends messages, and may block. The socket is closed with 1000 when this method
     * returns, with 1011 when it throws.
     *
     * @throws IOException when the socket is closed, which ends the handler silently
     * @throws InterruptedException when the socket is cut off by a stopping server
     */
    void handle(WebSocket socket) throws IOException, InterruptedException;
}
