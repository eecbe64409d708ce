// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sirocco.http.exchange.LoopContext;
import io.sirocco.net.Loop;
import io.sirocco.net.TransportKind;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * An embeddable HTTP/1.1 server.
 *
 * <pre>{@code
 * Server server = Server.start(8080, routes -> routes
 *         .get("/hello/{name}", request -> Response.text("Hello, " + request.param("name")))
 *         .post("/echo", request -> Response.bytes(request.body().bytes())));
 * }</pre>
 *
 * <p>The second form of {@link #start(Consumer, Consumer) start} takes a lambda for the
 * configuration, which is frozen when the lambda returns:
 *
 * <pre>{@code
 * Server local = Server.start(
 *         config -> config.listen(new InetSocketAddress("127.0.0.1", 0)).maxBodyBytes(1 << 20),
 *         routes -> routes.get("/", request -> Response.text("It works.")));
 * int port = local.port(); // chosen by the system
 * }</pre>
 *
 * <p>The threads of a running server keep the JVM alive; {@link #stop} or {@link #close} ends them.
 * A stopped server can be started again at once, on the same address. Servers in one JVM are
 * independent of each other; they share the threads that read files from the disk. A server
 * installs no signal handlers.
 *
 * <p>Any thread.
 */
public final class Server implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Server.class);
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private volatile ServerPlan plan; // written with the lock held, as is the next
    private volatile RunningServer running; // null while stopped
    private volatile CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final List<Registration> registrations = new CopyOnWriteArrayList<>();

    private Server(Consumer<Config> configure, Consumer<Routes> routes) {
        this.plan = ServerPlan.of(configure, routes, Map.of());
    }

    /**
     * Starts a server that listens on {@code port} of all IPv4 addresses of the machine, with the
     * default configuration.
     *
     * @param port 0 to 65535; 0 lets the system choose, see {@link #port()}
     * @throws IllegalArgumentException if the port or a route is invalid
     * @throws UncheckedIOException if the address cannot be bound
     */
    public static Server start(int port, Consumer<Routes> routes) {
        return create(config -> config.port(port), routes).start();
    }

    /**
     * Starts a server. Equivalent to {@link #create} followed by {@link #start()}.
     *
     * @throws IllegalArgumentException if a setting or a route is invalid, or if there is no
     *     address to listen on; the message says what to write instead
     * @throws UncheckedIOException if an address cannot be bound; no address stays bound
     */
    public static Server start(Consumer<Config> configure, Consumer<Routes> routes) {
        return create(configure, routes).start();
    }

    /**
     * Creates a server without starting it. Both lambdas run once, on the calling thread.
     *
     * @throws IllegalArgumentException if a setting or a route is invalid, or if there is no
     *     address to listen on; the message says what to write instead
     */
    public static Server create(Consumer<Config> configure, Consumer<Routes> routes) {
        return new Server(configure, routes);
    }

    /**
     * Binds all addresses and starts to serve. Logs a warning and does nothing else if the server
     * is already running.
     *
     * @return this server
     * @throws UncheckedIOException if an address cannot be bound; no address stays bound, and the
     *     server can be started again
     */
    public synchronized Server start() {
        if (running != null) {
            LOG.get().log(Level.WARNING, "the server on {0} is already running", addresses());
            return this;
        }
        if (failure.isDone()) {
            failure = new CompletableFuture<>(); // of the last run
        }
        try {
            running = new RunningServer(plan, failure::complete);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /**
     * Replaces the configuration and the routes, all of it or nothing. Connections stay open, and
     * requests in progress finish with the old routes. Addresses that were added are bound; those
     * that were removed are closed. TLS settings of an address are replaced, too.
     *
     * <p>The following settings do not change until the next start: number of loops, transport,
     * clock, name, watchdog threshold, pool threads, memory limit, open connections per loop, and
     * the backlog, accept rate and connection limits of an address that stays bound. If the server
     * is stopped, the new configuration applies when it starts.
     *
     * @throws IllegalArgumentException if a setting or a route is invalid, or if a bound address
     *     would change between HTTP and HTTPS or begin or cease to expect the PROXY protocol;
     *     nothing changes
     * @throws IllegalStateException if called on one of this server's event loops
     * @throws UncheckedIOException if an address cannot be bound; nothing changes
     */
    public synchronized void reload(Consumer<Config> configure, Consumer<Routes> routes) {
        ServerPlan next = ServerPlan.of(configure, routes, plan.kinds());
        if (running == null) {
            plan = next;
            return;
        }
        if (running.isLoopThread()) {
            throw new IllegalStateException(
                    "An event loop cannot reload its own server: use another thread.");
        }
        try {
            running.reload(next);
            plan = next;
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /**
     * Stops the server as {@link #stop} does, within 10 s. Does nothing if the server is stopped.
     *
     * @throws IllegalStateException where {@link #stop} throws it
     */
    @Override
    public void close() {
        if (isRunning()) {
            stop(DRAIN);
        }
    }

    /**
     * Registers this server with a balancer, which forwards requests to it from then on: the admin
     * server of another Sirocco whose {@code [[upstream]]} has {@code registration}, as
     * docs/proxy.md describes it. Heartbeats follow, until the registration is closed or this
     * server stops, which leaves the balancer before it drains.
     *
     * <pre>{@code
     * server.join("http://10.0.0.1:9180/upstreams/api", token);
     * }</pre>
     *
     * <p>The balancer reaches the server at the first address of the configuration; if that is no
     * particular one, at the address that the heartbeats come from, with the port of this server.
     *
     * @param upstream the URL of the upstream on the admin port of the balancer
     * @param token the token that the balancer asks for
     * @throws IllegalArgumentException if {@code upstream} is not a URL or the first address is a
     *     Unix-domain socket
     * @throws IllegalStateException if the server is stopped
     */
    public Registration join(String upstream, String token) {
        return join(upstream, token, 1);
    }

    /**
     * Registers this server with a weight: it gets so many times as many requests as a server of
     * weight 1. See {@link #join(String, String)}.
     *
     * @param weight 1 to 1000
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the server is stopped
     */
    public Registration join(String upstream, String token, int weight) {
        boolean secure = plan.config().addresses.getFirst().tls().isPresent();
        String scheme = secure ? "https" : "http";
        if (!(running().listeners.addresses().getFirst() instanceof InetSocketAddress bound)) {
            throw new IllegalArgumentException(
                    "A balancer cannot reach a Unix-domain socket: name a URL.");
        }
        if (!bound.getAddress().isAnyLocalAddress()) {
            String host = bound.getAddress().getHostAddress().replaceFirst("%.*", "");
            String address = host.contains(":") ? "[" + host + "]" : host;
            return join(upstream, token, scheme + "://" + address + ":" + bound.getPort(), weight);
        }
        return join(
                new Registration(
                        upstream,
                        token,
                        "\"port\":" + bound.getPort() + ",\"scheme\":\"" + scheme + "\"",
                        "?port=" + bound.getPort() + "&scheme=" + scheme,
                        weight,
                        running().loops.all().getFirst()));
    }

    /**
     * Registers this server with a balancer that reaches it at another URL, such as that of a
     * published port. See {@link #join(String, String)}.
     *
     * @param url {@code http://ADDRESS:PORT} or {@code https://...}
     * @throws IllegalArgumentException if one is not a URL
     * @throws IllegalStateException if the server is stopped
     */
    public Registration join(String upstream, String token, String url) {
        return join(upstream, token, url, 1);
    }

    /**
     * The same with a weight. See {@link #join(String, String, int)}.
     *
     * @param url {@code http://ADDRESS:PORT} or {@code https://...}
     * @param weight 1 to 1000
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the server is stopped
     */
    public Registration join(String upstream, String token, String url, int weight) {
        String origin = Registration.origin(url);
        return join(
                new Registration(
                        upstream,
                        token,
                        "\"url\":\"" + origin + "\"",
                        "?url=" + URLEncoder.encode(origin, UTF_8),
                        weight,
                        running().loops.all().getFirst()));
    }

    private synchronized Registration join(Registration registration) {
        running(); // not between a stop and its end
        registrations.removeIf(Registration::hasLeft);
        registrations.add(registration);
        registration.begin();
        return registration;
    }

    /**
     * Announces a stop: from now on every response has {@code Connection: close} and is the last of
     * its connection. New connections are still accepted and served, and idle ones stay open. Call
     * it when the readiness check begins to fail, wait until load balancers have noticed, then call
     * {@link #stop}: no request meets a closed connection. Does nothing if the server is stopped.
     */
    public synchronized void announceStop() {
        if (running != null) {
            running.announceStop();
        }
    }

    /**
     * Stops the server gracefully and returns when all connections are closed and the {@link
     * Monitor} has their reports. Leaves balancers that it has {@linkplain #join joined}, which
     * takes up to a second, and lets {@linkplain Mount#drain mounts} drain. Closes the listeners
     * and idle connections, closes WebSockets with code 1001, interrupts the writers of {@link
     * Response#events}, and waits for requests in progress to finish. All of this takes up to
     * {@code timeout}; then the server closes the remaining connections and interrupts their
     * handlers. Logs a warning and returns true if the server is already stopped.
     *
     * @return whether everything in progress finished in time
     * @throws IllegalStateException if called by a handler, a callback of {@link Request} or a
     *     {@link Monitor} of this server, or on one of its event loops: none can wait for its own
     *     end. Start a thread there that calls it
     */
    public boolean stop(Duration timeout) {
        RunningServer now = running;
        if (now != null) { // asked before the lock, for which such code would wait for ever, too
            refuseCaller(now);
        }
        return stopNow(timeout);
    }

    private static void refuseCaller(RunningServer running) {
        if (running.isLoopThread()) {
            throw new IllegalStateException(
                    "An event loop cannot stop its own server: use another thread.");
        }
        if (running.waitsForCaller()) {
            throw new IllegalStateException(
                    "A handler, callback or monitor cannot stop its own server, which waits for it:"
                            + " use another thread, such as Thread.startVirtualThread(() ->"
                            + " server.stop(timeout)).");
        }
    }

    private synchronized boolean stopNow(Duration timeout) {
        if (running == null) {
            LOG.get().log(Level.WARNING, "the server is already stopped");
            return true;
        }
        long began = System.nanoTime();
        Registration.leaveAll(registrations, timeout);
        registrations.clear();
        Duration left = timeout.minusNanos(System.nanoTime() - began);
        boolean drained = running.stop(left.isNegative() ? Duration.ZERO : left);
        running = null;
        return drained;
    }

    /**
     * Returns a future that completes with the exception that ended one of the event loops, usually
     * an {@link OutOfMemoryError}. It never completes while all loops are running. After such a
     * failure the server accepts no connections and serves only those of its other loops: stop it,
     * then start it again or end the process. Each start creates a new future. Dependent actions
     * may run on the failed loop's thread and must not block.
     */
    public CompletableFuture<Throwable> failure() {
        return failure.copy();
    }

    /**
     * Returns whether one of the event loops has died. Allocates nothing, so it suits a thread that
     * checks periodically even when the heap is exhausted.
     */
    public boolean hasFailed() {
        RunningServer now = running;
        return now != null && now.loops.hasFailed();
    }

    /** Returns whether the server is running. Returns true until a {@link #stop} has completed. */
    public boolean isRunning() {
        return running != null;
    }

    /**
     * Returns the port of the first address: the one chosen by the system if 0 was configured, or
     * -1 for a Unix-domain socket.
     *
     * @throws IllegalStateException if the server is stopped
     */
    public int port() {
        return running().listeners.port();
    }

    /**
     * Returns the bound addresses, in the order of the configuration; empty if the server is
     * stopped.
     */
    public List<SocketAddress> addresses() {
        RunningServer now = running;
        return now == null ? List.of() : now.listeners.addresses();
    }

    /** Returns the event loops that the server runs on; none while it is stopped. */
    public List<Loop> loops() {
        RunningServer now = running;
        return now == null ? List.of() : now.loops.all();
    }

    /**
     * Returns the transport in use: how the event loops do I/O.
     *
     * @throws IllegalStateException if the server is stopped
     */
    public TransportKind transport() {
        return running().loops.all().getFirst().transport();
    }

    /**
     * Returns the counters of each event loop since the start, by the index of the loop.
     *
     * @throws IllegalStateException if the server is stopped
     */
    public List<ServerStats> stats() {
        return running().contexts.stream().map(LoopContext::stats).toList();
    }

    /** Takes no lock, so that a caller does not wait for a stop in progress. */
    private RunningServer running() {
        RunningServer now = running;
        if (now == null) {
            throw new IllegalStateException("The server is stopped.");
        }
        return now;
    }
}
