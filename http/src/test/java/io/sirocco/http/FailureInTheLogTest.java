// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A handler that throws is found in the log by its route and the id of the request. */
class FailureInTheLogTest {
    /** One line each, since the log has one exception of a line in ten seconds. */
    private static RuntimeException broken(ExecutionMode mode) {
        return switch (mode) {
            case VIRTUAL -> new IllegalStateException("broken");
            case LOOP -> new IllegalStateException("broken");
            case POOL -> new IllegalStateException("broken");
            case INLINE -> new IllegalStateException("broken");
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"VIRTUAL", "LOOP", "POOL", "INLINE"})
    void namesTheRouteAndTheRequest(ExecutionMode mode) throws Exception {
        String path = "/log-of-failures/" + mode + "/{id}";
        var lines = new LinkedBlockingQueue<String>();
        var id = new CompletableFuture<String>();
        BiConsumer<String, Throwable> reader =
                (line, _) -> {
                    if (line.contains("/log-of-failures/")) {
                        lines.add(line);
                    }
                };
        Consumer<Routes> routes =
                all ->
                        all.route(
                                        "GET",
                                        path,
                                        request -> {
                                            id.complete(request.id());
                                            throw broken(mode);
                                        })
                                .executionMode(mode);
        QuietLogs.READERS.add(reader);
        try (var serving = new Serving(TransportKind.NIO, c -> {}, routes);
                Client client = serving.client()) {
            client.send("GET /log-of-failures/" + mode + "/7 HTTP/1.1\nHost: a\n\n").until(" 500 ");
            String line = lines.poll(20, TimeUnit.SECONDS);
            String found = path + " failed (request " + id.join() + ")";
            assertTrue(line.contains(found), line + " has no " + found);
        } finally {
            QuietLogs.READERS.remove(reader);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "GET"})
    void namesMethodAndPathOfARouteForAllAndNeverTheQuery(String method) throws Exception {
        var lines = new LinkedBlockingQueue<String>();
        var failed = new LinkedBlockingQueue<String>();
        BiConsumer<String, Throwable> reader =
                (line, _) -> {
                    if (line.contains("/log-of-" + (method.equals("*") ? "any" : "get"))) {
                        lines.add(line);
                    }
                };
        var monitor =
                new Monitor() {
                    @Override
                    public void handlerFailed(String id, String request, Throwable thrown) {
                        failed.add(request);
                    }
                };
        QuietLogs.READERS.add(reader);
        try (var serving =
                        new Serving(
                                TransportKind.NIO,
                                c -> c.monitor(monitor),
                                all ->
                                        all.route(
                                                method,
                                                "/*",
                                                request -> {
                                                    throw new IllegalStateException("broken");
                                                }));
                Client client = serving.client()) {
            String path = "/log-of-" + (method.equals("*") ? "any" : "get") + "/a%0Ab";
            client.send("GET " + path + "?token=secret HTTP/1.1\nHost: a\n\n").until(" 500 ");
            String line = lines.poll(20, TimeUnit.SECONDS);
            assertTrue(line.startsWith("GET " + path + " failed (request "), line);
            assertFalse(line.contains("secret"), line);
            assertEquals("GET " + path, failed.poll(20, TimeUnit.SECONDS));
        } finally {
            QuietLogs.READERS.remove(reader);
        }
    }
}
