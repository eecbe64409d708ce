// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.loop.ServerProtocol;
import io.sirocco.net.Acceptor;
import io.sirocco.net.Bandwidth;
import io.sirocco.net.Connection;
import io.sirocco.net.Listener;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.Observer;
import io.sirocco.net.Protocol;
import io.sirocco.net.TaskKind;
import io.sirocco.net.TransportKind;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
 * A stopped server can be started again at once, on the same address. Servers in one JVM share
 * nothing. A server installs no signal handlers.
 *
 * <p>Any thread.
 */
public final class Server implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Server.class);
    private static final Duration DRAIN = Duration.ofSeconds(10);

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

    private volatile ServerPlan plan; // written with the lock held, as is the next
    private volatile Running running; // null while stopped
    private volatile CompletableFuture<Throwable> failure = new CompletableFuture<>();

    private record Running(
            String id,
            Loops loops,
            List<LoopContext> workers,
            List<Bound> listeners,
            ExecutorService pool) {}

    /** A configured address with the listener that is bound to it. */
    private record Bound(Config.Listening asked, Listener listener) {}

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
        try {
            running = open();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private Running open() throws IOException {
        Config config = plan.config();
        var workers = new CopyOnWriteArrayList<LoopContext>();
        if (failure.isDone()) {
            failure = new CompletableFuture<>(); // of the last run
        }
        Loops loops =
                Loops.start(
                        settings ->
                                settings.loops(config.loops)
                                        .transport(config.transport)
                                        .clock(config.clock)
                                        .name(config.name)
                                        .observer(new Moves(workers))
                                        .heldMillis(config.heldMillis)
                                        .memory(config.memoryLimit)
                                        .connections(config.mostConnections));
        loops.failure().thenAccept(this::failed);
        ExecutorService pool =
                Executors.newFixedThreadPool(
                        config.poolThreads,
                        Thread.ofPlatform().daemon().name(config.name + "-pool-", 0).factory());
        String id = Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
        ServerContext setup = plan.setup(id, pool);
        workers.addAll(loops.all().stream().map(loop -> new LoopContext(loop, setup)).toList());
        try {
            var bound = listen(loops, config, config.addresses, workers);
            return new Running(id, loops, workers, bound, pool);
        } catch (IOException | RuntimeException e) {
            loops.close();
            pool.shutdownNow();
            throw e;
        }
    }

    /** Reports moved routes to the monitor. */
    private record Moves(List<LoopContext> workers) implements Observer {
        @Override
        public void moved(Loop loop, TaskKind kind, long millis, StackTraceElement[] stack) {
            workers.get(loop.index()).moved(kind, millis, stack);
        }
    }

    /** Binds all of {@code addresses}, or none. */
    private List<Bound> listen(
            Loops loops, Config config, List<Config.Listening> addresses, List<LoopContext> workers)
            throws IOException {
        var bound = new ArrayList<Bound>();
        try {
            for (Config.Listening asked : addresses) {
                Listener listener =
                        loops.listen(
                                asked.address(), o -> options(config, asked, o), acceptor(workers));
                bound.add(new Bound(asked, listener));
            }
            return bound;
        } catch (IOException | RuntimeException e) {
            bound.forEach(each -> each.listener.close());
            throw e;
        }
    }

    private void options(Config config, Config.Listening asked, Listener.Options options) {
        asked.tls().ifPresent(tls -> options.tls(tls, "http/1.1").toPlainText(NOT_HTTPS));
        if (asked.proxyProtocol()) {
            long most = config.limits().headMillis();
            options.proxyProtocol(
                    peer -> plan.config().trustedProxies.trusts(peer),
                    most == 0 ? PROXY_HEADER.toMillis() : most);
        }
        options.backlog(config.backlog)
                .slots(config.maxConnectionsPerLoop, config.whenFull)
                .parking(config.parked, config.parkedConnections.toMillis())
                .accepts(config.acceptRate)
                .admission(() -> plan.config().admission);
    }

    private Acceptor acceptor(List<LoopContext> workers) {
        return connection -> {
            Config config = plan.config();
            pace(connection, config);
            LoopContext worker = workers.get(connection.loop().index());
            return new Http1(connection, worker);
        };
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
        if (running.workers.stream().anyMatch(LoopContext::isLoopThread)) {
            throw new IllegalStateException(
                    "An event loop cannot reload its own server: use another thread.");
        }
        try {
            running = reload(running, next);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private Running reload(Running now, ServerPlan next) throws IOException {
        var old = new ArrayList<>(now.listeners);
        var kept = new ArrayList<Bound>();
        var added = new ArrayList<Config.Listening>();
        for (Config.Listening address : next.config().addresses) {
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
        var fresh = listen(now.loops, next.config(), added, now.workers);
        kept.forEach(bound -> bound.asked.tls().ifPresent(bound.listener::tls));
        kept.addAll(fresh);
        plan = next;
        adopt(now.workers, next.setup(now.id, now.pool));
        old.forEach(each -> each.listener.close());
        return new Running(now.id, now.loops, now.workers, List.copyOf(kept), now.pool);
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

    private static void adopt(List<LoopContext> workers, ServerContext setup) {
        var adopted = new ArrayList<CompletableFuture<?>>();
        for (LoopContext worker : workers) {
            var done = new CompletableFuture<Void>();
            boolean runs =
                    worker.execute(
                            () -> {
                                worker.adopt(setup);
                                done.complete(null);
                            });
            if (runs) { // else its loop has died
                adopted.add(done);
            }
        }
        CompletableFuture.allOf(adopted.toArray(CompletableFuture[]::new)).join();
    }

    private static void pace(Connection connection, Config config) {
        List<Bandwidth> reads = with(config.reads, config.connectionReads);
        List<Bandwidth> writes = with(config.writes, config.connectionWrites);
        if (!reads.isEmpty() || !writes.isEmpty()) {
            connection.pace(reads, writes);
        }
    }

    private static List<Bandwidth> with(Bandwidth shared, long own) {
        if (shared == null && own == Bandwidth.UNLIMITED) {
            return List.of();
        }
        var all = new ArrayList<Bandwidth>();
        if (shared != null) {
            all.add(shared);
        }
        if (own != Bandwidth.UNLIMITED) {
            all.add(Bandwidth.perSecond(own));
        }
        return all;
    }

    /**
     * Stops the server as {@link #stop} does, within 10 s. Does nothing if the server is stopped.
     */
    @Override
    public void close() {
        if (isRunning()) {
            stop(DRAIN);
        }
    }

    /**
     * Stops the server gracefully and returns when all connections are closed. Closes the listeners
     * and idle connections, closes WebSockets with code 1001, interrupts the writers of {@link
     * Response#events}, and waits up to {@code timeout} for requests in progress to finish. Then it
     * closes the remaining connections and interrupts their handlers. Logs a warning and returns
     * true if the server is already stopped.
     *
     * @return whether everything in progress finished in time
     * @throws IllegalStateException if called on one of this server's event loops, by an {@link
     *     ExecutionMode#INLINE} handler for example: a loop cannot wait for its own end
     */
    public synchronized boolean stop(Duration timeout) {
        if (running == null) {
            LOG.get().log(Level.WARNING, "the server is already stopped");
            return true;
        }
        Running ending = running;
        if (ending.workers.stream().anyMatch(LoopContext::isLoopThread)) {
            throw new IllegalStateException(
                    "An event loop cannot stop its own server: use another thread.");
        }
        long began = System.nanoTime();
        drainMounts(ending, timeout);
        ending.workers.forEach(worker -> worker.execute(() -> worker.draining = true));
        ending.listeners.forEach(
                each ->
                        each.listener
                                .close()); // a refused client can tell that the server is stopping
        Duration left = timeout.minusNanos(System.nanoTime() - began);
        boolean drained = drain(ending, left.isNegative() ? Duration.ZERO : left);
        ending.loops.close();
        ending.pool.shutdownNow();
        running = null;
        return drained;
    }

    /** Drains mounts first, while their connections are still served. */
    private void drainMounts(Running ending, Duration timeout) {
        if (plan.mounts().isEmpty()) {
            return;
        }
        ending.listeners.forEach(each -> each.listener.close());
        CompletableFuture<?>[] ends =
                plan.mounts().stream().map(Server::drain).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(ends).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.get().log(Level.WARNING, "mounts did not drain in time");
        } catch (ExecutionException e) {
            LOG.get().log(Level.WARNING, "mounts could not drain", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static CompletableFuture<?> drain(Mount mount) {
        try {
            return mount.drain().toCompletableFuture();
        } catch (RuntimeException e) { // the others, and the server, come to their end all the same
            return CompletableFuture.failedFuture(e);
        }
    }

    private static boolean drain(Running ending, Duration timeout) {
        var ends = new ArrayList<CompletableFuture<Void>>();
        for (LoopContext worker : ending.workers) {
            var end = new CompletableFuture<Void>();
            boolean runs =
                    worker.execute(
                            () -> {
                                worker.drain(end);
                                worker.loop.protocols(Server::drain);
                            });
            if (runs) { // else its loop has died, and its connections with it
                ends.add(end);
            }
        }
        try {
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            int left = ending.workers.stream().mapToInt(worker -> worker.connections).sum();
            if (left > 0) {
                LOG.get()
                        .log(
                                Level.WARNING,
                                "{0} connections did not end within {1} ms and are closed",
                                left,
                                timeout.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
        return false;
    }

    private static void drain(Protocol protocol) {
        if (protocol instanceof ServerProtocol ours) {
            ours.drain();
        }
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
        Running now = running;
        return now != null && now.loops.hasFailed();
    }

    /** Called on the thread of the loop that died. */
    private void failed(Throwable why) {
        Running now = running;
        failure.complete(why);
        if (now != null) {
            try {
                plan.config().monitor.loopDied(why);
            } catch (Throwable e) {
                LOG.get().log(Level.WARNING, "the monitor threw", e);
            }
            now.listeners.forEach(each -> each.listener.close());
        }
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
        return running().listeners.getFirst().listener.port();
    }

    /**
     * Returns the bound addresses, in the order of the configuration; empty if the server is
     * stopped.
     */
    public List<SocketAddress> addresses() {
        Running now = running;
        return now == null
                ? List.of()
                : now.listeners.stream().map(each -> each.listener.address()).toList();
    }

    /** Returns the event loops that the server runs on; none while it is stopped. */
    public List<Loop> loops() {
        Running now = running;
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
        return running().workers.stream().map(LoopContext::stats).toList();
    }

    /** Takes no lock, so that a caller does not wait for a stop in progress. */
    private Running running() {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("The server is stopped.");
        }
        return now;
    }
}
