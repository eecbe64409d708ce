// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.limit.Ip;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * An address on which a group of loops accepts connections; made by {@link Loops#listen}. Any
 * thread.
 */
public final class Listener implements AutoCloseable {
    final Options options;
    final Acceptor acceptor;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final List<LoopAcceptor> acceptors = new ArrayList<>();
    private SocketAddress address;
    private Runnable whenClosed = () -> {};

    /**
     * Options of a listener: set them in the lambda given to {@link Loops#listen}. They are frozen
     * when it returns. Used by one thread.
     */
    public static final class Options {
        int backlog = 4096;
        int slots = Integer.MAX_VALUE;
        WhenFull whenFull = WhenFull.BACKLOG;
        int parked = 10_000;
        long parkedMillis = 20_000;
        RateLimiter acceptRate = RateLimiter.perSecond(RateLimiter.UNLIMITED);
        Supplier<Admission> admission = () -> Admission.ALL;
        Predicate<SocketAddress> proxies; // null: connections begin with no PROXY header
        long proxyHeaderMillis;
        private Tls tls; // null for none
        private List<String> protocols = List.of();
        private byte[] plainTextResponse = {};

        Options() {}

        /**
         * Sets how many connections the kernel completes and keeps until a loop accepts them; 4096
         * by default, and at most the kernel's {@code somaxconn}.
         */
        public Options backlog(int backlog) {
            this.backlog = backlog;
            return this;
        }

        /**
         * Sets how many connections each loop serves at once, and what happens to further ones when
         * all loops serve so many; unlimited by default. A loop that has no slot left hands new
         * connections over to one that has.
         */
        public Options slots(int slots, WhenFull whenFull) {
            this.slots = slots;
            this.whenFull = whenFull;
            return this;
        }

        /**
         * Sets how many connections one loop parks at most, and for how many milliseconds each;
         * 10,000 for 20 s by default. See {@link WhenFull#PARK}.
         */
        public Options parking(int connections, long millis) {
            this.parked = connections;
            this.parkedMillis = millis;
            return this;
        }

        /**
         * Sets which clients may connect, by a supplier that is called for each connection; all by
         * default.
         */
        public Options admission(Supplier<Admission> admission) {
            this.admission = admission;
            return this;
        }

        /**
         * Requires each connection to begin with a header of the PROXY protocol, version 1 or 2,
         * which precedes TLS: {@link Connection#remote} and the {@link Admission} then see the
         * client that it names. A connection without one, or from a peer that is not {@code
         * trusted}, is closed without a response. Off by default.
         *
         * @param trusted called on the loop for each connection, with the peer's address
         * @param headerMillis how long the header may take, in milliseconds
         */
        public Options proxyProtocol(Predicate<SocketAddress> trusted, long headerMillis) {
            this.proxies = trusted;
            this.proxyHeaderMillis = headerMillis;
            return this;
        }

        /**
         * Sets a limit of accepts per second of all loops together, whose rate may change later;
         * unlimited by default.
         */
        public Options acceptRate(RateLimiter perSecond) {
            this.acceptRate = perSecond;
            return this;
        }

        /**
         * Uses TLS. The acceptor is called when the handshake is done, so {@link Connection#tls}
         * returns its outcome.
         *
         * @param protocols the protocols that the server supports, the best first (ALPN, RFC 7301).
         *     A client that offers only others is refused, a client that offers none is not; empty
         *     ignores ALPN
         */
        public Options tls(Tls tls, String... protocols) {
            this.tls = tls;
            this.protocols = List.of(protocols);
            return this;
        }

        /**
         * Sets the response to a client that sends plain text to a listener with TLS, most likely
         * because it has mixed up two ports; the connection closes behind it. Empty by default.
         */
        public Options plainTextResponse(byte[] answer) {
            this.plainTextResponse = answer.clone();
            return this;
        }

        /** Returns what the loops' acceptors call. */
        Acceptor over(Acceptor acceptor) {
            return tls == null
                    ? acceptor
                    : new TlsAcceptor(tls, protocols, plainTextResponse, acceptor);
        }
    }

    Listener(Options options, Acceptor acceptor) {
        this.options = options;
        this.acceptor = acceptor;
    }

    /** Returns the bound address, with the port that the system chose if 0 was asked for. */
    public SocketAddress address() {
        return address;
    }

    /** Returns the bound port; -1 for a Unix-domain address. */
    public int port() {
        return address instanceof InetSocketAddress inet ? inet.getPort() : -1;
    }

    /**
     * Replaces TLS by {@code next} for connections that begin from now on.
     *
     * @throws IllegalStateException when the listener was made without TLS
     */
    public void tls(Tls next) {
        if (acceptor instanceof TlsAcceptor secure) {
            secure.tls(next);
        } else {
            throw new IllegalStateException(Ip.text(address) + " was not made to speak TLS");
        }
    }

    /** Stops accepting and returns when the address is free; open connections stay open. */
    @Override
    public void close() {
        var done = new ArrayList<CompletableFuture<?>>();
        for (LoopAcceptor acceptor : acceptors) {
            done.add(acceptor.close());
        }
        CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).join();
        closed();
    }

    /** Notes that its acceptors are closed. */
    void closed() {
        if (closed.compareAndSet(false, true)) {
            whenClosed.run();
        }
    }

    void bound(SocketAddress address, Runnable whenClosed) {
        this.address = address;
        this.whenClosed = whenClosed;
    }

    void add(LoopAcceptor acceptor) {
        acceptors.add(acceptor);
    }

    List<LoopAcceptor> acceptors() {
        return acceptors;
    }
}
