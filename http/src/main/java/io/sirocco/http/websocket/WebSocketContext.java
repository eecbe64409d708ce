// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.http.loop.LoopTasks;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;

/**
 * What the WebSockets of one loop share, of a server or of a client. Loop-confined, unless a method
 * says otherwise.
 */
public abstract class WebSocketContext extends LoopTasks {
    /** Which end of its sockets is ours. */
    final Role role;

    final byte[] frameHead = new byte[Frame.LONGEST_HEAD]; // to be filled and copied at once

    public WebSocketContext(Loop loop, Role role) {
        super(loop);
        this.role = role;
    }

    /** A socket is open. */
    public abstract void socketOpened();

    /** A socket's connection has gone. */
    public abstract void socketClosed(Connection connection, CloseCause cause);

    /** How long a peer may take nothing of what it is sent. */
    public abstract long writeMillis();

    /** The key of the next frame; asked of a client only. */
    public abstract int nextKey();

    /** A program's code threw. Any thread. */
    public abstract void failed(String id, Throwable thrown);
}
