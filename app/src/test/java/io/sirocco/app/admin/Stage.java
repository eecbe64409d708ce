// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Monitor;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.http.ServerStats;
import io.sirocco.web.cache.ResponseCache;
import io.sirocco.web.log.AccessLog;
import io.sirocco.web.log.LogFormat;
import io.sirocco.web.metrics.Metrics;
import io.sirocco.web.proxy.UpstreamStats;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A server with some routes and an admin server beside it, as {@code sirocco serve} will have them.
 * Its main method is for looking at the dashboard: {@code PORT ADMIN_PORT [ACCESS_LOG]}, with "-"
 * in the place of ADMIN_PORT to serve without metrics. Any thread.
 */
final class Stage implements Subject, AutoCloseable {
    final Metrics metrics = new Metrics();
    final Server server;
    volatile State state = State.SERVING;
    volatile String problem = "";
    volatile int reloads;
    volatile long dropped;
    volatile Map<String, Long> refusals = Map.of();
    volatile List<UpstreamStats> upstreams = List.of();
    volatile Map<String, ResponseCache> caches = Map.of();

    Stage() {
        this(0, List.of(), true, 2);
    }

    private Stage(int port, List<Monitor> others, boolean counts, int loops) {
        var monitors = new ArrayList<>(others);
        if (counts) {
            monitors.add(metrics);
        }
        server =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", port))
                                        .loops(loops)
                                        .monitor(Monitor.all(monitors)),
                        Stage::routes);
    }

    private static void routes(Routes routes) {
        Response page = Response.text("x".repeat(1000));
        routes.route("GET", "/page", request -> page).executionMode(ExecutionMode.INLINE);
        routes.get("/hello/{name}", request -> Response.text("Hello, " + request.param("name")));
        routes.get(
                "/slow",
                request -> {
                    Thread.sleep(ThreadLocalRandom.current().nextInt(5, 60));
                    return Response.text("at last");
                });
        routes.get("/broken", request -> Response.text("no").status(500));
        routes.get("/moved", request -> Response.redirect("/page"));
        routes.get("/files/*", request -> Response.bytes(new byte[100_000]));
    }

    /** On a port that the system chooses. */
    Admin admin(Optional<Path> token, boolean healthOpen) throws IOException {
        return Admin.start(new InetSocketAddress("127.0.0.1", 0), token, healthOpen, this, metrics);
    }

    /** Open, on a port of one's choice. */
    Admin admin(int port) throws IOException {
        return Admin.start(
                new InetSocketAddress("127.0.0.1", port), Optional.empty(), true, this, metrics);
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public List<ServerStats> stats() {
        return server.isRunning() ? server.stats() : List.of();
    }

    @Override
    public String description() {
        return "127.0.0.1:%d, %s, 2 loops".formatted(server.port(), server.transport().label());
    }

    @Override
    public Map<String, Long> refusals() {
        return refusals;
    }

    @Override
    public Map<String, ResponseCache> caches() {
        return caches;
    }

    @Override
    public List<UpstreamStats> upstreams() {
        return upstreams;
    }

    @Override
    public long droppedLogLines() {
        return dropped;
    }

    @Override
    public void drain() {
        state = State.DRAINING;
    }

    @Override
    public void reload() throws IOException {
        if (!problem.isEmpty()) {
            throw new IOException(problem);
        }
        reloads++;
    }

    @Override
    public void close() {
        if (server.isRunning()) {
            server.stop(Duration.ofSeconds(1));
        }
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        boolean counts = args[1].matches("\\d+");
        var others = new ArrayList<Monitor>();
        if (args.length > 2) {
            others.add(AccessLog.open(Path.of(args[2]), LogFormat.JSON, 8192));
        }
        var stage = new Stage(port, others, counts, Integer.getInteger("loops", 2));
        if (counts) {
            var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[1]));
            Admin.start(address, Optional.empty(), true, stage, stage.metrics);
        }
        System.out.println(stage.description());
        Thread.currentThread().join();
    }
}
