// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.net.Acceptor;
import io.sirocco.net.Bandwidth;
import io.sirocco.net.Connection;
import io.sirocco.net.Listener;
import io.sirocco.net.Loops;
import io.sirocco.net.Protocol;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
    private static final System.Logger LOG = System.getLogger(Server.class.getName());
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private final Config config;
    private final Router<Endpoint> router;
    private volatile Running running; // null while stopped; written with the lock held

    private record Running(
            Loops loops, List<Worker> workers, List<Listener> listeners, ExecutorService pool) {}

    private Server(Config config, Router<Endpoint> router) {
        this.config = config;
        this.router = router;
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
        var config = new Config();
        configure.accept(config);
        if (config.addresses.isEmpty()) {
            throw new IllegalArgumentException(
                    "The server has no address: call port() or listen().");
        }
        var all = new Routes(config.handling);
        routes.accept(all);
        Limits limits = config.limits();
        var table =
                all.all().stream()
                        .map(
                                route ->
                                        new Router.Route<>(
                                                route.method,
                                                route.host,
                                                route.path,
                                                Endpoint.of(route, limits)))
                        .toList();
        return new Server(config, new Router<>(table));
    }

    /**
     * Binds and begins to serve; only says so in the log when it does already.
     *
     * @throws UncheckedIOException when an address cannot be bound: the server stays as it was, and
     *     may be started again
     */
    public synchronized Server start() {
        if (running != null) {
            LOG.log(Level.WARNING, "the server on {0} runs already", addresses());
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
        Loops loops =
                Loops.start(
                        settings ->
                                settings.loops(config.loops)
                                        .transport(config.transport)
                                        .clock(config.clock)
                                        .name(config.name)
                                        .heldMillis(config.heldMillis));
        ExecutorService pool =
                Executors.newFixedThreadPool(
                        config.poolThreads,
                        Thread.ofPlatform().daemon().name(config.name + "-pool-", 0).factory());
        var setup =
                new Setup(
                        Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36),
                        router,
                        config.limits(),
                        new DateAndServer(config.serverHeader),
                        config.monitor,
                        config.errorPages,
                        pool);
        List<Worker> workers = loops.all().stream().map(loop -> new Worker(loop, setup)).toList();
        var listeners = new ArrayList<Listener>();
        try {
            for (SocketAddress address : config.addresses) {
                listeners.add(loops.listen(address, this::options, acceptor(workers)));
            }
        } catch (IOException | RuntimeException e) {
            loops.close();
            pool.shutdownNow();
            throw e;
        }
        return new Running(loops, workers, List.copyOf(listeners), pool);
    }

    private void options(Listener.Options options) {
        options.backlog(config.backlog)
                .slots(config.slots, config.whenFull)
                .parking(config.parked, config.parking.toMillis())
                .accepts(config.accepts);
    }

    private Acceptor acceptor(List<Worker> workers) {
        List<Bandwidth> reads = Optional.ofNullable(config.reads).stream().toList();
        List<Bandwidth> writes = Optional.ofNullable(config.writes).stream().toList();
        boolean each =
                config.connectionReads != Bandwidth.UNLIMITED
                        || config.connectionWrites != Bandwidth.UNLIMITED;
        return connection -> {
            if (each || !reads.isEmpty() || !writes.isEmpty()) {
                pace(connection, reads, writes);
            }
            return new Http1(connection, workers.get(connection.loop().index()));
        };
    }

    private void pace(Connection connection, List<Bandwidth> reads, List<Bandwidth> writes) {
        connection.pace(with(reads, config.connectionReads), with(writes, config.connectionWrites));
    }

    private static List<Bandwidth> with(List<Bandwidth> shared, long own) {
        if (own == Bandwidth.UNLIMITED) {
            return shared;
        }
        var all = new ArrayList<>(shared);
        all.add(Bandwidth.perSecond(own));
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
     * Accepts no more, ends idle connections, lets those in progress end with their response, for
     * {@code longest} at most; then aborts the rest and interrupts their handlers. Returns when all
     * is closed. Only says so in the log when it is stopped already.
     *
     * @return whether everything in progress came to its end
     * @throws IllegalStateException when an {@link Handling#INLINE} handler calls it: its loop
     *     cannot wait for its own end
     */
    public synchronized boolean stop(Duration longest) {
        if (running == null) {
            LOG.log(Level.WARNING, "the server is stopped already");
            return true;
        }
        Running ending = running;
        if (ending.workers.stream().anyMatch(Worker::isLoopThread)) {
            throw new IllegalStateException("A loop cannot stop its own server: use a thread.");
        }
        ending.workers.forEach(worker -> worker.execute(() -> worker.draining = true));
        ending.listeners.forEach(Listener::close); // whoever is refused knows that we are draining
        boolean drained = drain(ending, longest);
        ending.loops.close();
        ending.pool.shutdownNow();
        running = null;
        return drained;
    }

    private static boolean drain(Running ending, Duration longest) {
        var ends = new ArrayList<CompletableFuture<Void>>();
        for (Worker worker : ending.workers) {
            var end = new CompletableFuture<Void>();
            worker.execute(
                    () -> {
                        worker.drain(end);
                        worker.loop.protocols(Server::drain);
                    });
            ends.add(end);
        }
        try {
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .get(longest.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            int left = ending.workers.stream().mapToInt(worker -> worker.connections).sum();
            if (left > 0) {
                LOG.log(
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
        if (protocol instanceof Http1 http) {
            http.drain();
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
        return running().listeners.getFirst().port();
    }

    /** The addresses that are bound; none when it is stopped. */
    public List<SocketAddress> addresses() {
        Running now = running;
        return now == null ? List.of() : now.listeners.stream().map(Listener::address).toList();
    }

    /** How its loops talk to the kernel. */
    public TransportKind transport() {
        return running().loops.all().getFirst().transport();
    }

    /** What each of its loops has done since the start. */
    public List<ServerStats> stats() {
        return running().workers.stream().map(Worker::stats).toList();
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
