// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.message.HeadLimits;
import io.sirocco.http.route.RouteLimits;
import io.sirocco.net.Admission;
import io.sirocco.net.Bandwidth;
import io.sirocco.net.Clock;
import io.sirocco.net.Tls;
import io.sirocco.net.TransportKind;
import io.sirocco.net.WhenFull;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a server is to run: set in the lambda given to {@link Server#create}, frozen when it returns.
 * All limits are finite unless they are lifted. Used by one thread.
 */
public final class Config {
    final List<Listening> addresses = new ArrayList<>();
    int loops = Runtime.getRuntime().availableProcessors();
    TransportKind transport = TransportKind.AUTO;
    Clock clock = Clock.system();
    String name = "sirocco";
    String serverHeader = "Sirocco";
    boolean sniHostCheck = true;
    ExecutionMode executionMode = ExecutionMode.VIRTUAL;
    int poolThreads = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
    int backlog = 4096;
    int maxConnectionsPerLoop = Integer.MAX_VALUE;
    WhenFull whenFull = WhenFull.BACKLOG;
    long memoryLimit = Runtime.getRuntime().maxMemory() / 4;
    int mostConnections; // 0: computed
    int parked = 10_000;
    Duration parkedConnections = Duration.ofSeconds(20);
    Bandwidth acceptRate = Bandwidth.perSecond(Bandwidth.UNLIMITED);
    Bandwidth reads = null;
    Bandwidth writes = null;
    long connectionReads = Bandwidth.UNLIMITED;
    long connectionWrites = Bandwidth.UNLIMITED;
    int heldMillis = 500;
    Admission admission = Admission.ALL;
    TrustedProxies trustedProxies = TrustedProxies.NONE;
    Monitor monitor = Monitor.NONE;
    ErrorPages errorPages = ErrorPages.PLAIN;
    private HeadLimits headerLimits = HeadLimits.DEFAULT;
    private long maxBodyBytes = 16 << 20;
    private int maxConcurrentRequests = 10_000;
    private Duration idleTimeout = Duration.ofSeconds(75);
    private Duration headerTimeout = Duration.ofSeconds(10);
    private Duration bodyGrace = Duration.ofSeconds(20);
    private long bodyRate = 500;
    private Duration writeTimeout = Duration.ofSeconds(30);
    private Duration handlerTimeout = Duration.ofSeconds(60);

    /** An address, the TLS that is spoken there, if any, and whether a proxy speaks first. */
    record Listening(SocketAddress address, Optional<Tls> tls, boolean proxyProtocol) {}

    Config() {}

    /**
     * Listens on every IPv4 address of the machine; port 0 lets the system choose, and {@link
     * Server#port} tells.
     *
     * @throws IllegalArgumentException if {@code port} is not between 0 and 65535
     */
    public Config port(int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException(
                    "port must be 0 (the system chooses one) to 65535, not " + port + ".");
        }
        return listen(new InetSocketAddress("0.0.0.0", port));
    }

    /**
     * Listens on an address: an Internet one, or a {@link UnixDomainSocketAddress}. May be called
     * several times.
     */
    public Config listen(SocketAddress address) {
        return listen(address, Optional.empty(), false);
    }

    /**
     * Listens on an address and speaks HTTPS there. Several addresses may share {@code tls}, and
     * others may go without.
     */
    public Config listen(SocketAddress address, Tls tls) {
        return listen(address, Optional.of(tls), false);
    }

    /**
     * Listens on an address where, if {@code proxyProtocol}, every connection begins with a header
     * of the PROXY protocol, version 1 or 2, and comes from one of {@link #trustedProxies}. All
     * others are closed without a word. The header has as long as {@link #headerTimeout} says.
     */
    public Config listen(SocketAddress address, Optional<Tls> tls, boolean proxyProtocol) {
        addresses.add(new Listening(address, tls, proxyProtocol));
        return this;
    }

    /**
     * The proxies that are believed when they say for whom they ask; {@link TrustedProxies#NONE}
     * unless set.
     */
    public Config trustedProxies(TrustedProxies proxies) {
        this.trustedProxies = proxies;
        return this;
    }

    /** Listens on a Unix-domain socket, a file that is removed when the server stops. */
    public Config unixSocket(Path path) {
        return listen(UnixDomainSocketAddress.of(path));
    }

    /** Event loops, each a thread; one per core unless set. */
    public Config loops(int loops) {
        this.loops = atLeast("loops", loops, 1);
        return this;
    }

    /** How loops talk to the kernel; {@link TransportKind#AUTO} unless set. */
    public Config transport(TransportKind transport) {
        this.transport = transport;
        return this;
    }

    /** The time that deadlines and dates are reckoned by. */
    public Config clock(Clock clock) {
        this.clock = clock;
        return this;
    }

    /** Prefix of the names of its threads. */
    public Config name(String name) {
        this.name = name;
        return this;
    }

    /** The value of the {@code Server} header field; empty for none. */
    public Config serverHeader(String value) {
        this.serverHeader = Headers.of("Server", value).first("Server").orElse("");
        return this;
    }

    /** Where handlers run whose route does not say. */
    public Config executionMode(ExecutionMode handling) {
        this.executionMode = handling;
        return this;
    }

    /**
     * Threads of the pool that {@link ExecutionMode#POOL} handlers of all loops share; twice the
     * cores unless set.
     */
    public Config poolThreads(int threads) {
        this.poolThreads = atLeast("poolThreads", threads, 1);
        return this;
    }

    /** Connections that the kernel keeps for us until we accept them; 4096 unless set. */
    public Config backlog(int connections) {
        this.backlog = atLeast("backlog", connections, 1);
        return this;
    }

    /**
     * Sets how many connections each loop serves at once, and what becomes of further ones when all
     * loops serve so many. A loop that has no slot left hands new connections over to one that has.
     * Without a bound unless set.
     */
    public Config maxConnectionsPerLoop(int perLoop, WhenFull whenFull) {
        this.maxConnectionsPerLoop = atLeast("maxConnectionsPerLoop", perLoop, 1);
        this.whenFull = whenFull;
        return this;
    }

    /**
     * Connections that one loop parks when its slots are taken, and how long; 10,000 for 20 s
     * unless set.
     */
    public Config parkedConnections(int perLoop, Duration longest) {
        this.parked = atLeast("parkedConnections", perLoop, 0);
        this.parkedConnections = longest;
        return this;
    }

    /**
     * Sets how many bytes the connections of all loops may hold together: unfinished headers,
     * bodies that were not read yet, output that was not taken yet, messages in pieces. Each loop
     * has an equal share of it, its {@link io.sirocco.net.MemoryBudget}. When it is used up,
     * clients that have kept the server waiting for the longest are refused by {@link
     * RequestError#MEMORY_SHORT}. 1 MiB or more; by default a quarter of the largest heap.
     */
    public Config memoryLimit(long bytes) {
        if (bytes < 1 << 20) {
            throw new IllegalArgumentException(
                    "memoryLimit must be 1 MiB or more, not " + bytes + ".");
        }
        this.memoryLimit = bytes;
        return this;
    }

    /**
     * Sets how many connections each loop may have at all; one beyond them is closed at once. By
     * default, or with 0, as many as heap and machine have memory for when all are idle.
     */
    public Config maxOpenConnectionsPerLoop(int perLoop) {
        this.mostConnections = atLeast("maxOpenConnectionsPerLoop", perLoop, 0);
        return this;
    }

    /**
     * Connections accepted per second by each loop, as a bucket whose rate may be changed later.
     */
    public Config acceptRate(Bandwidth perSecond) {
        this.acceptRate = perSecond;
        return this;
    }

    /** Who may connect at all; everybody unless set. */
    public Config admission(Admission admission) {
        this.admission = admission;
        return this;
    }

    /**
     * Sets whether a request over TLS must name a host that the connection's certificate covers;
     * others get 421 (RFC 9110 7.4). On by default. Not checked are IP addresses, certificates
     * without host names, a self-signed certificate for the name that the client requested in its
     * handshake (SNI), and requests for which a {@linkplain #trustedProxies trusted proxy} has
     * forwarded an address. Turn it off behind a proxy that connects by another name than its
     * clients do.
     */
    public Config sniHostCheck(boolean on) {
        this.sniHostCheck = on;
        return this;
    }

    /** Bandwidth of all connections together, as buckets whose rates may be changed later. */
    public Config bandwidth(Bandwidth reads, Bandwidth writes) {
        this.reads = reads;
        this.writes = writes;
        return this;
    }

    /** Bytes per second of each single connection; {@link Bandwidth#UNLIMITED} unless set. */
    public Config connectionBandwidth(long reads, long writes) {
        this.connectionReads = reads;
        this.connectionWrites = writes;
        return this;
    }

    /**
     * Sizes of a request head: all of it (431), its target (414), its fields (431); 16 KiB, 8 KiB,
     * 100 unless set.
     */
    public Config headerLimits(int bytes, int targetBytes, int fields) {
        this.headerLimits = new HeadLimits(bytes, targetBytes, fields);
        return this;
    }

    /**
     * Bytes of a request body (413) unless its route says otherwise; 16 MiB unless set, -1 for any
     * number.
     */
    public Config maxBodyBytes(long bytes) {
        this.maxBodyBytes = bytes;
        return this;
    }

    /** Requests in progress on one loop (503); 10,000 unless set. */
    public Config maxConcurrentRequests(int perLoop) {
        this.maxConcurrentRequests = atLeast("maxConcurrentRequests", perLoop, 1);
        return this;
    }

    /** How long a connection may be without a request; 75 s unless set, zero for ever. */
    public Config idleTimeout(Duration longest) {
        this.idleTimeout = longest;
        return this;
    }

    /** How long a head may take from its first byte on (408); 10 s unless set, zero for ever. */
    public Config headerTimeout(Duration longest) {
        this.headerTimeout = longest;
        return this;
    }

    /** How long a client may take nothing of what is sent to it; 30 s unless set, zero for ever. */
    public Config writeTimeout(Duration longest) {
        this.writeTimeout = longest;
        return this;
    }

    /**
     * How long a handler may take until its response begins (503; 504 for {@link Response#async}),
     * not counting what it waits for the client's body; 60 s unless set, zero for ever.
     */
    public Config handlerTimeout(Duration longest) {
        this.handlerTimeout = longest;
        return this;
    }

    /**
     * How long a body that a handler waits for may take (408): {@code grace}, and one second for
     * every {@code bytesPerSecond} that have come. 20 s and 500 unless set; a grace of zero is for
     * ever.
     */
    public Config bodyTimeout(Duration grace, long bytesPerSecond) {
        this.bodyGrace = grace;
        this.bodyRate = bytesPerSecond;
        return this;
    }

    /** What was set, for good. */
    Limits limits() {
        return new Limits(
                headerLimits,
                maxConcurrentRequests,
                headerTimeout.toMillis(),
                writeTimeout.toMillis(),
                new RouteLimits(
                        maxBodyBytes,
                        handlerTimeout.toMillis(),
                        bodyGrace.toMillis(),
                        bodyRate,
                        idleTimeout.toMillis()));
    }

    /**
     * A loop that is held for longer is reported with the stack of what holds it; 500 ms unless
     * set, zero for never.
     */
    public Config blockedLoopThreshold(Duration threshold) {
        this.heldMillis = (int) threshold.toMillis();
        return this;
    }

    /** Who is told of requests, rejections and failures: access log, metrics. */
    public Config monitor(Monitor monitor) {
        this.monitor = monitor;
        return this;
    }

    /** What is answered when no handler does. */
    public Config errorPages(ErrorPages pages) {
        this.errorPages = pages;
        return this;
    }

    private static int atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " must be " + least + " or more, not " + value + ".");
        }
        return value;
    }
}
