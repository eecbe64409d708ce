// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.Acceptor;
import io.sirocco.net.Listener;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The addresses of a running server, and the listeners that are bound to them. Changed by one
 * thread at a time, read by any.
 */
final class ServerListeners {
    /** Timeout for a PROXY protocol header when there is no header timeout. */
    private static final Duration PROXY_HEADER = Duration.ofSeconds(10);

    /** The response to a client that sends plain HTTP to an HTTPS port. */
    private static final byte[] NOT_HTTPS =
            """
            HTTP/1.1 400 Bad Request\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: 49\r
            Connection: close\r
            \r
            This port speaks HTTPS: use https:// in the URL.
            """
                    .getBytes(StandardCharsets.US_ASCII);

    /** A configured address with the listener that is bound to it. */
    private record Bound(Config.Listening asked, Listener listener) {}

    private final Loops loops;
    private final Supplier<Config> config; // as it is now
    private final Acceptor acceptor;
    private volatile List<Bound> bound = List.of();

    ServerListeners(Loops loops, Supplier<Config> config, Acceptor acceptor) {
        this.loops = loops;
        this.config = config;
        this.acceptor = acceptor;
    }

    /** Binds all addresses of the configuration, or none. */
    void open() throws IOException {
        bound = List.copyOf(listen(config.get(), config.get().addresses));
    }

    private List<Bound> listen(Config config, List<Config.Listening> addresses) throws IOException {
        var fresh = new ArrayList<Bound>();
        try {
            for (Config.Listening asked : addresses) {
                Listener listener =
                        loops.listen(asked.address(), o -> options(config, asked, o), acceptor);
                fresh.add(new Bound(asked, listener));
            }
            return fresh;
        } catch (IOException | RuntimeException e) {
            fresh.forEach(each -> each.listener.close());
            throw e;
        }
    }

    private void options(Config config, Config.Listening asked, Listener.Options options) {
        asked.tls()
                .ifPresent(
                        tls ->
                                options.tls(tls, RunningServer.HTTP_1_1)
                                        .plainTextResponse(NOT_HTTPS));
        if (asked.proxyProtocol()) {
            long most = config.limits().headMillis();
            options.proxyProtocol(
                    peer -> this.config.get().trustedProxies.trusts(peer),
                    most == 0 ? PROXY_HEADER.toMillis() : most);
        }
        options.backlog(config.backlog)
                .slots(config.maxConnectionsPerLoop, config.whenFull)
                .parking(config.parked, config.parkedConnections.toMillis())
                .acceptRate(config.acceptRate)
                .admission(() -> this.config.get().admission);
    }

    /**
     * Binds the addresses of the next configuration that are not bound, and adopts the certificates
     * of the others; all of it or nothing.
     *
     * @return closes those that the next configuration does not have
     * @throws IllegalArgumentException if a bound address would change its protocol
     */
    Runnable replace(Config next) throws IOException {
        var old = new ArrayList<>(bound);
        var kept = new ArrayList<Bound>();
        var added = new ArrayList<Config.Listening>();
        for (Config.Listening address : next.addresses) {
            Optional<Bound> known =
                    old.stream()
                            .filter(each -> each.asked.address().equals(address.address()))
                            .findFirst();
            known.ifPresent(bound -> refuseIfTurned(bound.asked, address));
            known.ifPresentOrElse(
                    bound -> kept.add(new Bound(address, bound.listener)),
                    () -> added.add(address));
            known.ifPresent(old::remove);
        }
        var fresh = listen(next, added);
        kept.forEach(each -> each.asked.tls().ifPresent(each.listener::tls));
        kept.addAll(fresh);
        bound = List.copyOf(kept);
        return () -> old.forEach(each -> each.listener.close());
    }

    /** A bound address cannot change its protocol. */
    private static void refuseIfTurned(Config.Listening before, Config.Listening after) {
        if (before.tls().isPresent() != after.tls().isPresent()) {
            throw new IllegalArgumentException(
                    after.address()
                            + " cannot change between HTTP and HTTPS while the server runs:"
                            + " stop it and start it again.");
        }
        if (before.proxyProtocol() != after.proxyProtocol()) {
            throw new IllegalArgumentException(
                    after.address()
                            + " cannot turn the PROXY protocol on or off while the server runs:"
                            + " stop it and start it again.");
        }
    }

    /** Accepts no more connections. */
    void close() {
        bound.forEach(each -> each.listener.close());
    }

    /** Returns the port of the first address; -1 for a Unix-domain socket. */
    int port() {
        return bound.getFirst().listener.port();
    }

    /** Returns the bound addresses, in the order of the configuration. */
    List<SocketAddress> addresses() {
        return bound.stream().map(each -> each.listener.address()).toList();
    }
}
