// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.live.wire.EnginePacket;

/**
 * A WebSocket that wants to take the place of polling, or has. Its calls come on its own loop, and
 * are handed to that of the session, until the session has moved here. Any thread.
 */
final class Candidate implements WebSocketListener {
    final Home home;
    private final Session session;

    Candidate(Session session, Home home) {
        this.session = session;
        this.home = home;
    }

    @Override
    public void onOpen(WebSocket socket) {
        session.run(() -> session.awaitUpgrade(socket));
    }

    @Override
    public void onText(WebSocket socket, String text) {
        if (session.loop().inLoop()) {
            session.receive(this, socket, text);
        } else {
            session.run(() -> session.receive(this, socket, text));
        }
    }

    @Override
    public void onBinary(WebSocket socket, byte[] bytes) {
        session.run(() -> session.receive(socket, new EnginePacket.Binary(bytes)));
    }

    @Override
    public void onDrained(WebSocket socket) {
        session.onDrained(socket);
    }

    @Override
    public void onClose(WebSocket socket, WebSocket.Closed closed) {
        session.onClose(socket, closed);
    }
}
