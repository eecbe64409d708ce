// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketListener;
import io.sirocco.live.wire.EnginePacket;

/**
 * A WebSocket of a session: that with which it began, or one that wants to take the place of
 * polling. What comes over it is handed to the loop of the session, which is its own in the first
 * case, and becomes its own in the second. Called on its own loop.
 */
final class Line implements WebSocketListener {
    final Home home;
    private final Session session;
    private final boolean first;

    private Line(Session session, Home home, boolean first) {
        this.session = session;
        this.home = home;
        this.first = first;
    }

    /** A session begins with it. */
    static Line first(Session session) {
        return new Line(session, session.home(), true);
    }

    /** It comes later, to this place. */
    static Line later(Session session, Home home) {
        return new Line(session, home, false);
    }

    @Override
    public void onOpen(WebSocket socket) {
        if (first) {
            session.openSocket(socket);
        } else {
            session.run(() -> session.awaitUpgrade(socket));
        }
    }

    @Override
    public void onText(WebSocket socket, String text) {
        session.run(() -> session.receive(this, socket, text));
    }

    @Override
    public void onBinary(WebSocket socket, byte[] bytes) {
        session.run(() -> session.receive(socket, new EnginePacket.Binary(bytes)));
    }

    @Override
    public void onDrained(WebSocket socket) {
        session.flushSocket();
    }

    @Override
    public void onClose(WebSocket socket, WebSocket.Closed closed) {
        session.run(() -> session.lost(socket, closed.code()));
    }
}
