// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.SseSink;
import io.sirocco.net.WhenFull;
import io.sirocco.net.limit.Ip;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.web.metrics.Exposition;
import io.sirocco.web.metrics.Metrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * The admin server, an {@link OperatorServer}.
 *
 * <pre>
 * GET  /health   200 while all event loops run, else 503
 * GET  /ready    200 while the server accepts requests, else 503
 * GET  /metrics  metrics for Prometheus
 * POST /drain    starts to drain
 * POST /reload   reloads the configuration, or reports why it is invalid
 * POST /cache/purge   removes stored responses: {@link Purge}
 * GET  /         the dashboard, fed by GET /events
 * GET  /live     the console of event channels, if they are on: {@link Console}
 * POST /upstreams/{name}   registers a server with an upstream: {@link RegistrationApi}
 * </pre>
 *
 * <p>Any thread.
 */
public final class Admin implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Admin.class);
    private static final int MAX_VIEWERS = 64;
    private static final int MAX_CONNECTIONS = 256;

    private final Subject subject;
    private final Scrape scrape;
    private final MetricsSampler sampler;
    private final Guard guard;
    private final OperatorServer server;

    private Admin(InetSocketAddress address, Guard guard, Subject subject, Metrics metrics) {
        this.subject = subject;
        this.guard = guard;
        scrape = new Scrape(subject, metrics);
        sampler = new MetricsSampler(subject, metrics);
        server =
                new OperatorServer(
                        address,
                        guard,
                        MAX_VIEWERS,
                        config ->
                                config.maxConnectionsPerLoop(MAX_CONNECTIONS, WhenFull.REPLACE)
                                        .maxBodyBytes(4096),
                        this::routes);
    }

    /** Starts a server without a token for registrations. */
    static Admin start(
            InetSocketAddress address,
            Optional<Path> tokenFile,
            boolean healthOpen,
            Subject subject,
            Metrics metrics)
            throws IOException {
        return start(address, tokenFile, Optional.empty(), healthOpen, subject, metrics);
    }

    /**
     * Starts the server.
     *
     * @param address a resolved address; a loopback address unless there is a token
     * @param tokenFile contains the token; created with a new token if it is missing
     * @param registrationTokenFile the same, for servers that join an upstream, and nothing else
     * @param healthOpen whether {@code /health} and {@code /ready} need no token
     * @param subject the server that it controls
     * @param metrics the monitor of that server
     * @throws IOException if it has no usable token, with a message for the operator
     * @throws UncheckedIOException if it cannot listen; the cause has a message for the operator
     */
    public static Admin start(
            InetSocketAddress address,
            Optional<Path> tokenFile,
            Optional<Path> registrationTokenFile,
            boolean healthOpen,
            Subject subject,
            Metrics metrics)
            throws IOException {
        if (tokenFile.isEmpty() && !address.getAddress().isLoopbackAddress()) {
            throw new IOException(
                    "the admin address %s is open to the network, so it needs a token:"
                                    .formatted(Ip.text(address))
                            + " set token-file");
        }
        var guard = new Guard(Guard.Tokens.in(tokenFile, registrationTokenFile), healthOpen);
        var admin = new Admin(address, guard, subject, metrics);
        try {
            admin.server.start();
            Thread.ofVirtual().name("sirocco-admin-warm-up").start(admin::warmUp);
            return admin;
        } catch (UncheckedIOException e) {
            admin.sampler.close();
            throw e;
        }
    }

    /**
     * Loads the classes of the metrics, so that the first scrape does not block the loop. Those of
     * JSON are loaded when somebody opens the dashboard: they would take the time of the start.
     */
    private void warmUp() {
        try {
            scrape.text();
        } catch (RuntimeException e) {
            LOG.get().log(Level.DEBUG, "cannot warm up", e);
        }
    }

    /**
     * Reads the files of the tokens again, for a reload.
     *
     * @return puts the new tokens in the place of the old ones, with which sessions of browsers end
     * @throws IOException if one is not usable, with a message for the operator
     */
    public Runnable newTokens(Optional<Path> tokenFile, Optional<Path> registrationTokenFile)
            throws IOException {
        Guard.Tokens read = Guard.Tokens.in(tokenFile, registrationTokenFile);
        return () -> guard.replace(read);
    }

    private void routes(Routes routes, OperatorServer server) {
        routes.get("/health", request -> health());
        routes.get("/ready", request -> ready());
        routes.get(
                "/metrics", request -> Response.text(scrape.text()).contentType(Exposition.TYPE));
        routes.post("/drain", request -> drain());
        routes.post("/reload", this::reload);
        routes.route("POST", "/cache/purge", new Purge(subject)).maxBodyBytes(Purge.LONGEST);
        routes.get("/events", request -> server.events(this::show));
        subject.registrations().ifPresent(all -> new RegistrationApi(all).addTo(routes));
        console(routes, server, new Console(subject, sampler));
        page(routes, "/", "dashboard.html");
        page(routes, "/dashboard.css", "dashboard.css");
        page(routes, "/dashboard.js", "dashboard.js");
        page(routes, "/chart.js", "chart.js");
        page(routes, "/figures.js", "figures.js");
        page(routes, "/icon.svg", "icon.svg");
    }

    private void console(Routes routes, OperatorServer server, Console console) {
        console.addTo(routes);
        routes.get(
                "/live/events",
                console.with(
                        (live, request) -> {
                            String search = request.query("search").orElse("");
                            return server.events(sink -> console.show(live, sink, search));
                        }));
    }

    private static void page(Routes routes, String path, String resource) {
        OperatorServer.file(routes, path, Admin.class, resource);
    }

    private Response health() {
        return subject.state() == Subject.State.FAILED
                ? Response.text("failed\n").status(503)
                : Response.text("ok\n");
    }

    private Response ready() {
        Subject.State state = subject.state();
        return Response.text(state.label() + "\n")
                .status(state == Subject.State.SERVING ? 200 : 503);
    }

    private Response drain() {
        LOG.get().log(Level.INFO, "drain requested by an operator");
        subject.drain();
        return Response.text("draining\n").status(202);
    }

    private Response reload(Request request) {
        try {
            subject.reload();
            return Response.text("reloaded\n");
        } catch (IOException e) {
            return Response.text(e.getMessage() + "\n").status(422);
        }
    }

    /** Sends the history first, then each second. */
    private void show(SseSink sink) throws IOException, InterruptedException {
        sink.retry(Duration.ofSeconds(2));
        MetricsSampler.News news = sampler.all();
        sink.send("history", JsonMapper.shared().writeValueAsString(news));
        while (true) {
            long seen = news.samples().isEmpty() ? 0 : news.samples().getLast().number();
            news = sampler.since(seen);
            sink.send("second", JsonMapper.shared().writeValueAsString(news));
        }
    }

    /** Returns the address that it listens on. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** Returns the port that it listens on. */
    public int port() {
        return server.address().getPort();
    }

    /** Closes its connections and streams. */
    @Override
    public void close() {
        sampler.close();
        server.close();
    }
}
