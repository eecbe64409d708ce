// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import io.sirocco.http.exchange.LoopContext;
import io.sirocco.http.exchange.ServerContext;
import io.sirocco.http.h1.Http1Context;
import io.sirocco.http.loop.ServerProtocol;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.Observer;
import io.sirocco.net.Protocol;
import io.sirocco.net.RateLimiter;
import io.sirocco.net.TaskKind;
import io.sirocco.net.TlsSession;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One run of a {@link Server}: its loops, what the connections of each loop share, its listeners
 * and its pool. Opened, reloaded and stopped by one thread at a time; everything else on any
 * thread.
 */
final class RunningServer {
    /** The name of HTTP/1.1 in ALPN (RFC 7301 6). */
    static final String HTTP_1_1 = "http/1.1";

    private static final LazyLogger LOG = LazyLogger.of(Server.class);

    final Loops loops;
    final List<LoopContext> contexts;
    final ServerListeners listeners;
    private final List<Http1Context> http1;
    private final String id = Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
    private final ExecutorService pool;
    private final Set<Thread> poolThreads = ConcurrentHashMap.newKeySet();
    private volatile ServerPlan plan;

    /** Starts loops and pool, and binds all addresses, or nothing. */
    RunningServer(ServerPlan plan, Consumer<Throwable> failure) throws IOException {
        Config config = plan.config();
        this.plan = plan;
        loops =
                Loops.start(
                        settings ->
                                settings.loops(config.loops)
                                        .transport(config.transport)
                                        .clock(config.clock)
                                        .name(config.name)
                                        .observer(new Moves())
                                        .longTurnMillis(config.longTurnMillis)
                                        .maxTurnMillis(config.maxTurnMillis)
                                        .memory(config.memoryLimit)
                                        .connections(config.mostConnections));
        pool = Executors.newFixedThreadPool(config.poolThreads, poolThreads(config.name));
        ServerContext serverContext = plan.serverContext(id, pool);
        RepeatedFailures failures = LoopContext.failureLog();
        contexts =
                loops.all().stream()
                        .map(loop -> new LoopContext(loop, serverContext, failures))
                        .toList();
        http1 = contexts.stream().map(Http1Context::new).toList();
        listeners = new ServerListeners(loops, () -> this.plan.config(), this::accept);
        loops.failure().thenAccept(why -> failed(why, failure));
        try {
            listeners.open();
        } catch (IOException | RuntimeException e) {
            loops.close();
            pool.shutdownNow();
            throw e;
        }
    }

    /**
     * Returns a factory of threads that inherit nothing of the loop that starts them but the
     * context class loader, which is that of this server's start.
     */
    private ThreadFactory poolThreads(String name) {
        ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
        ThreadFactory threads =
                Thread.ofPlatform()
                        .daemon()
                        .name(name + "-pool-", 0)
                        .inheritInheritableThreadLocals(false)
                        .factory();
        return task -> {
            Thread thread = threads.newThread(task);
            poolThreads.removeIf(each -> each.getState() == Thread.State.TERMINATED);
            poolThreads.add(thread);
            thread.setContextClassLoader(classLoader);
            return thread;
        };
    }

    /** Reports moved routes to the monitor. */
    private final class Moves implements Observer {
        @Override
        public void taskKindMoved(
                Loop loop, TaskKind kind, long millis, StackTraceElement[] stack) {
            contexts.get(loop.index()).moved(kind, millis, stack);
        }
    }

    /** Called on the thread of the loop that died, or on another when it is blocked. */
    private void failed(Throwable why, Consumer<Throwable> failure) {
        failure.accept(why);
        try {
            plan.config().monitor.loopDied(why);
        } catch (Throwable e) {
            LOG.get().log(Level.WARNING, "the monitor threw", e);
        }
        listeners.close();
    }

    // ---- connections

    /** Chooses the protocol of a connection: the one that its client has negotiated (RFC 7301). */
    private Protocol accept(Connection connection) {
        pace(connection, plan.config());
        String name = connection.tls().flatMap(TlsSession::protocol).orElse(HTTP_1_1);
        return switch (name) {
            case HTTP_1_1 -> http1.get(connection.loop().index()).open(connection);
            default -> throw new IllegalStateException("nothing speaks " + name);
        };
    }

    private static void pace(Connection connection, Config config) {
        List<RateLimiter> reads = with(config.reads, config.connectionReads);
        List<RateLimiter> writes = with(config.writes, config.connectionWrites);
        if (!reads.isEmpty() || !writes.isEmpty()) {
            connection.limitRates(reads, writes);
        }
    }

    private static List<RateLimiter> with(RateLimiter shared, long own) {
        if (shared == null && own == RateLimiter.UNLIMITED) {
            return List.of();
        }
        var all = new ArrayList<RateLimiter>();
        if (shared != null) {
            all.add(shared);
        }
        if (own != RateLimiter.UNLIMITED) {
            all.add(RateLimiter.perSecond(own));
        }
        return all;
    }

    // ---- reload

    /** Takes up another plan, all of it or nothing. */
    void reload(ServerPlan next) throws IOException {
        Runnable closeOthers = listeners.replace(next.config());
        plan = next;
        adopt(next.serverContext(id, pool));
        closeOthers.run();
    }

    private void adopt(ServerContext serverContext) {
        var adopted = new ArrayList<CompletableFuture<?>>();
        for (LoopContext context : contexts) {
            var done = new CompletableFuture<Void>();
            boolean runs =
                    context.execute(
                            () -> {
                                context.adopt(serverContext);
                                done.complete(null);
                            });
            if (runs) { // else its loop has died
                adopted.add(done);
            }
        }
        CompletableFuture.allOf(adopted.toArray(CompletableFuture[]::new)).join();
    }

    // ---- the end

    /** Ends each connection with its next response; others are still accepted. */
    void announceStop() {
        contexts.forEach(context -> context.execute(context::leave));
    }

    /** Stops, and returns whether everything in progress ended in time. */
    boolean stop(Duration timeout) {
        long began = System.nanoTime();
        drainMounts(timeout);
        contexts.forEach(context -> context.execute(() -> context.draining = true));
        listeners.close(); // behind that: a client that is refused sees that we are draining
        Duration left = timeout.minusNanos(System.nanoTime() - began);
        boolean drained = drain(left.isNegative() ? Duration.ZERO : left, timeout);
        loops.close();
        pool.shutdownNow();
        return drained;
    }

    /** Drains mounts first, while their connections are still served. */
    private void drainMounts(Duration timeout) {
        if (plan.mounts().isEmpty()) {
            return;
        }
        listeners.close();
        CompletableFuture<?>[] ends =
                plan.mounts().stream().map(RunningServer::drain).toArray(CompletableFuture[]::new);
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

    /** Waits for {@code left}, what is left of {@code timeout}. */
    private boolean drain(Duration left, Duration timeout) {
        var ends = new ArrayList<CompletableFuture<Void>>();
        for (LoopContext context : contexts) {
            var end = new CompletableFuture<Void>();
            boolean runs =
                    context.execute(
                            () -> {
                                context.drain(end);
                                context.loop.forEachProtocolInTurns(RunningServer::drain);
                            });
            if (runs && context.loop.failure().isEmpty()) { // else it is dead, as are these
                ends.add(end);
            }
        }
        try {
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .get(left.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            int open = contexts.stream().mapToInt(context -> context.connections).sum();
            if (open > 0) {
                LOG.get()
                        .log(
                                Level.WARNING,
                                open == 1
                                        ? "1 connection did not end within {1} ms and is closed"
                                        : "{0} connections did not end within {1} ms and are closed",
                                open,
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
     * Returns whether a stop waits for what the calling thread runs: a handler, a callback at the
     * end of a request or a monitor. Asks the loops, unless none of these runs on such a thread.
     */
    boolean waitsForCaller() {
        Thread caller = Thread.currentThread();
        if (!caller.isVirtual() && !poolThreads.contains(caller)) {
            return false;
        }
        var found = new AtomicBoolean();
        var asked = new ArrayList<CompletableFuture<?>>();
        for (LoopContext context : contexts) {
            var done = new CompletableFuture<Void>();
            Consumer<Protocol> look =
                    protocol -> {
                        if (protocol instanceof ServerProtocol ours && ours.isServedBy(caller)) {
                            found.set(true);
                        }
                    };
            boolean runs =
                    context.execute(
                            () -> {
                                if (context.isNotifiedBy(caller)) {
                                    found.set(true);
                                }
                                context.loop.forEachProtocol(look);
                                done.complete(null);
                            });
            if (runs) { // else its loop has died
                asked.add(done);
            }
        }
        CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, 1, TimeUnit.SECONDS) // a loop may be blocked
                .join();
        return found.get();
    }

    /** Returns whether the calling thread is one of the loops. */
    boolean isLoopThread() {
        return contexts.stream().anyMatch(LoopContext::isOwnThread);
    }
}
