// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.files;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.web.files.Client.Answer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A file server under test, on a port of its own, whose clock is moved by hand. Any thread. */
final class Serving implements AutoCloseable {
    final AtomicLong nanos = new AtomicLong(1);
    final FileServer files;
    private final Server server;

    Serving(TransportKind transport, Path root, Consumer<FileOptions> options) {
        files =
                FileServer.of(
                        root,
                        all -> {
                            all.clock(nanos::get);
                            options.accept(all);
                        });
        server =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(1)
                                        .transport(transport),
                        routes -> {
                            routes.route("*", "/*", files).executionMode(ExecutionMode.INLINE);
                            routes.route("*", "/mounted/at/*", files)
                                    .executionMode(ExecutionMode.INLINE);
                            routes.route("*", "/news", request -> files.serve(request, "/docs"))
                                    .executionMode(ExecutionMode.INLINE);
                            routes.route(
                                            "*",
                                            "/blog/{page}",
                                            request ->
                                                    files.serve(
                                                            request, "/" + request.param("page")))
                                    .executionMode(ExecutionMode.INLINE);
                        });
    }

    static Serving of(TransportKind transport, Path root) {
        return new Serving(transport, root, options -> {});
    }

    int port() {
        return server.port();
    }

    /** Lets so much time pass that all must be looked at again. */
    void age() {
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
    }

    Answer get(String target, String... fields) throws IOException {
        return ask("GET", target, fields);
    }

    Answer ask(String method, String target, String... fields) throws IOException {
        try (var client = new Client(port())) {
            return client.ask(method, target, fields);
        }
    }

    @Override
    public void close() {
        server.close();
        files.close();
    }
}
