// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.linux.SocketAddresses;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;

/**
 * A connection that is being opened.
 *
 * <pre>
 *   begin -> the transport tries -> connected             the connector has a connection
 *                              \--> failed                the transport says why
 *              giveUp -> the transport cancels -> failed  our own reason: too late, or stopping
 * </pre>
 *
 * Loop-confined.
 */
final class PendingConnect extends Timer {
    final Loop loop;
    final Destination to;

    /** What the transport knows it by. */
    Object handle;

    private final Connects outgoing;
    private final Connector connector;
    private IOException given; // why it was given up
    private boolean over;

    PendingConnect(Connects outgoing, Destination to, Connector connector) {
        this.outgoing = outgoing;
        this.loop = outgoing.loop;
        this.to = to;
        this.connector = connector;
    }

    void begin() {
        loop.timers().arm(this, loop.now() + to.timeoutMillis());
        try {
            loop.poller().connect(this);
        } catch (IOException | RuntimeException e) {
            loop.execute(() -> failed(e.getMessage()));
        }
    }

    /** Its connection: told by the transport. */
    Connection connection(Object place, int slot) {
        return new Connection(outgoing, place, slot);
    }

    void connected(Connection connection) {
        end();
        loop.connected(connection);
        connection.start(connector::connected);
    }

    void failed(String reason) {
        if (!over) {
            end();
            IOException why =
                    given != null
                            ? given
                            : new ConnectException(
                                    "cannot connect to "
                                            + SocketAddresses.show(to.address())
                                            + ": "
                                            + reason);
            try {
                connector.failed(why);
            } catch (Throwable e) {
                loop.failed(e);
            }
        }
    }

    @Override
    void fire() {
        giveUp(
                new SocketTimeoutException(
                        SocketAddresses.show(to.address())
                                + " has not answered for "
                                + to.timeoutMillis()
                                + " ms"));
    }

    void giveUp(IOException why) {
        if (given == null) {
            given = why;
            loop.poller().cancel(this);
        }
    }

    private void end() {
        over = true;
        loop.timers().cancel(this);
        outgoing.over(this);
    }
}
