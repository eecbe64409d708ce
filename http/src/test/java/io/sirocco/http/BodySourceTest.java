// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Responses whose bodies a source produces, and clients that leave them half-way. */
class BodySourceTest {
    private static final byte[] END = {};

    /** Produces what the test says, when it says so. */
    private static final class Source implements BodySource {
        final BlockingQueue<CompletableFuture<byte[]>> asked = new LinkedBlockingQueue<>();
        final BlockingQueue<String> closed = new LinkedBlockingQueue<>();

        @Override
        public CompletionStage<byte[]> next() {
            var next = new CompletableFuture<byte[]>();
            asked.add(next);
            return next;
        }

        @Override
        public void close() {
            closed.add("closed");
        }

        void produce(String text) throws InterruptedException {
            inTime(asked).complete(text.getBytes(ISO_8859_1));
        }
    }

    private final BlockingQueue<Source> sources = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> gone = new LinkedBlockingQueue<>();

    static List<Arguments> everywhere() {
        return GoneClientTest.everywhere();
    }

    private static <T> T inTime(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(5, TimeUnit.SECONDS);
        assertTrue(next != null, "nothing within 5 seconds");
        return next;
    }

    private Serving start(TransportKind transport, Mode mode, Consumer<Config> config) {
        return new Serving(
                transport,
                mode,
                config,
                routes ->
                        routes.get(
                                "/source",
                                request -> {
                                    var source = new Source();
                                    sources.add(source);
                                    request.onDisconnect(() -> gone.add("gone"));
                                    return Response.stream(source);
                                }));
    }

    private static final String GET = "GET /source HTTP/1.1\nHost: a\n\n";

    /**
     * RFC 9112 9.6: a client may end its side behind the request. If that stopped the body, the
     * response would have no end, and the connection and its slot would be lost for ever.
     */
    @ParameterizedTest
    @MethodSource("everywhere")
    void aClientThatEndsItsSideIsSentTheRest(TransportKind transport, Mode mode) throws Exception {
        try (var serving = start(transport, mode, c -> {});
                Client client = serving.client().send(GET)) {
            Source source = inTime(sources);
            source.produce("one");
            client.until("one");
            client.end();
            inTime(gone);
            source.produce("two");
            inTime(source.asked).complete(END);
            assertTrue(client.untilEnd().endsWith("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"));
            assertEquals("closed", inTime(source.closed));
            serving.awaitQuiet();
            assertEquals(0, source.closed.size());
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void aClientThatEndsItsSideBeforeTheResponseIsSentAll(TransportKind transport, Mode mode)
            throws Exception {
        try (var serving = start(transport, mode, c -> {});
                Client client = serving.client().send(GET)) {
            Source source = inTime(sources);
            client.end();
            inTime(gone);
            source.produce("one");
            inTime(source.asked).complete(END);
            assertTrue(client.untilEnd().endsWith("3\r\none\r\n0\r\n\r\n"));
            serving.awaitQuiet();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void aSourceIsClosedWithItsConnection(TransportKind transport, Mode mode) throws Exception {
        try (var serving = start(transport, mode, c -> {})) {
            Client client = serving.client().send(GET);
            Source source = inTime(sources);
            source.produce("one");
            inTime(source.asked);
            client.until("one");
            client.abort();
            assertEquals("closed", inTime(source.closed));
            serving.awaitQuiet();
            assertEquals(0, source.closed.size());
        }
    }

    /** A source that is never asked again, and never closed, keeps what it holds for ever. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void aSourceThatIsLateForItsResponseIsClosed(TransportKind transport, Mode mode)
            throws Exception {
        var clock = new ManualClock();
        Duration timeout = Duration.ofMillis(500);
        try (var serving = start(transport, mode, c -> c.clock(clock).handlerTimeout(timeout));
                Client client = serving.client().send(GET)) {
            Source source = inTime(sources);
            CompletableFuture<byte[]> asked = inTime(source.asked); // the handler has returned
            clock.advance(1_000);
            assertTrue(client.untilEnd().startsWith("HTTP/1.1 504 "), client.toString());
            assertEquals("closed", inTime(source.closed));
            asked.complete(END);
            client.end(); // for which the server waits, by a clock that stands still
            serving.awaitQuiet();
            assertEquals(0, source.closed.size());
        }
    }

    /** Its response can go nowhere, yet the source may hold a file or a connection. */
    @Test
    void aSourceIsClosedWhoseHandlerReturnsBehindTheEndOfTheServer() throws Exception {
        var source = new Source();
        var handling = new CountDownLatch(1);
        var stopped = new CountDownLatch(1);
        Handler handler =
                request -> {
                    handling.countDown();
                    while (stopped.getCount() > 0) {
                        try {
                            stopped.await();
                        } catch (InterruptedException e) {
                            // the server stops, which it does not heed
                        }
                    }
                    return Response.stream(source);
                };
        try (var serving =
                        new Serving(
                                TransportKind.NIO,
                                Mode.POOL,
                                c -> {},
                                routes -> routes.get("/source", handler));
                Client _ = serving.client().send(GET)) {
            assertTrue(handling.await(5, TimeUnit.SECONDS));
            serving.server.stop(Duration.ZERO);
            stopped.countDown();
            assertEquals("closed", inTime(source.closed));
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void aSourceThatFailsToCloseDoesNotSpoilItsResponse(TransportKind transport, Mode mode)
            throws Exception {
        var source =
                new BodySource() {
                    private int pieces;

                    @Override
                    public CompletionStage<byte[]> next() {
                        byte[] next = pieces++ == 0 ? "whole".getBytes(ISO_8859_1) : END;
                        return CompletableFuture.completedFuture(next);
                    }

                    @Override
                    public void close() {
                        throw new IllegalStateException("a test");
                    }
                };
        try (var serving =
                        new Serving(
                                transport,
                                mode,
                                c -> {},
                                routes ->
                                        routes.get("/source", request -> Response.stream(source)));
                Client client = serving.client().send(GET)) {
            client.until("5\r\nwhole\r\n0\r\n\r\n");
            serving.await("its end", () -> serving.stats().inProgress() == 0);
            assertEquals(
                    List.of("a test"),
                    serving.failures().stream().map(Throwable::getMessage).toList());
        }
    }
}
