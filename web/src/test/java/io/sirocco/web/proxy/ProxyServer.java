// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.http.Config;
import io.sirocco.http.Monitor;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.Tls;
import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A server with a proxy at {@code /*}, and what its monitor is told. Any thread. */
final class ProxyServer implements AutoCloseable {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress("127.0.0.1", 0);

    final Server server;
    final Upstream upstream;
    volatile WeakReference<ProxyOutcome> last; // of a completed request
    final BlockingQueue<String> completed = new LinkedBlockingQueue<>();

    ProxyServer(TransportKind transport, Upstream upstream) {
        this(transport, upstream, config -> {}, options -> {});
    }

    ProxyServer(
            TransportKind transport,
            Upstream upstream,
            Consumer<Config> config,
            Consumer<ProxyOptions> options) {
        this(
                upstream,
                config.andThen(c -> c.transport(transport)),
                routes -> routes.any("/*", Proxy.to(upstream, options)));
    }

    /** One with routes of the test. */
    ProxyServer(Upstream upstream, Consumer<Config> config, Consumer<Routes> routes) {
        this(upstream, config, routes, c -> c.listen(ANY_PORT));
    }

    /** One over TLS. */
    ProxyServer(Tls tls, Upstream upstream, Consumer<Config> config) {
        this(
                upstream,
                config,
                routes -> routes.any("/*", Proxy.to(upstream)),
                c -> c.listen(ANY_PORT, tls));
    }

    private ProxyServer(
            Upstream upstream,
            Consumer<Config> config,
            Consumer<Routes> routes,
            Consumer<Config> listen) {
        this.upstream = upstream;
        this.server =
                Server.start(
                        c -> {
                            listen.accept(c);
                            c.loops(1).monitor(new Told());
                            config.accept(c);
                        },
                        routes);
    }

    /** Reports status, attempts and failure of each request. */
    private final class Told implements Monitor {
        @Override
        public void completed(CompletedRequest request) {
            var outcome = (ProxyOutcome) request.attribute(Proxy.OUTCOME).orElse(null);
            last = new WeakReference<>(outcome);
            completed.add(
                    request.status()
                            + (outcome == null
                                    ? ""
                                    : " " + outcome.attempts() + " " + outcome.failure().orElse(""))
                            + (request.isComplete() ? "" : " cut"));
        }
    }

    /** The next completed request: status, attempts, failure. */
    String next() throws InterruptedException {
        String next = completed.poll(20, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing completed within 20 seconds");
        }
        return next.strip();
    }

    RawClient client() throws IOException {
        return new RawClient(server.port());
    }

    /** The response to one request on a connection of its own. */
    String ask(String request) throws IOException {
        try (RawClient client = client()) {
            return client.send(request).response();
        }
    }

    static void await(String what, BooleanSupplier happened) {
        long until = System.nanoTime() + 20_000_000_000L;
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new AssertionError("waited in vain for " + what);
            }
            java.util.concurrent.locks.LockSupport.parkNanos(500_000); // others need the core
        }
    }

    /** Nothing is in progress any more, and nothing was forgotten. */
    void awaitQuiet() {
        await(
                "quiet: " + upstream.stats(),
                () ->
                        upstream.stats().inProgress() == 0
                                && upstream.stats().servers().stream()
                                        .allMatch(s -> s.inProgress() == 0 && s.tunnels() == 0)
                                && server.stats().stream().allMatch(s -> s.inProgress() == 0));
    }

    @Override
    public void close() {
        server.close();
        upstream.close();
    }
}
