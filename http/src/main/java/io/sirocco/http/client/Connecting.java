// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.net.Connection;
import io.sirocco.net.Connector;
import io.sirocco.net.Destination;
import io.sirocco.net.Loop;
import io.sirocco.net.LoopStoppedException;
import io.sirocco.net.Protocol;
import io.sirocco.net.TlsHandshakeTimeoutException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLException;

/**
 * Opens a connection: tries the addresses of its host one after the other, with TLS if the origin
 * is secure. Loop-confined, but for the look-up of the name, which has a virtual thread.
 */
final class Connecting implements Connector {
    private static final int MAX_ADDRESSES = 8;

    private final OriginPool originPool;
    private final HttpOrigin origin;
    private final Loop loop;
    private final ArrayDeque<SocketAddress> addresses = new ArrayDeque<>();
    private boolean over;

    Connecting(OriginPool originPool) {
        this.originPool = originPool;
        this.origin = originPool.origin;
        this.loop = originPool.pool.loop;
    }

    /** Begins. The result arrives in a later task of the loop. */
    void begin() {
        if (origin.address().isPresent()) {
            addresses.add(origin.address().get());
            loop.execute(this::next);
            return;
        }
        try {
            origin.literal()
                    .ifPresentOrElse(
                            address -> loop.execute(() -> resolved(List.of(address))),
                            () -> Thread.ofVirtual().start(this::lookUp)); // which may block
        } catch (IllegalArgumentException e) {
            loop.execute(() -> unknown(e));
        }
    }

    private void lookUp() {
        try {
            InetAddress[] all = InetAddress.getAllByName(origin.host());
            List<InetAddress> some = new ArrayList<>(List.of(all));
            onLoop(() -> resolved(some.subList(0, Math.min(MAX_ADDRESSES, some.size()))));
        } catch (UnknownHostException | RuntimeException e) { // of a resolver of the program
            onLoop(() -> unknown(e));
        }
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            loop.whenEnded(originPool.pool::stopped); // until then its thread touches the pool
        }
    }

    private void unknown(Throwable cause) {
        fail(Reason.UNKNOWN_HOST, "no address is known for " + origin.host(), cause);
    }

    private void resolved(List<InetAddress> found) {
        found.forEach(address -> addresses.add(new InetSocketAddress(address, origin.port())));
        next();
    }

    private void next() {
        if (originPool.pool.closed) {
            fail(Reason.CLIENT_CLOSED, "the client is closed", null);
            return;
        }
        SocketAddress address = addresses.poll();
        HttpClientSettings.Frozen settings = originPool.pool.settings;
        try {
            Connector connector = this;
            if (origin.secure()) {
                List<String> protocols = List.of("http/1.1");
                connector = originPool.pool.tls().to(origin.host(), origin.port(), protocols, this);
            }
            loop.connect(Destination.of(address).withTimeout(settings.connect()), connector);
        } catch (RejectedExecutionException e) {
            stopped(e);
        } catch (RuntimeException e) {
            fail(Reason.CONNECT_FAILED, "it cannot be connected: " + e.getMessage(), e);
        }
    }

    @Override
    public Protocol connected(Connection connection) {
        over = true;
        ClientConnection opened = originPool.opened(connection);
        originPool.released(opened);
        return opened;
    }

    @Override
    public void failed(IOException why) {
        switch (why) {
            case LoopStoppedException e -> stopped(e);
            case TlsHandshakeTimeoutException e -> fail(Reason.TLS_TIMEOUT, e.getMessage(), e);
            case SSLException e -> fail(Reason.TLS_FAILED, e.getMessage(), e);
            case IOException _ when !addresses.isEmpty() -> next();
            case SocketTimeoutException e -> fail(Reason.CONNECT_TIMEOUT, e.getMessage(), e);
            default -> fail(Reason.CONNECT_FAILED, why.getMessage(), why);
        }
    }

    private void stopped(Exception why) {
        originPool.pool.stopped();
        fail(Reason.CLIENT_CLOSED, "the loop of the client has stopped", why);
    }

    private void fail(Reason reason, String why, Throwable cause) {
        if (!over) {
            over = true;
            originPool.failedToOpen(reason, why, cause);
        }
    }
}
