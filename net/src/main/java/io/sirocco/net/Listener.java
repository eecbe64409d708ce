// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.linux.SocketAddresses;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * An address that a group of loops accepts connections on; made by {@link Loops#listen}. Any
 * thread.
 */
public final class Listener implements AutoCloseable {
    final Options options;
    final Acceptor acceptor;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final List<LoopAcceptor> acceptors = new ArrayList<>();
    private SocketAddress address;
    private Runnable whenClosed = () -> {};

    /** How to listen. Used by one thread, then frozen. */
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
         * Connections that the kernel completes and keeps for us; 4096 unless set, bounded by the
         * kernel's somaxconn.
         */
        public Options backlog(int backlog) {
            this.backlog = backlog;
            return this;
        }

        /**
         * Sets how many connections each loop serves at once, and what becomes of further ones when
         * all loops serve so many. A loop that has no slot left hands new connections over to one
         * that has.
         */
        public Options slots(int slots, WhenFull whenFull) {
            this.slots = slots;
            this.whenFull = whenFull;
            return this;
        }

        /** Connections that one loop parks at most, and for how long each. */
        public Options parking(int connections, long millis) {
            this.parked = connections;
            this.parkedMillis = millis;
            return this;
        }

        /** Who may connect, asked for whenever somebody does; everybody unless set. */
        public Options admission(Supplier<Admission> admission) {
            this.admission = admission;
            return this;
        }

        /**
         * Every connection begins with a header of the PROXY protocol, version 1 or 2, before TLS
         * if that is spoken: {@link Connection#remote} and the {@link Admission} are those of the
         * client that it names. A connection without one, or from a peer that is not among {@code
         * trusted}, is closed without a word. Not unless set.
         *
         * @param trusted asked on the loop for each connection, with the peer's address
         * @param headerMillis how long the header may take
         */
        public Options proxyProtocol(Predicate<SocketAddress> trusted, long headerMillis) {
            this.proxies = trusted;
            this.proxyHeaderMillis = headerMillis;
            return this;
        }

        /** Accepts per second of all loops, as a bucket whose rate may be changed later. */
        public Options acceptRate(RateLimiter perSecond) {
            this.acceptRate = perSecond;
            return this;
        }

        /**
         * Speaks TLS below what the acceptor speaks; it is asked for that when the handshake is
         * done, so {@link Connection#tls} tells it what was agreed on.
         *
         * @param protocols what it can speak, the best first (ALPN, RFC 7301). A client that names
         *     others only is refused; one that names none is not. None at all: it is not asked
         */
        public Options tls(Tls tls, String... protocols) {
            this.tls = tls;
            this.protocols = List.of(protocols);
            return this;
        }

        /**
         * What a client is told that sends text to a listener that speaks TLS, before it is closed:
         * most likely it took one port for the other. Nothing unless set.
         */
        public Options plainTextResponse(byte[] answer) {
            this.plainTextResponse = answer.clone();
            return this;
        }

        /** What the acceptors are to call. */
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

    /** The address that is bound, with the port that the system chose if 0 was asked for. */
    public SocketAddress address() {
        return address;
    }

    /** The bound port; -1 for a Unix-domain address. */
    public int port() {
        return address instanceof InetSocketAddress inet ? inet.getPort() : -1;
    }

    /**
     * Speaks TLS as {@code next} has it, with connections that begin from now on.
     *
     * @throws IllegalStateException when it was not made to speak TLS
     */
    public void tls(Tls next) {
        if (acceptor instanceof TlsAcceptor secure) {
            secure.tls(next);
        } else {
            throw new IllegalStateException(
                    SocketAddresses.show(address) + " was not made to speak TLS");
        }
    }

    /**
     * Stops accepting and gives the address back; connections that are open stay so. Returns when
     * that is done.
     */
    @Override
    public void close() {
        var done = new ArrayList<CompletableFuture<?>>();
        for (LoopAcceptor acceptor : acceptors) {
            done.add(acceptor.close());
        }
        CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).join();
        closed();
    }

    /** Its acceptors are closed. */
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
