// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.loop.LoopTasks;
import io.sirocco.http.ws.Frame;
import io.sirocco.http.ws.Role;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;

/**
 * What the WebSockets of one loop share, of a server or of a client. Loop-confined, unless a method
 * says otherwise.
 */
abstract sealed class WebSocketContext extends LoopTasks permits LoopContext, ClientLoopContext {
    /** Which end of its sockets is ours. */
    final Role role;

    final byte[] frameHead = new byte[Frame.LONGEST_HEAD]; // to be filled and copied at once

    WebSocketContext(Loop loop, Role role) {
        super(loop);
        this.role = role;
    }

    /** A socket is open. */
    abstract void socketOpened();

    /** A socket's connection has gone. */
    abstract void socketClosed(Connection connection, CloseCause cause);

    /** How long a peer may take nothing of what it is sent. */
    abstract long writeMillis();

    /** The key of the next frame; asked of a client only. */
    abstract int nextKey();

    /** A program's code threw. Any thread. */
    abstract void failed(String id, Throwable thrown);
}
