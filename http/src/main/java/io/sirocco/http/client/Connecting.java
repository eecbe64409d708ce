// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.net.Connection;
import io.sirocco.net.Connector;
import io.sirocco.net.Destination;
import io.sirocco.net.Loop;
import io.sirocco.net.Protocol;
import io.sirocco.net.ScheduledTask;
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
 * A connection on its way: the addresses of its host are tried one after the other, with TLS where
 * that is spoken. Loop-confined, but for the look-up of the name, which has a virtual thread.
 */
final class Connecting implements Connector {
    private static final int MOST_ADDRESSES = 8;

    /** What a loop says of attempts that it gives up at its end. */
    private static final String STOPPING = "the loop is stopping";

    private final OriginPool home;
    private final HttpOrigin origin;
    private final Loop loop;
    private final ArrayDeque<SocketAddress> addresses = new ArrayDeque<>();
    private ScheduledTask handshake; // null unless one is under way
    private boolean late; // the handshake was
    private boolean over;

    Connecting(OriginPool home) {
        this.home = home;
        this.origin = home.origin;
        this.loop = home.pool.loop;
    }

    /** Never calls back from within. */
    void begin() {
        if (origin.address().isPresent()) {
            addresses.add(origin.address().get());
            loop.execute(this::next);
        } else if (isLiteral(origin.host())) {
            loop.execute(
                    () -> {
                        try {
                            resolved(List.of(InetAddress.ofLiteral(unbracketed(origin.host()))));
                        } catch (IllegalArgumentException e) {
                            unknown(e);
                        }
                    });
        } else {
            Thread.ofVirtual().start(this::resolve); // that may take its time
        }
    }

    private static boolean isLiteral(String host) {
        return host.startsWith("[") || host.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private void resolve() {
        try {
            InetAddress[] all = InetAddress.getAllByName(origin.host());
            List<InetAddress> some = new ArrayList<>(List.of(all));
            loop.execute(() -> resolved(some.subList(0, Math.min(MOST_ADDRESSES, some.size()))));
        } catch (UnknownHostException e) {
            onLoop(() -> unknown(e));
        } catch (RejectedExecutionException e) {
            home.pool.stopped(); // no other thread touches what was the loop's
        }
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            home.pool.stopped();
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
        if (home.pool.closed) {
            fail(Reason.CLIENT_CLOSED, "the client is closed", null);
            return;
        }
        SocketAddress address = addresses.poll();
        HttpClientSettings.Frozen settings = home.pool.settings;
        try {
            Connector connector = this;
            if (origin.secure()) {
                connector =
                        new Securing(
                                home.pool
                                        .tls()
                                        .to(
                                                origin.host(),
                                                origin.port(),
                                                List.of("http/1.1"),
                                                this));
            }
            loop.connect(Destination.of(address).withTimeout(settings.connect()), connector);
        } catch (RejectedExecutionException e) {
            home.pool.stopped();
            fail(Reason.CLIENT_CLOSED, "the loop of the client has stopped", e);
        } catch (RuntimeException e) {
            fail(Reason.CONNECT_FAILED, "it cannot be connected: " + e.getMessage(), e);
        }
    }

    /** Puts a limit on the handshake, which begins when the connection is there. */
    private final class Securing implements Connector {
        private final Connector tls;

        Securing(Connector tls) {
            this.tls = tls;
        }

        @Override
        public Protocol connected(Connection connection) {
            handshake =
                    loop.schedule(
                            home.pool.settings.handshake(),
                            () -> {
                                late = true;
                                connection.abort();
                            });
            return tls.connected(connection);
        }

        @Override
        public void failed(IOException why) {
            tls.failed(why);
        }
    }

    private void handshakeOver() {
        if (handshake != null) {
            handshake.cancel();
            handshake = null;
        }
    }

    @Override
    public Protocol connected(Connection connection) {
        handshakeOver();
        over = true;
        ClientConnection opened = home.opened(connection);
        home.released(opened);
        return opened;
    }

    @Override
    public void failed(IOException why) {
        boolean secured = handshake != null;
        handshakeOver();
        if (why.getMessage() != null && why.getMessage().endsWith(STOPPING)) {
            home.pool.stopped();
        }
        if (late) {
            long millis = home.pool.settings.handshake();
            fail(Reason.TLS_TIMEOUT, "no TLS with " + origin + " in " + millis + " ms", why);
        } else if (why instanceof SSLException) {
            boolean slow = why.getMessage().contains("too long");
            fail(slow ? Reason.TLS_TIMEOUT : Reason.TLS_FAILED, why.getMessage(), why);
        } else if (!addresses.isEmpty()) {
            next();
        } else if (secured) {
            fail(Reason.TLS_FAILED, why.getMessage(), why);
        } else {
            boolean timeout = why instanceof SocketTimeoutException;
            fail(timeout ? Reason.CONNECT_TIMEOUT : Reason.CONNECT_FAILED, why.getMessage(), why);
        }
    }

    private void fail(Reason reason, String why, Throwable cause) {
        if (!over) {
            over = true;
            home.failedToOpen(reason, why, cause);
        }
    }
}
