// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

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
 * An HTTP server.
 *
 * <pre>{@code
 * Server.start(8080, routes -> routes
 *         .get("/hello/{name}", request -> Response.text("Hello, " + request.param("name")))
 *         .post("/echo", request -> Response.bytes(request.body().bytes())));
 * }</pre>
 *
 * <p>Two servers in one JVM know nothing of each other. A server that was stopped may be started
 * again, on the same address at once. Any thread.
 */
public final class Server implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Server.class);
    private static final Duration DRAIN = Duration.ofSeconds(10);

    /** A proxy's first bytes, where heads may take for ever. */
    private static final Duration PROXY_HEADER = Duration.ofSeconds(10);

    /** For a client that speaks HTTP where HTTPS is spoken. */
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

    /** An address as it was asked for, and what listens on it. */
    private record Bound(Config.Listening asked, Listener listener) {}

    private Server(Consumer<Config> configure, Consumer<Routes> routes) {
        this.plan = ServerPlan.of(configure, routes, Map.of());
    }

    /** Starts a server on {@code port} of every IPv4 address, all else as it is by default. */
    public static Server start(int port, Consumer<Routes> routes) {
        return create(config -> config.port(port), routes).start();
    }

    /** Starts a server. */
    public static Server start(Consumer<Config> configure, Consumer<Routes> routes) {
        return create(configure, routes).start();
    }

    /**
     * Sets a server up without starting it.
     *
     * @throws IllegalArgumentException for a setting or a route that cannot be, and says which
     */
    public static Server create(Consumer<Config> configure, Consumer<Routes> routes) {
        return new Server(configure, routes);
    }

    /**
     * Binds and begins to serve; only says so in the log when it does already.
     *
     * @throws UncheckedIOException when an address cannot be bound: the server stays as it was, and
     *     may be started again
     */
    public synchronized Server start() {
        if (running != null) {
            LOG.get().log(Level.WARNING, "the server on {0} runs already", addresses());
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

    /** Has the monitor told of routes that were moved. */
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
     * Takes up another configuration and other routes, all of it or nothing: connections are kept,
     * requests that have begun end as they began, and addresses are bound and given back as they
     * have come and gone. What belongs to a start stays as it is until the next one: loops,
     * transport, clock, name, watchdog, threads of the pool, and how an address is listened on that
     * was so before.
     *
     * @throws IllegalArgumentException for a setting or a route that cannot be, and says which
     * @throws UncheckedIOException when an address cannot be bound
     */
    public synchronized void reload(Consumer<Config> configure, Consumer<Routes> routes) {
        ServerPlan next = ServerPlan.of(configure, routes, plan.kinds());
        if (running == null) {
            plan = next;
            return;
        }
        if (running.workers.stream().anyMatch(LoopContext::isLoopThread)) {
            throw new IllegalStateException("A loop cannot reload its own server: use a thread.");
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

    /** An address that is bound cannot be bound again, for something else. */
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
                            + " cannot begin or cease to expect the PROXY protocol while the server"
                            + " runs: stop it and start it again.");
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

    /** Stops within ten seconds, as {@link #stop} does. */
    @Override
    public void close() {
        if (isRunning()) {
            stop(DRAIN);
        }
    }

    /**
     * Accepts no more, ends idle connections, closes WebSockets with 1001, lets those in progress
     * end with their response, for {@code longest} at most; then aborts the rest and interrupts
     * their handlers. Returns when all is closed. Only says so in the log when it is stopped
     * already.
     *
     * @return whether everything in progress came to its end
     * @throws IllegalStateException when an {@link ExecutionMode#INLINE} handler calls it: its loop
     *     cannot wait for its own end
     */
    public synchronized boolean stop(Duration longest) {
        if (running == null) {
            LOG.get().log(Level.WARNING, "the server is stopped already");
            return true;
        }
        Running ending = running;
        if (ending.workers.stream().anyMatch(LoopContext::isLoopThread)) {
            throw new IllegalStateException("A loop cannot stop its own server: use a thread.");
        }
        long began = System.nanoTime();
        drainMounts(ending, longest);
        ending.workers.forEach(worker -> worker.execute(() -> worker.draining = true));
        ending.listeners.forEach(
                each -> each.listener.close()); // whoever is refused knows that we are draining
        Duration left = longest.minusNanos(System.nanoTime() - began);
        boolean drained = drain(ending, left.isNegative() ? Duration.ZERO : left);
        ending.loops.close();
        ending.pool.shutdownNow();
        running = null;
        return drained;
    }

    /** What is mounted comes to its end first, over connections that still serve. */
    private void drainMounts(Running ending, Duration longest) {
        if (plan.mounts().isEmpty()) {
            return;
        }
        ending.listeners.forEach(each -> each.listener.close());
        CompletableFuture<?>[] ends =
                plan.mounts().stream().map(Server::drain).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(ends).get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.get().log(Level.WARNING, "what is mounted has not come to its end in time");
        } catch (ExecutionException e) {
            LOG.get().log(Level.WARNING, "what is mounted could not come to its end", e);
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

    private static boolean drain(Running ending, Duration longest) {
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
                    .get(longest.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            int left = ending.workers.stream().mapToInt(worker -> worker.connections).sum();
            if (left > 0) {
                LOG.get()
                        .log(
                                Level.WARNING,
                                "{0} connections have not ended within {1} ms and are cut",
                                left,
                                longest.toMillis());
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
     * Completes with what one of its event loops has died of, the lack of heap mostly; never while
     * all is well. From that moment on the server accepts no connections, and serves those of its
     * other loops: stop it, and start it again or end the process. A server that is started again
     * has another future. What depends on it must not block.
     */
    public CompletableFuture<Throwable> failure() {
        return failure.copy();
    }

    /**
     * Returns whether one of its event loops has died. For a thread that looks now and then: it
     * allocates nothing, where {@link #failure} may need heap that is not there. Any thread.
     */
    public boolean hasFailed() {
        Running now = running;
        return now != null && now.loops.hasFailed();
    }

    /** A loop has died, whose thread this is. */
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

    /** Whether it serves; until a stop has come to its end, it does. */
    public boolean isRunning() {
        return running != null;
    }

    /**
     * The port that is bound first: the one that the system chose if 0 was asked for; -1 for a
     * Unix-domain socket.
     *
     * @throws IllegalStateException when it is stopped
     */
    public int port() {
        return running().listeners.getFirst().listener.port();
    }

    /** The addresses that are bound; none when it is stopped. */
    public List<SocketAddress> addresses() {
        Running now = running;
        return now == null
                ? List.of()
                : now.listeners.stream().map(each -> each.listener.address()).toList();
    }

    /** The event loops that it runs on; none when it is stopped. */
    public List<Loop> loops() {
        Running now = running;
        return now == null ? List.of() : now.loops.all();
    }

    /** How its loops talk to the kernel. */
    public TransportKind transport() {
        return running().loops.all().getFirst().transport();
    }

    /** What each of its loops has done since the start. */
    public List<ServerStats> stats() {
        return running().workers.stream().map(LoopContext::stats).toList();
    }

    /** Takes no lock: whoever asks during a stop must not wait for its end. */
    private Running running() {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("The server is stopped.");
        }
        return now;
    }
}
