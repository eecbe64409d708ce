// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.exchange.Limits;
import io.sirocco.http.message.HeadLimits;
import io.sirocco.http.route.RouteLimits;
import io.sirocco.net.Admission;
import io.sirocco.net.Clock;
import io.sirocco.net.RateLimiter;
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
 * The configuration of a {@link Server}: listening addresses, limits, timeouts, scheduling,
 * monitoring. It is set in the lambda given to {@link Server#start(java.util.function.Consumer,
 * java.util.function.Consumer) Server.start}, {@link Server#create} or {@link Server#reload}, and
 * frozen when the lambda returns. At least one address is required.
 *
 * <pre>{@code
 * Server.start(
 *         config -> config
 *                 .port(8080)
 *                 .maxBodyBytes(1 << 20)
 *                 .idleTimeout(Duration.ofSeconds(15))
 *                 .handlerTimeout(Duration.ofSeconds(5)),
 *         routes -> ...);
 * }</pre>
 *
 * <p>All limits except {@link #maxConnectionsPerLoop} have finite defaults. A timeout of zero is
 * disabled. Each method returns this configuration.
 *
 * <p>Not thread-safe.
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
    RateLimiter acceptRate = RateLimiter.perSecond(RateLimiter.UNLIMITED);
    RateLimiter reads = null;
    RateLimiter writes = null;
    long connectionReads = RateLimiter.UNLIMITED;
    long connectionWrites = RateLimiter.UNLIMITED;
    int longTurnMillis = 500;
    int maxTurnMillis = 30_000;
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

    /** A configured address: its TLS, if any, and whether the PROXY protocol is expected. */
    record Listening(SocketAddress address, Optional<Tls> tls, boolean proxyProtocol) {}

    Config() {}

    /**
     * Listens on {@code port} of all IPv4 addresses of the machine. Port 0 lets the system choose;
     * {@link Server#port} returns its choice.
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
     * Listens on an Internet address or a {@link UnixDomainSocketAddress}. May be called several
     * times.
     */
    public Config listen(SocketAddress address) {
        return listen(address, Optional.empty(), false);
    }

    /** Listens on an address and serves HTTPS there. Several addresses may share {@code tls}. */
    public Config listen(SocketAddress address, Tls tls) {
        return listen(address, Optional.of(Given.of("tls", tls)), false);
    }

    /**
     * Listens on an address, with or without TLS and the PROXY protocol.
     *
     * @param proxyProtocol whether each connection begins with a PROXY protocol header, version 1
     *     or 2. Connections whose peer is not one of {@link #trustedProxies} are then closed
     *     without a response, and so are those whose header does not arrive within {@link
     *     #headerTimeout}
     */
    public Config listen(SocketAddress address, Optional<Tls> tls, boolean proxyProtocol) {
        addresses.add(
                new Listening(Given.of("The address to listen on", address), tls, proxyProtocol));
        return this;
    }

    /**
     * Sets the proxies that are trusted to forward the client's address, scheme and host. Default:
     * {@link TrustedProxies#NONE}.
     */
    public Config trustedProxies(TrustedProxies proxies) {
        this.trustedProxies = Given.of("trustedProxies", proxies);
        return this;
    }

    /** Listens on a Unix-domain socket. The file is removed when the server stops. */
    public Config unixSocket(Path path) {
        return listen(UnixDomainSocketAddress.of(Given.of("The path of the Unix socket", path)));
    }

    /**
     * Sets the number of event loops. Each is one thread with its own connections. Default: one per
     * core.
     *
     * @throws IllegalArgumentException if {@code loops} is less than 1
     */
    public Config loops(int loops) {
        this.loops = atLeast("loops", loops, 1);
        return this;
    }

    /** Sets how event loops do I/O. Default: {@link TransportKind#AUTO}. */
    public Config transport(TransportKind transport) {
        this.transport = Given.of("transport", transport);
        return this;
    }

    /** Sets the clock for timeouts and dates. Default: the system's clock. */
    public Config clock(Clock clock) {
        this.clock = Given.of("clock", clock);
        return this;
    }

    /** Sets the prefix of thread names. Default: {@code sirocco}. */
    public Config name(String name) {
        this.name = Given.of("name", name);
        return this;
    }

    /**
     * Sets the value of the {@code Server} header; empty omits the header. Default: {@code
     * Sirocco}.
     *
     * @throws IllegalArgumentException if the value contains control characters or characters above
     *     U+00FF
     */
    public Config serverHeader(String value) {
        this.serverHeader =
                Headers.of("Server", Given.of("serverHeader", value)).first("Server").orElse("");
        return this;
    }

    /**
     * Sets where handlers run whose route has no {@linkplain Route#executionMode mode of its own}.
     * Default: {@link ExecutionMode#VIRTUAL}.
     */
    public Config executionMode(ExecutionMode mode) {
        this.executionMode = Given.of("executionMode", mode);
        return this;
    }

    /**
     * Sets the number of threads in the pool that all {@link ExecutionMode#POOL} handlers share.
     * Default: twice the number of cores, at least 4.
     *
     * @throws IllegalArgumentException if {@code threads} is less than 1
     */
    public Config poolThreads(int threads) {
        this.poolThreads = atLeast("poolThreads", threads, 1);
        return this;
    }

    /**
     * Sets how many connections the kernel queues for each address before they are accepted.
     * Default: 4,096.
     *
     * @throws IllegalArgumentException if {@code connections} is less than 1
     */
    public Config backlog(int connections) {
        this.backlog = atLeast("backlog", connections, 1);
        return this;
    }

    /**
     * Sets how many connections each loop serves at once; when all loops are full, new connections
     * wait in the {@linkplain #backlog backlog}. Default: no limit.
     *
     * @throws IllegalArgumentException if {@code perLoop} is less than 1
     */
    public Config maxConnectionsPerLoop(int perLoop) {
        return maxConnectionsPerLoop(perLoop, WhenFull.BACKLOG);
    }

    /**
     * Sets how many connections each loop serves at once, and what happens to new connections when
     * all loops are full. A loop that is full hands new connections to a loop that has room.
     * Default: no limit.
     *
     * @throws IllegalArgumentException if {@code perLoop} is less than 1
     */
    public Config maxConnectionsPerLoop(int perLoop, WhenFull whenFull) {
        this.maxConnectionsPerLoop = atLeast("maxConnectionsPerLoop", perLoop, 1);
        this.whenFull = Given.of("whenFull", whenFull);
        return this;
    }

    /**
     * Sets how many connections each loop parks while all loops are full ({@link
     * io.sirocco.net.WhenFull#PARK}), and for how long; after that time they are closed. Further
     * connections wait in the kernel's backlog. Default: 10,000 for 20 s.
     *
     * @throws IllegalArgumentException if {@code perLoop} is negative
     */
    public Config parkedConnections(int perLoop, Duration timeout) {
        this.parked = atLeast("parkedConnections", perLoop, 0);
        this.parkedConnections = Given.timeout("The timeout of parkedConnections", timeout);
        return this;
    }

    /**
     * Sets how many bytes all connections together may hold: incomplete headers, unread bodies,
     * unsent output, incomplete WebSocket messages. Each loop has an equal share, its {@link
     * io.sirocco.net.MemoryBudget}. When a share is exhausted, the clients that have kept the
     * server waiting longest are refused with {@link RequestError#MEMORY_SHORT} (503) or
     * disconnected. Default: a quarter of the maximum heap.
     *
     * @throws IllegalArgumentException if {@code bytes} is less than 1 MiB
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
     * Sets how many connections each loop may have open, served or not; further ones are closed at
     * once. Default, or with 0: as many idle connections as the heap and the machine have memory
     * for.
     *
     * @throws IllegalArgumentException if {@code perLoop} is negative
     */
    public Config maxOpenConnectionsPerLoop(int perLoop) {
        this.mostConnections = atLeast("maxOpenConnectionsPerLoop", perLoop, 0);
        return this;
    }

    /**
     * Limits the connections that each loop accepts per second. The rate can be changed while the
     * server runs. Default: unlimited.
     */
    public Config acceptRate(RateLimiter perSecond) {
        this.acceptRate = Given.of("acceptRate", perSecond);
        return this;
    }

    /**
     * Sets the filter that decides which peers may connect. It is called before a TLS handshake.
     * Default: all.
     */
    public Config admission(Admission admission) {
        this.admission = Given.of("admission", admission);
        return this;
    }

    /**
     * Sets whether a request over TLS must name a host that the connection's certificate covers;
     * others get 421 (RFC 9110 7.4). Default: true. Not checked are IP addresses, certificates
     * without host names, a self-signed certificate for the name that the client requested in its
     * handshake (SNI), and requests for which a {@linkplain #trustedProxies trusted proxy} has
     * forwarded an address. Turn it off behind a proxy that connects by another name than its
     * clients do.
     */
    public Config sniHostCheck(boolean on) {
        this.sniHostCheck = on;
        return this;
    }

    /**
     * Limits the bytes per second of all connections together, received and sent. The rates can be
     * changed while the server runs. Default: unlimited.
     */
    public Config bandwidth(RateLimiter reads, RateLimiter writes) {
        this.reads = reads;
        this.writes = writes;
        return this;
    }

    /**
     * Limits the bytes per second of each connection, received and sent. Default: {@link
     * RateLimiter#UNLIMITED}, which is 0.
     */
    public Config connectionBandwidth(long reads, long writes) {
        this.connectionReads = Given.rate("The rate of connectionBandwidth", reads);
        this.connectionWrites = Given.rate("The rate of connectionBandwidth", writes);
        return this;
    }

    /**
     * Sets limits for the request line and headers of a request.
     *
     * @param bytes maximum size of the request line and all headers together; beyond it 431.
     *     Default: 16 KiB
     * @param targetBytes maximum size of the request target; beyond it 414. Default: 8 KiB
     * @param headers maximum number of headers; beyond it 431. Default: 100
     * @throws IllegalArgumentException if a size is less than 1 or the number is negative
     */
    public Config headerLimits(int bytes, int targetBytes, int headers) {
        this.headerLimits = new HeadLimits(bytes, targetBytes, headers);
        return this;
    }

    /**
     * Sets the maximum size of a request body in bytes; beyond it 413. {@link Route#maxBodyBytes}
     * overrides it for a route. -1 removes the limit. Default: 16 MiB.
     */
    public Config maxBodyBytes(long bytes) {
        this.maxBodyBytes = Given.limit("maxBodyBytes", bytes);
        return this;
    }

    /**
     * Sets how many requests each loop processes at once; beyond it 503 with {@code Retry-After}.
     * Default: 10,000. A request counts until its handler has returned and its response is
     * complete, even if the client has disconnected or the handler timeout has passed. An
     * asynchronous response counts until it completes, is cancelled or its handler timeout has
     * passed; without a timeout, the one of a client that has disconnected counts for 60 s.
     *
     * @throws IllegalArgumentException if {@code perLoop} is less than 1
     */
    public Config maxConcurrentRequests(int perLoop) {
        this.maxConcurrentRequests = atLeast("maxConcurrentRequests", perLoop, 1);
        return this;
    }

    /**
     * Sets how long a keep-alive connection may be idle between requests before it is closed.
     * {@link Route#idleTimeout} overrides it after responses of a route. Zero disables it. Default:
     * 75 s.
     */
    public Config idleTimeout(Duration timeout) {
        this.idleTimeout = Given.timeout("idleTimeout", timeout);
        return this;
    }

    /**
     * Sets the time from the first byte of a request to the end of its headers; beyond it 408. Zero
     * disables it. Default: 10 s.
     */
    public Config headerTimeout(Duration timeout) {
        this.headerTimeout = Given.timeout("headerTimeout", timeout);
        return this;
    }

    /**
     * Sets how long a client may read nothing of a response before its connection is closed. Zero
     * disables it. Default: 30 s.
     */
    public Config writeTimeout(Duration timeout) {
        this.writeTimeout = Given.timeout("writeTimeout", timeout);
        return this;
    }

    /**
     * Sets the time from the end of a request's headers until its response begins; beyond it 503,
     * or 504 for {@link Response#async}. Time spent waiting for the request body does not count.
     * The handler's thread is interrupted, and its result is discarded. {@link
     * Route#handlerTimeout} overrides it for a route. Zero disables it. Default: 60 s.
     */
    public Config handlerTimeout(Duration timeout) {
        this.handlerTimeout = Given.timeout("handlerTimeout", timeout);
        return this;
    }

    /**
     * Sets how long a handler may wait for the request body: {@code grace}, plus one second for
     * every {@code bytesPerSecond} bytes received; beyond it 408. {@link Route#bodyTimeout}
     * overrides it for a route. A grace of zero disables it. Default: 20 s and 500 bytes per
     * second.
     */
    public Config bodyTimeout(Duration grace, long bytesPerSecond) {
        this.bodyGrace = Given.timeout("The grace of bodyTimeout", grace);
        this.bodyRate = Given.rate("The rate of bodyTimeout", bytesPerSecond);
        return this;
    }

    /** Returns the limits as they are set now. */
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
     * Sets how long an event loop may be blocked before the watchdog reports it with the stack of
     * the blocking code. Zero disables the reports. Default: 500 ms.
     */
    public Config blockedLoopThreshold(Duration threshold) {
        long millis = Given.timeout("blockedLoopThreshold", threshold).toMillis();
        this.longTurnMillis = (int) Math.min(millis, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets how long an event loop may be blocked before it is dead: it waits for a lock that nobody
     * releases, or for a call that does not return. {@link Server#failure()} completes, {@link
     * Server#hasFailed()} is true from then on, and its connections close when its turn ends; a
     * program should end then. Zero disables the timeout, and so does a debugger's agent in the
     * JVM. Default: 30 s.
     */
    public Config blockedLoopTimeout(Duration timeout) {
        long millis = Given.timeout("blockedLoopTimeout", timeout).toMillis();
        this.maxTurnMillis = (int) Math.min(millis, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets the monitor that is notified of requests, refusals and failures, for access logs and
     * metrics. Default: none.
     */
    public Config monitor(Monitor monitor) {
        this.monitor = Given.of("monitor", monitor);
        return this;
    }

    /**
     * Sets the pages for responses that no handler creates: 404, 405, 500 and refusals by the
     * server. Default: one line of plain text.
     */
    public Config errorPages(ErrorPages pages) {
        this.errorPages = Given.of("errorPages", pages);
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
