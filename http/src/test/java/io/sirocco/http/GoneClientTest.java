// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Who waits for something on behalf of a client is told when that has gone. */
class GoneClientTest {
    private static final String GET = "GET /later HTTP/1.1\nHost: a\n\n";

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final BlockingQueue<CompletableFuture<Response>> asked = new LinkedBlockingQueue<>();

    static List<Arguments> everywhere() {
        var all = new ArrayList<Arguments>();
        for (TransportKind transport : OnTheWire.TRANSPORTS) {
            for (Mode mode : Mode.values()) {
                all.add(Arguments.of(transport, mode));
            }
        }
        return all;
    }

    private Serving start(TransportKind transport, Mode mode) {
        return new Serving(transport, mode, c -> {}, this::routes);
    }

    private void routes(Routes routes) {
        routes.any(
                "/later",
                request -> {
                    var later = new CompletableFuture<Response>();
                    request.onDisconnect(() -> tell(request, "gone"));
                    asked.add(later);
                    return Response.async(later);
                });
    }

    private void tell(Request request, String what) {
        told.add(what + (request.loop().inLoop() ? "" : ", elsewhere"));
    }

    private <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(20, TimeUnit.SECONDS);
        assertTrue(next != null, "nothing within 20 seconds");
        return next;
    }

    /** What docs/http.md shows: work that nobody waits for is cancelled. That is no failure. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void workThatIsCancelledForThatIsNoFailure(TransportKind transport, Mode mode)
            throws Exception {
        Consumer<Routes> routes =
                all ->
                        all.any(
                                "/later",
                                request -> {
                                    var later = new CompletableFuture<Response>();
                                    request.onDisconnect(() -> later.cancel(false));
                                    request.onDisconnect(() -> tell(request, "gone"));
                                    asked.add(later);
                                    return Response.async(later);
                                });
        try (var serving = new Serving(transport, mode, c -> {}, routes)) {
            Client client = serving.client().send(GET);
            next(asked);
            client.end();
            next(told);
            serving.await("its end", () -> serving.stats().inProgress() == 0);
            assertEquals(List.of(), serving.failures());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void aResetIsTold(TransportKind transport, Mode mode) throws Exception {
        try (var serving = start(transport, mode)) {
            Client client = serving.client().send(GET);
            next(asked);
            client.abort();
            assertEquals("gone", next(told));
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void anEndIsToldAndTheResponseIsSentAllTheSame(TransportKind transport, Mode mode)
            throws Exception {
        try (var serving = start(transport, mode);
                Client client = serving.client()) {
            client.send(GET).end();
            CompletableFuture<Response> later = next(asked);
            assertEquals("gone", next(told));
            later.complete(Response.text("late"));
            assertTrue(client.untilEnd().endsWith("\r\n\r\nlate"), client.toString());
            serving.awaitQuiet();
            assertEquals(List.of(), List.copyOf(told));
        }
    }

    /** Where a handler does not wait for the whole body. */
    static List<Arguments> beforeTheBody() {
        return everywhere().stream().filter(each -> each.get()[1] != Mode.INLINE).toList();
    }

    @ParameterizedTest
    @MethodSource("beforeTheBody")
    void anEndInTheMiddleOfABodyIsTold(TransportKind transport, Mode mode) throws Exception {
        try (var serving = start(transport, mode);
                Client client = serving.client()) {
            client.send("POST /later HTTP/1.1\nHost: a\nContent-Length: 100\n\nten bytes\n");
            CompletableFuture<Response> later = next(asked);
            client.end();
            assertEquals("gone", next(told));
            assertTrue(client.untilEnd().startsWith("HTTP/1.1 400 "), client.toString());
            later.complete(Response.text("too late")); // it is in progress until then
            serving.awaitQuiet();
            assertEquals(List.of(), List.copyOf(told));
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void nothingIsToldOfOneThatGoesBehindItsResponse(TransportKind transport, Mode mode)
            throws Exception {
        try (var serving = start(transport, mode)) {
            Client client = serving.client().send(GET);
            next(asked).complete(Response.text("in time"));
            client.until("in time");
            client.abort();
            serving.awaitQuiet();
            assertEquals(List.of(), List.copyOf(told));
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void whoAsksTooLateIsToldAtOnceAndOneThatThrowsStopsNobody(TransportKind transport, Mode mode)
            throws Exception {
        var keeps = new CompletableFuture<Request>();
        try (var serving =
                new Serving(
                        transport,
                        mode,
                        c -> {},
                        routes ->
                                routes.get(
                                        "/later",
                                        request -> {
                                            request.onDisconnect(
                                                    () -> {
                                                        throw new AssertionError("thrown");
                                                    });
                                            request.onDisconnect(() -> told.add("second"));
                                            keeps.complete(request);
                                            return Response.async(new CompletableFuture<>());
                                        }))) {
            Client client = serving.client().send(GET);
            Request request = keeps.get(20, TimeUnit.SECONDS);
            client.abort();
            assertEquals("second", next(told));
            request.onDisconnect(() -> tell(request, "late"));
            assertEquals("late", next(told));
            assertEquals(
                    List.of("thrown"),
                    serving.failures().stream().map(Throwable::getMessage).toList());
        }
    }

    /** A body without an end, in which nothing comes: only the write timeout notices. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void aSourceOfABodyIsClosedAndItsConnectionToo(TransportKind transport, Mode mode)
            throws Exception {
        Consumer<Routes> routes = all -> all.get("/later", r -> Response.stream(endless()));
        Consumer<Config> soon = c -> c.writeTimeout(Duration.ofMillis(200));
        try (var serving = new Serving(transport, mode, soon, routes);
                Client client = serving.client()) {
            client.send(GET).until("first");
            client.end();
            assertEquals("closed", next(told));
            serving.await("its end", () -> serving.stats().inProgress() == 0);
            assertEquals(List.of(), serving.failures());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void soIsOneThatBeginsBehindTheEndOfTheClient(TransportKind transport, Mode mode)
            throws Exception {
        Consumer<Config> soon = c -> c.writeTimeout(Duration.ofMillis(200));
        try (var serving = new Serving(transport, mode, soon, this::routes);
                Client client = serving.client()) {
            client.send(GET).end();
            CompletableFuture<Response> later = next(asked);
            assertEquals("gone", next(told));
            later.complete(Response.stream(endless()));
            client.until("first");
            assertEquals("closed", next(told));
            serving.await("its end", () -> serving.stats().inProgress() == 0);
            assertEquals(List.of(), serving.failures());
        }
    }

    private BodySource endless() {
        return new BodySource() {
            private boolean begun;

            @Override
            public CompletableFuture<byte[]> next() {
                if (begun) {
                    return new CompletableFuture<>();
                }
                begun = true;
                return CompletableFuture.completedFuture("first".getBytes());
            }

            @Override
            public void close() {
                told.add("closed");
            }
        };
    }

    /** The client has the response to read: it was the server that ended the connection. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void aClientWhoseConnectionTheServerEndsIsConnected(TransportKind transport, Mode mode)
            throws Exception {
        Consumer<Routes> routes =
                all -> {
                    all.get("/whole", r -> ends(r, Response.text("whole")));
                    all.get("/last", r -> ends(r, Response.text("last").closeConnection()));
                    all.get("/old", r -> ends(r, Response.stream(out -> out.write(new byte[9]))));
                    all.route("GET", "/late", r -> ends(r, Response.async(next())))
                            .handlerTimeout(Duration.ofMillis(20));
                };
        try (var serving = new Serving(transport, mode, c -> {}, routes)) {
            for (String request :
                    List.of(
                            "GET /whole HTTP/1.1\nHost: a\n\n",
                            "GET /whole HTTP/1.1\nHost: a\nConnection: close\n\n",
                            "GET /last HTTP/1.1\nHost: a\n\n",
                            "GET /old HTTP/1.0\n\n",
                            "GET /late HTTP/1.1\nHost: a\n\n")) {
                try (Client client = serving.client()) {
                    client.send(request);
                    assertEquals("connected", next(told), request);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void aClientThatHasGoneIsNotConnected(TransportKind transport, Mode mode) throws Exception {
        Consumer<Routes> routes = all -> all.get("/late", r -> ends(r, Response.async(next())));
        try (var serving = new Serving(transport, mode, c -> {}, routes)) {
            Client client = serving.client().send("GET /late HTTP/1.1\nHost: a\n\n");
            CompletableFuture<Response> later = next(asked);
            client.abort();
            assertEquals("gone", next(told));
            later.cancel(false);
        }
    }

    private Response ends(Request request, Response response) {
        request.onComplete(() -> told.add(request.isConnected() ? "connected" : "gone"));
        return response;
    }

    private CompletableFuture<Response> next() {
        var later = new CompletableFuture<Response>();
        asked.add(later);
        return later;
    }
}
