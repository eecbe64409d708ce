// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.ws.Frame;
import io.sirocco.http.ws.Role;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.concurrent.RejectedExecutionException;

/**
 * What the WebSockets of one loop share, of a server or of a client. Loop-confined, unless a method
 * says otherwise.
 */
abstract sealed class Hub permits Worker, ClientHub {
    private static final LazyLogger LOG = LazyLogger.of(Hub.class);

    final Loop loop;

    /** Which end of its sockets is ours. */
    final Role role;

    final byte[] frameHead = new byte[Frame.LONGEST_HEAD]; // to be filled and copied at once

    Hub(Loop loop, Role role) {
        this.loop = loop;
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

    boolean isLoopThread() {
        return loop.inLoop() && !Thread.currentThread().isVirtual();
    }

    /**
     * Has the loop run {@code task}; answers whether it will: not after the loop's end, when nobody
     * needs it, but somebody may wait for it. Any thread.
     */
    boolean execute(Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.get().log(Level.DEBUG, "too late: {0}", e.getMessage());
            return false;
        }
    }
}
