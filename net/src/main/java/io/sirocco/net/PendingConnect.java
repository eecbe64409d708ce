// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.limit.Ip;
import io.sirocco.net.transport.ConnectingSocket;
import io.sirocco.net.transport.ConnectionOrigin;
import io.sirocco.net.transport.TransportConnect;
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
final class PendingConnect extends Timer implements TransportConnect {
    private final Loop loop;
    private final Destination to;
    private ConnectingSocket socket; // null before and after
    private final Connects connects;
    private final Connector connector;
    private IOException given; // why it was given up
    private boolean over;

    PendingConnect(Connects connects, Destination to, Connector connector) {
        this.connects = connects;
        this.loop = connects.loop();
        this.to = to;
        this.connector = connector;
    }

    void begin() {
        loop.timers().arm(this, loop.now() + to.timeoutMillis());
        try {
            socket = loop.ownTransport().connect(this);
        } catch (IOException | RuntimeException e) {
            loop.execute(() -> failed(e.getMessage()));
        } catch (OutOfMemoryError e) { // without heap for the task, too, its timeout ends it
            loop.failed(e);
            loop.execute(() -> failed("out of memory"));
        }
    }

    @Override
    public Destination to() {
        return to;
    }

    @Override
    public ConnectionOrigin origin() {
        return connects;
    }

    @Override
    public void connected(Connection connection) {
        end();
        loop.connected(connection);
        connection.start(connector::connected);
    }

    @Override
    public void failed(String reason) {
        if (!over) {
            end();
            IOException why =
                    given != null
                            ? given
                            : new ConnectException(
                                    "cannot connect to " + Ip.text(to.address()) + ": " + reason);
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
                        Ip.text(to.address())
                                + " has not answered for "
                                + to.timeoutMillis()
                                + " ms"));
    }

    void giveUp(IOException why) {
        if (given == null) {
            given = why;
            if (socket != null) {
                socket.cancel();
            } else {
                failed(why.getMessage()); // it could not even begin
            }
        }
    }

    /** Fails without waiting for the transport, since the loop has died. */
    void lost() {
        try {
            giveUp(new LoopStoppedException());
        } finally {
            failed("the loop has died");
        }
    }

    private void end() {
        over = true;
        socket = null;
        loop.timers().cancel(this);
        connects.over(this);
    }
}
