// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import io.sirocco.http.Server;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A running {@code sirocco serve}. Opened with its options, closed with a drain; {@link #run} does
 * both around the wait for a signal. Any thread.
 */
final class Serving implements AutoCloseable {
    /** Two seconds less than Docker waits between SIGTERM and SIGKILL. */
    static final Duration DRAIN = Duration.ofSeconds(8);

    private final ServeOptions options;
    private final Welcome welcome = new Welcome(this::server);
    private final Server server;

    private Serving(ServeOptions options) {
        this.options = options;
        server =
                Server.create(
                        config ->
                                config.listen(options.address())
                                        .loops(options.loops())
                                        .transport(options.transport())
                                        .idle(options.idle()),
                        routes ->
                                options.directory()
                                        .ifPresentOrElse(
                                                root -> routes.get("/*", new Folder(root)),
                                                () -> welcome.addTo(routes)));
    }

    /**
     * Serves from now on.
     *
     * @throws IOException with a message for the user
     */
    static Serving open(ServeOptions options) throws IOException {
        var serving = new Serving(options);
        try {
            serving.server.start();
        } catch (UncheckedIOException e) {
            throw explained(e, options.address());
        }
        return serving;
    }

    /** Serves until SIGTERM or SIGINT, then drains; answers the exit code of the process. */
    static int run(ServeOptions options, PrintWriter out) throws IOException {
        var told = new CountDownLatch(1);
        Signals.onStop(told::countDown);
        try (Serving serving = open(options)) {
            // What ends the JVM otherwise, such as SIGHUP, drains as well.
            Runtime.getRuntime().addShutdownHook(new Thread(serving::close, "sirocco-drain"));
            out.println(serving);
            out.flush();
            told.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // whoever embeds the command wants it to end
        }
        return 0;
    }

    private static IOException explained(UncheckedIOException failure, InetSocketAddress address) {
        String why = failure.getCause().getMessage();
        boolean taken = why.startsWith("cannot listen") && address.getPort() != 0;
        return new IOException(taken ? why + "; --port 0 takes any free port" : why, failure);
    }

    private Server server() {
        return server;
    }

    int port() {
        return server.port();
    }

    /** Lets what is in progress come to its end, for {@link #DRAIN} at most. */
    @Override
    public synchronized void close() {
        welcome.close();
        if (server.isRunning()) server.stop(DRAIN);
    }

    /** The line for the user: what is served, and where. */
    @Override
    public String toString() {
        return "Sirocco serves %s on http://%s (%s, %s)"
                .formatted(
                        options.directory().map(Object::toString).orElse("the welcome site"),
                        shown((InetSocketAddress) server.addresses().getFirst()),
                        server.transport().label(),
                        options.loops() == 1 ? "1 loop" : options.loops() + " loops");
    }

    /** As it stands in a URL: an IPv6 address in brackets, without a scope, its zeros left out. */
    private static String shown(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        String text =
                host.getHostAddress()
                        .replaceFirst("%.*", "")
                        .replaceFirst("(^|:)0(:0)+(:|$)", "::"); // RFC 5952 4.2, nearly
        return (text.contains(":") ? "[" + text + "]" : text) + ":" + address.getPort();
    }
}
