// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import io.sirocco.http.Config;
import io.sirocco.http.Filter;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.http.SseWriter;
import io.sirocco.net.TransportKind;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A server for operators: the admin server, and that of a controller's page. It has its own event
 * loop, so that it responds when the others are busy, and uses NIO, so that it is cheap and
 * independent of io_uring. {@link Guard} controls access; all responses have the headers that
 * protect pages. A connection may be idle, and headers may take, 5 s. Any thread.
 */
public final class OperatorServer implements AutoCloseable {
    private static final Duration DRAIN = Duration.ofSeconds(1);
    private static final Duration IDLE = Duration.ofSeconds(5); // of a connection
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none';"
                    + " frame-ancestors 'none'";

    private final int mostViewers;
    private final AtomicInteger viewers = new AtomicInteger();
    private final Server server;

    /**
     * Creates a server that does not listen yet.
     *
     * @param mostViewers how many streams of events are open at once; further ones get a 503
     * @param limits sets how many connections there may be, how long they may take, and the longest
     *     body of a request
     * @param routes adds the routes
     */
    public OperatorServer(
            InetSocketAddress address,
            Guard guard,
            int mostViewers,
            Consumer<Config> limits,
            BiConsumer<Routes, OperatorServer> routes) {
        this.mostViewers = mostViewers;
        server =
                Server.create(
                        config -> {
                            config.listen(address)
                                    .name("sirocco-admin")
                                    .loops(1)
                                    .poolThreads(1)
                                    .transport(TransportKind.NIO)
                                    .idleTimeout(IDLE)
                                    .headerTimeout(IDLE);
                            limits.accept(config);
                        },
                        all -> {
                            all.filter(Filter.ofResponses(OperatorServer::secured)).filter(guard);
                            routes.accept(all, this);
                        });
    }

    private static Response secured(Response response) {
        return response.setHeader("Content-Security-Policy", POLICY)
                .setHeader("Cache-Control", "no-store")
                .setHeader("X-Content-Type-Options", "nosniff")
                .setHeader("Referrer-Policy", "no-referrer")
                .setHeader("Cross-Origin-Resource-Policy", "same-origin");
    }

    /**
     * Starts to listen.
     *
     * @throws UncheckedIOException if it cannot; the cause has a message for the operator
     */
    public void start() {
        server.start();
    }

    /** Adds a file that is bundled beside a class. */
    public static void file(Routes routes, String path, Class<?> beside, String name) {
        routes.get(path, request -> Resources.page(beside, name));
    }

    /** Returns a stream of events, or a refusal if too many are open. */
    public Response events(SseWriter writer) {
        if (viewers.get() >= mostViewers) {
            return Response.text("Too many pages are open.\n")
                    .status(503)
                    .header("Retry-After", "10");
        }
        return Response.events(
                sink -> {
                    viewers.incrementAndGet();
                    try {
                        writer.write(sink);
                    } finally {
                        viewers.decrementAndGet();
                    }
                });
    }

    /** Returns the address that it listens on. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.addresses().getFirst();
    }

    /** Closes its connections and streams. */
    @Override
    public void close() {
        if (server.isRunning()) {
            server.stop(DRAIN);
        }
    }
}
