// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Server;
import io.sirocco.http.client.HttpClient;
import io.sirocco.http.client.HttpClientStats;
import io.sirocco.http.client.OriginStats;
import io.sirocco.net.Loop;
import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A group of servers that requests are forwarded to, with its settings, connections and health.
 *
 * <pre>{@code
 * Upstream api = Upstream.of("http://10.0.0.1:8080", "http://10.0.0.2:8080");
 * Server.start(8080, routes -> routes.any("/api/*", Proxy.to(api)));
 * }</pre>
 *
 * <p>Each event loop of the server has its own connections to each upstream server, so a request
 * stays on its loop. Health checks and look-ups of names begin with the first request, or with
 * {@link #start}, and end with the server. Any thread.
 */
public final class Upstream implements AutoCloseable {
    static final LazyLogger LOG = LazyLogger.of(Upstream.class);

    final UpstreamSettings settings;
    final HttpClient client;
    final AtomicInteger inProgress = new AtomicInteger();
    final LongAdder requests = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder refused = new LongAdder();
    private final String name;
    private final Map<Loop, LoopUpstream> loops = new ConcurrentHashMap<>();
    private final ServerList servers;
    private final HealthChecks checks;
    private volatile Loop home; // of the timers; null before the first
    private volatile boolean closed;

    private Upstream(UpstreamSettings settings) {
        this.settings = settings;
        if (settings.servers.isEmpty() && !settings.allowEmpty) {
            throw new IllegalArgumentException("An upstream needs a server.");
        }
        if (settings.allowEmpty && settings.name.isEmpty()) {
            throw new IllegalArgumentException("An upstream with allowEmpty needs a name.");
        }
        this.name =
                settings.name.isEmpty()
                        ? settings.servers.stream()
                                .map(UpstreamSettings.Server::name)
                                .collect(Collectors.joining(","))
                        : settings.name;
        this.client =
                HttpClient.onLoopOfCaller(
                        c ->
                                c.connectTimeout(settings.connectTimeout)
                                        .tlsTimeout(settings.connectTimeout)
                                        .queueTimeout(settings.queueTimeout)
                                        .responseTimeout(settings.responseTimeout)
                                        .bodyIdleTimeout(settings.idleTimeout)
                                        .totalTimeout(settings.totalTimeout)
                                        .keepAliveTimeout(settings.keepAlive)
                                        .maxConnectionsPerOrigin(settings.maxConnections)
                                        .maxConnectionsPerLoop(1 << 20)
                                        .maxWaitingRequests(settings.maxWaiting)
                                        .maxHeaderBytes(settings.maxHeaderBytes)
                                        .maxHeaders(settings.maxHeaders)
                                        .tls(settings.tls));
        this.servers = new ServerList(this);
        this.checks = new HealthChecks(this);
    }

    /**
     * Creates an upstream with the default settings.
     *
     * @param servers {@code http://HOST[:PORT]}, {@code https://...} or {@code unix:PATH}
     * @throws IllegalArgumentException if there is none, or one is none of these
     */
    public static Upstream of(String... servers) {
        return of(settings -> {}, servers);
    }

    /**
     * Creates an upstream.
     *
     * @throws IllegalArgumentException if a setting or a server is invalid
     */
    public static Upstream of(Consumer<UpstreamSettings> configure, String... servers) {
        var settings = new UpstreamSettings();
        configure.accept(settings);
        for (String each : servers) {
            settings.server(each);
        }
        return new Upstream(settings.frozen());
    }

    /** Returns the name for logs and metrics. */
    public String name() {
        return name;
    }

    /**
     * Begins the health checks and look-ups of names on a loop of {@code server}, before its first
     * request.
     */
    public void start(Server server) {
        Loop loop = server.loops().getFirst();
        loop.execute(() -> on(loop));
    }

    /**
     * Adds a server while requests are served, or changes the weight of one that was added. Its
     * connections and health are kept then. A server of the settings stays as it is.
     *
     * @param url {@code http://HOST[:PORT]}, {@code https://...} or {@code unix:PATH}
     * @param weight from 1: its share of the requests
     * @return whether it is new
     * @throws IllegalArgumentException if the URL or the weight is invalid
     */
    public boolean add(String url, int weight) {
        return servers.add(UpstreamSettings.added(url, weight));
    }

    /**
     * Removes a server that was added: it gets no further requests, and those in progress finish. A
     * server of the settings stays.
     *
     * @return whether the server was added before
     * @throws IllegalArgumentException if the URL is invalid
     */
    public boolean remove(String url) {
        return servers.remove(UpstreamSettings.added(url, 1).origin());
    }

    /**
     * Sends a request of this program. A server is chosen as for a forwarded request, and the
     * retries, limits, timeouts and health of this upstream apply.
     *
     * @param loop a loop of the server that uses this upstream
     * @return a stage that completes on that loop when the whole response has arrived; it fails
     *     with an {@link java.io.IOException} whose message says why there is none
     */
    public CompletionStage<UpstreamResponse> send(Loop loop, UpstreamRequest request) {
        return OwnExchange.send(this, loop, request);
    }

    /** Returns the part of a loop. */
    LoopUpstream on(Loop loop) {
        LoopUpstream known = loops.get(loop);
        return known != null ? known : begin(loop);
    }

    private synchronized LoopUpstream begin(Loop loop) {
        loops.keySet().removeIf(Upstream::ended); // of a server that was stopped
        if (!closed && (home == null || ended(home))) {
            home = loop;
            loop.execute(
                    () -> {
                        checks.begin(loop);
                        servers.begin(loop);
                    });
        }
        return loops.computeIfAbsent(loop, each -> new LoopUpstream(this, each));
    }

    private static boolean ended(Loop loop) {
        try {
            loop.execute(() -> {});
            return false;
        } catch (RejectedExecutionException e) {
            return true;
        }
    }

    /**
     * Takes over the addresses that another upstream has found for the names of this one, if both
     * ask the same name servers: requests need not wait for the first answer then. For an upstream
     * that replaces another one while requests are served. Call it before {@link #start}.
     */
    public void adoptAddresses(Upstream before) {
        if (settings.nameservers.equals(before.settings.nameservers)) {
            servers.adopt(before.servers);
        }
    }

    /** Returns what completes with the next answer of a name server; null if none is awaited. */
    CompletableFuture<Void> answer() {
        return servers.answer();
    }

    /** Returns the servers of this moment, in the order of the settings. */
    List<UpstreamServer> servers() {
        return servers.all();
    }

    ServerHealth health() {
        return new ServerHealth(
                settings.maxFailures,
                settings.failureWindow.toMillis(),
                settings.ejection.toMillis(),
                settings.unhealthyAfter,
                settings.healthyAfter,
                settings.slowStart.toMillis());
    }

    boolean isClosed() {
        return closed;
    }

    /** Logs that a server is taken out or is back. */
    void log(UpstreamServer server, String what) {
        LOG.get().log(Level.WARNING, "upstream {0}: {1} {2}", name, server, what);
    }

    /** Returns what it has done so far, and does now. */
    public UpstreamStats stats() {
        HttpClientStats connections = client.stats();
        var each = new ArrayList<UpstreamStats.ServerStats>();
        for (UpstreamServer server : servers()) {
            OriginStats to = client.stats(server.origin);
            each.add(
                    new UpstreamStats.ServerStats(
                            server.name,
                            server.health.state(now()).name().toLowerCase(Locale.ROOT),
                            server.requests.sum(),
                            server.failures.sum(),
                            server.inProgress.get(),
                            server.tunnels.get(),
                            to.connections(),
                            to.idle(),
                            server.latency.sum()));
        }
        return new UpstreamStats(
                name,
                requests.sum(),
                retries.sum(),
                refused.sum(),
                inProgress.get(),
                connections.connections(),
                connections.idle(),
                connections.waiting(),
                List.copyOf(each));
    }

    private long now() {
        Loop loop = home;
        return loop == null ? 0 : loop.clock().nanos() / 1_000_000;
    }

    /** Closes its connections; requests in progress have five seconds. It cannot be used again. */
    @Override
    public void close() {
        closed = true;
        client.close();
    }
}
