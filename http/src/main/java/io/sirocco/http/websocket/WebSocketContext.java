// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.websocket;

import io.sirocco.http.loop.LoopTasks;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;

/**
 * The context that the WebSockets of one loop share, of a server or a client. Loop-confined, unless
 * a method says otherwise.
 */
public abstract class WebSocketContext extends LoopTasks {
    /** Our end of the sockets. */
    final Role role;

    final byte[] frameHead = new byte[Frame.LONGEST_HEAD]; // to be filled and copied at once

    public WebSocketContext(Loop loop, Role role) {
        super(loop);
        this.role = role;
    }

    /** Called when a socket is open. */
    public abstract void socketOpened();

    /** Called when the connection of a socket is gone. */
    public abstract void socketClosed(Connection connection, CloseCause cause);

    /**
     * Returns the milliseconds for which a peer may read nothing of what it is sent; 0 for ever.
     */
    public abstract long writeMillis();

    /** Returns the masking key of the next frame. Clients only. */
    public abstract int nextKey();

    /** Called when a listener or handler throws. Any thread. */
    public abstract void failed(String id, Throwable thrown);
}
