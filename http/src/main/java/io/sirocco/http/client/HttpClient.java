// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import io.sirocco.http.Server;
import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.TlsClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * An HTTP/1.1 client, on event loops of its own or on those of a {@link Server}. It pools
 * connections and streams bodies in both directions.
 *
 * <pre>{@code
 * try (HttpClient client = HttpClient.create()) {
 *     ClientResponse response = client.send(ClientRequest.get("http://localhost:8080/hello"));
 *     System.out.println(response.status() + " " + response.body().text());
 * }
 * }</pre>
 *
 * <p>A request that is made on one of the client's loops, for example by a handler of the server,
 * stays on that loop; other requests are distributed over the loops in turn. All limits and
 * timeouts are finite, see {@link HttpClientSettings}. Failures are {@link HttpClientException}s,
 * whose reason names the error. Any thread.
 */
public final class HttpClient implements AutoCloseable {
    final HttpClientSettings.Frozen settings;
    private final Supplier<List<Loop>> loops;
    private final Loops own; // null unless it has its own
    private final Map<Loop, LoopPool> pools = new ConcurrentHashMap<>();
    private final AtomicInteger next = new AtomicInteger();
    private volatile TlsClient tls; // null until it is needed
    private volatile boolean closed;

    private HttpClient(Supplier<List<Loop>> loops, Loops own, HttpClientSettings.Frozen settings) {
        this.loops = loops;
        this.own = own;
        this.settings = settings;
        this.tls = settings.tls();
    }

    /**
     * Creates a client with an event loop of its own, which stops when the client is closed.
     *
     * @throws IOException if the loop cannot be started
     */
    public static HttpClient create() throws IOException {
        return create(settings -> {});
    }

    /**
     * Creates a client with event loops of its own, which stop when the client is closed.
     *
     * @param configure changes the default settings
     * @throws IOException if a loop cannot be started
     */
    public static HttpClient create(Consumer<HttpClientSettings> configure) throws IOException {
        HttpClientSettings.Frozen settings = frozen(configure);
        Loops own =
                Loops.start(
                        s -> s.loops(settings.loops()).name("sirocco-client").withoutWatchdog());
        return new HttpClient(own::all, own, settings);
    }

    /**
     * Creates a client on the event loops of a server. It keeps working after the server has been
     * stopped and started again. Closing the client does not stop the loops.
     */
    public static HttpClient on(Server server, Consumer<HttpClientSettings> configure) {
        return new HttpClient(server::loops, null, frozen(configure));
    }

    /** Creates a client on existing event loops, which it does not stop. */
    public static HttpClient on(Loops loops, Consumer<HttpClientSettings> configure) {
        return new HttpClient(loops::all, null, frozen(configure));
    }

    /**
     * Creates a client without loops: each request names one, by {@link #sendAsync(Loop,
     * ClientRequest)}. For handlers, which are created before their server, and take the loop of
     * each request ({@link io.sirocco.http.Request#loop}).
     */
    public static HttpClient onLoopOfCaller(Consumer<HttpClientSettings> configure) {
        return new HttpClient(List::of, null, frozen(configure));
    }

    private static HttpClientSettings.Frozen frozen(Consumer<HttpClientSettings> configure) {
        var settings = new HttpClientSettings();
        configure.accept(settings);
        return settings.freeze();
    }

    /**
     * Sends a request and returns the response as soon as its headers have arrived. Blocks until
     * then.
     *
     * @throws HttpClientException if there is no response
     * @throws IllegalStateException on the thread of an event loop, which must not block
     * @throws InterruptedException if the thread is interrupted, which cancels the request
     */
    public ClientResponse send(ClientRequest request) throws IOException, InterruptedException {
        refuseOnLoopThread("send", "sendAsync");
        CompletableFuture<ClientResponse> response = sendAsync(request);
        try {
            return await(response);
        } catch (InterruptedException e) {
            if (!response.cancel(true)) { // it has come at the same moment, and nobody reads it
                response.thenAccept(ClientResponse::close);
            }
            throw e;
        }
    }

    /**
     * Sends a request without blocking.
     *
     * @return a future that completes on the event loop when the headers of the response have
     *     arrived, or exceptionally with an {@link HttpClientException}. Canceling it cancels the
     *     request
     */
    public CompletableFuture<ClientResponse> sendAsync(ClientRequest request) {
        return sendAsync(loop(), request);
    }

    /**
     * Sends a request on a given event loop, without blocking. See {@link
     * #sendAsync(ClientRequest)}.
     */
    public CompletableFuture<ClientResponse> sendAsync(Loop loop, ClientRequest request) {
        LoopPool pool = pools.computeIfAbsent(loop, each -> new LoopPool(this, each));
        var exchange = new ClientExchange(pool, request);
        if (closed) {
            return CompletableFuture.failedFuture(
                    exchange.error(Reason.CLIENT_CLOSED, "the client is closed", null));
        }
        if (tls == null && request.origin.secure() && !Loop.isLoopThread()) {
            tls(); // which takes its time, when it is the system's
        }
        try {
            if (!loop.runInLoop(exchange::begin)) {
                loop.execute(exchange::begin);
            }
        } catch (RejectedExecutionException e) {
            pools.remove(loop);
            return CompletableFuture.failedFuture(exchange.stopped());
        }
        return exchange.outcome;
    }

    /** Returns the loop of the caller if it is one of ours, else the next one. */
    private Loop loop() {
        List<Loop> all = loops.get();
        if (all.isEmpty()) {
            throw new IllegalStateException(
                    "There is no loop: the server whose loops this client uses is stopped, or each"
                            + " request has to name its loop.");
        }
        for (Loop each : all) {
            if (each.inLoop()) {
                return each;
            }
        }
        return all.get(Math.floorMod(next.getAndIncrement(), all.size()));
    }

    TlsClient tls() {
        if (tls == null) {
            tls = TlsClient.system().withHandshakeTimeout(settings.handshake());
        }
        return tls;
    }

    /** Returns the counters of this client. */
    public HttpClientStats stats() {
        return pools.values().stream()
                .map(LoopPool::stats)
                .reduce(new HttpClientStats(0, 0, 0, 0, 0, 0, 0, 0, 0), HttpClientStats::plus);
    }

    /** Returns the connections to one origin. */
    public OriginStats stats(HttpOrigin origin) {
        return pools.values().stream()
                .map(pool -> pool.stats(origin))
                .reduce(new OriginStats(0, 0), OriginStats::plus);
    }

    /**
     * Closes the client: closes idle connections, fails requests that wait for a connection, and
     * waits up to 5 s for requests in progress. On the thread of an event loop it does not wait,
     * but fails them at once.
     */
    @Override
    public void close() {
        close(Duration.ofSeconds(5));
    }

    /** Closes the client like {@link #close()}, but waits up to {@code longest}. */
    public void close(Duration longest) {
        closed = true;
        var ends =
                pools.values().stream()
                        .map(
                                pool -> {
                                    var end = new CompletableFuture<Void>();
                                    return onLoop(pool, () -> pool.close(end)) ? end : null;
                                })
                        .filter(end -> end != null)
                        .toArray(CompletableFuture[]::new);
        try {
            if (!Loop.isLoopThread()) {
                CompletableFuture.allOf(ends).get(longest.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (TimeoutException e) {
            // they had their time
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
        pools.values().forEach(pool -> onLoop(pool, pool::abort));
        if (own != null) {
            own.close();
        }
    }

    private static boolean onLoop(LoopPool pool, Runnable task) {
        try {
            pool.loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // it has ended, and all that was on it
        }
    }

    static void refuseOnLoopThread(String method, String instead) {
        if (Loop.isLoopThread()) {
            throw new IllegalStateException(
                    "The method "
                            + method
                            + " would block the event loop "
                            + Thread.currentThread().getName()
                            + ": call it on a virtual thread (ExecutionMode.VIRTUAL), or use '"
                            + instead
                            + "'.");
        }
    }

    /** Waits; throws what the future has failed with, from here. */
    static <T> T await(CompletableFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case HttpClientException why -> throw why.here();
                case IOException why -> throw new IOException(why.getMessage(), why);
                case RuntimeException why -> throw why;
                case Error why -> throw why;
                default -> throw new IOException(e.getCause());
            }
        }
    }
}
