// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import java.io.IOException;

/** Talks over a WebSocket for as long as it runs, on a virtual thread of its own. */
@FunctionalInterface
public interface WebSocketHandler {

    /**
     * Receives and sends as it likes, and may block. When it returns the socket is closed with
     * 1000; when it throws, with 1011.
     *
     * @throws IOException when the socket is closed, which ends the conversation quietly
     * @throws InterruptedException when the server is cut off
     */
    void talk(WebSocket socket) throws IOException, InterruptedException;
}
