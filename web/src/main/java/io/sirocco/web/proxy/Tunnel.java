// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import io.sirocco.net.Protocol;

/**
 * Two connections of one loop behind an upgrade: what comes on either is written to the other.
 *
 * <pre>
 *   opened (101 of the server) ─▶ joined (101 to the client) ─▶ half-closed ─▶ both have ended ─▶ closed
 *             └─ the client is gone, or 10 s pass ───────────────────────────────────────────────────▲
 * </pre>
 *
 * <p>A side whose output waits for its peer stops the input of the other side. The end of one side
 * is passed on behind what it has sent, and the other side goes on; with TLS 1.2, which has no
 * half-closed connections, the end of one side ends both. A reset is passed on. An idle tunnel owns
 * no buffer. Loop-confined.
 */
final class Tunnel implements Protocol {
    private static final long JOIN_MILLIS = 10_000;
    private static final long END_MILLIS = 60_000; // for the output that is left

    private final Connection server;
    private final Upstream upstream;
    private final UpstreamServer to;
    private Connection client; // null until it is joined
    private boolean counted; // as a tunnel and a request in progress
    private byte ended; // number of sides that have ended

    /** A tunnel to a server of an upstream, which waits for its client. */
    Tunnel(Connection server, Upstream upstream, UpstreamServer to) {
        this.server = server;
        this.upstream = upstream;
        this.to = to;
        server.suspend();
    }

    /**
     * Called when the response is on its way to the client. From now on the tunnel is counted in
     * place of its request, to which it keeps no reference.
     */
    void awaitClient() {
        to.tunnels.incrementAndGet();
        counted = true;
        if (server.isOpen()) {
            server.deadline(server.loop().now() + JOIN_MILLIS);
        } else {
            end();
        }
    }

    private void end() {
        if (counted) {
            counted = false;
            to.tunnels.decrementAndGet();
            to.inProgress.decrementAndGet();
            upstream.inProgress.decrementAndGet();
        }
    }

    /** Joins the client's connection, of which it becomes the protocol. */
    Protocol join(Connection connection) {
        client = connection;
        Loop loop = client.loop();
        server.clearDeadline();
        if (!server.isOpen()) {
            loop.execute(client::finish); // it was closed meanwhile
            return this;
        }
        if (server.isInputEnded()) { // or its end follows behind what is kept
            loop.execute(() -> ended(server));
        }
        if (client.isInputEnded()) {
            loop.execute(() -> ended(client));
        }
        server.resume();
        moved();
        return this;
    }

    /** Called when the client has disconnected: aborts a tunnel that it has not joined. */
    void abort() {
        if (client == null) {
            server.abort();
        }
    }

    /** Moves the deadline, since bytes were received or sent, or a side has ended. */
    private void moved() {
        if (ended < 2) {
            UpstreamSettings settings = upstream.settings;
            long idle = settings.tunnelIdleTimeout.toMillis();
            long halfClosed = Math.min(idle, settings.tunnelHalfClosedTimeout.toMillis());
            client.deadline(client.loop().now() + (ended == 0 ? idle : halfClosed));
        }
    }

    private Connection other(Connection connection) {
        return connection == server ? client : server;
    }

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        Connection other = other(connection);
        if (!other.isOpen()) {
            return to;
        }
        other.write(bytes, from, to);
        if (other.isCongested()) {
            connection.suspend();
        }
        moved();
        return to;
    }

    @Override
    public void drained(Connection connection) {
        if (client != null) {
            other(connection).resume();
            moved();
        }
    }

    @Override
    public void ended(Connection connection) {
        Connection other = other(connection);
        if (!connection.canHalfClose() || other != null && !other.canHalfClose()) {
            ended = 2;
        } else if (other == null) {
            return; // join() passes it on
        } else {
            ended++;
        }
        if (ended >= 2) {
            end(connection);
            end(other);
        } else {
            other.endOutput();
            moved();
        }
    }

    private static void end(Connection connection) {
        if (connection != null && connection.isOpen()) {
            connection.deadline(connection.loop().now() + END_MILLIS);
            connection.finish();
        }
    }

    /**
     * Closes both. If one side has ended, resets both: an ordinary end would tell the peers that
     * the data is complete.
     */
    @Override
    public void expired(Connection connection) {
        close(server);
        if (client != null) {
            close(client);
        }
    }

    private void close(Connection connection) {
        if (ended > 0) {
            connection.reset();
        } else {
            connection.abort();
        }
    }

    @Override
    public void closed(Connection connection, CloseCause cause) {
        Connection other = other(connection);
        if (other != null && other.isOpen()) {
            if (cause == CloseCause.FINISHED) {
                end(other);
            } else {
                other.reset();
            }
        }
        end();
    }
}
