// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Every wait has its end. The clock moves only when a test moves it; a deadline that is more than
 * two seconds away may fire {@link #LATE} milliseconds late.
 */
class DeadlinesTest {
    static final List<TransportKind> TRANSPORTS = OnTheWire.TRANSPORTS;

    private static final long LATE = 272;

    private final ManualClock clock = new ManualClock();
    private Serving serving;

    private Client start(
            TransportKind transport, Mode mode, Consumer<Config> config, Consumer<Routes> routes) {
        serving =
                new Serving(
                        transport,
                        mode,
                        c -> {
                            c.clock(clock);
                            config.accept(c);
                        },
                        routes);
        return serving.client();
    }

    private Client start(
            TransportKind transport, Consumer<Config> config, Consumer<Routes> routes) {
        return start(transport, Mode.VIRTUAL, config, routes);
    }

    @AfterEach
    void stop() {
        serving.close();
    }

    /** Moves the clock; what was due has happened when this returns. */
    private void advance(long millis) {
        clock.advance(millis);
        settle();
    }

    /** A request on another connection is answered behind all that was sent before. */
    private void settle() {
        try (Client other = serving.client()) {
            other.send("OPTIONS * HTTP/1.1\nHost: a\nConnection: close\n\n").untilEnd();
        }
    }

    private static String statusLine(String answer) {
        return answer.substring(0, answer.indexOf('\r'));
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void anIdleConnectionIsClosedInSilence(TransportKind transport) {
        try (Client client =
                start(
                        transport,
                        c -> c.idleTimeout(Duration.ofSeconds(5)),
                        routes -> routes.get("/", request -> Response.text("x")))) {
            settle();
            advance(4_900);
            assertFalse(client.hasEnded());
            client.send("GET / HTTP/1.1\nHost: a\n\n").until("\r\n\r\nx");
            advance(4_900); // begins anew behind a request
            assertFalse(client.hasEnded());
            advance(100 + LATE);
            assertTrue(client.untilEnd().endsWith("\r\n\r\nx"));
            serving.awaitQuiet();
            assertEquals(List.of(), serving.rules());
        }
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aRouteHasAnIdleTimeOfItsOwn(TransportKind transport) {
        try (Client client =
                start(
                        transport,
                        c -> c.idleTimeout(Duration.ofSeconds(5)),
                        routes -> {
                            routes.get("/", request -> Response.text("x"));
                            routes.route("GET", "/long", request -> Response.text("y"))
                                    .idleTimeout(Duration.ofSeconds(60));
                        })) {
            client.send("GET /long HTTP/1.1\nHost: a\n\n").until("\r\n\r\ny");
            settle();
            advance(59_000);
            assertFalse(client.hasEnded());
            client.send("GET / HTTP/1.1\nHost: a\n\n").until("\r\n\r\nx");
            settle();
            advance(5_000 + LATE);
            assertTrue(client.untilEnd().endsWith("\r\n\r\nx"));
        }
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aRouteHasABodyDeadlineOfItsOwn(TransportKind transport) {
        try (Client client =
                start(
                        transport,
                        c -> c.bodyTimeout(Duration.ofSeconds(60), 0),
                        routes ->
                                routes.route(
                                                "POST",
                                                "/",
                                                request -> Response.text(request.body().text()))
                                        .bodyTimeout(Duration.ofSeconds(2), 0))) {
            client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 1000\n\n");
            settle();
            advance(1_900);
            assertFalse(client.hasEnded());
            advance(100 + LATE);
            assertEquals("HTTP/1.1 408 Request Timeout", statusLine(client.untilEnd()));
            assertEquals(List.of(RequestError.BODY_DEADLINE), serving.rules());
        }
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aConnectionThatNeverSpeaksIsClosed(TransportKind transport) {
        try (Client client =
                start(transport, c -> c.idleTimeout(Duration.ofSeconds(5)), routes -> {})) {
            settle();
            advance(4_900);
            assertFalse(client.hasEnded());
            advance(100 + LATE);
            assertEquals("", client.untilEnd());
            serving.awaitQuiet();
        }
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aHeadThatDripsIsRefused(TransportKind transport) {
        try (Client client =
                start(
                        transport,
                        c -> c.headerTimeout(Duration.ofSeconds(10)),
                        routes -> routes.get("/", request -> Response.text("x")))) {
            client.send("GET / HTTP/1.1\nHost: a\n");
            settle();
            for (int i = 0; i < 9; i++) {
                advance(1_100);
                assertFalse(client.hasEnded());
                client.send("X-" + i + ": y\n");
                settle();
            }
            advance(100 + LATE); // 10 s since the first byte
            String answer = client.untilEnd();
            assertEquals("HTTP/1.1 408 Request Timeout", statusLine(answer));
            assertTrue(answer.contains("\r\nConnection: close\r\n"), answer);
            assertEquals(List.of(RequestError.HEAD_DEADLINE), serving.rules());
        }
        serving.awaitQuiet();
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aRefusalOfALateHeadRequestHasNoContent(TransportKind transport) {
        for (String begun : List.of("HEAD /", "HEAD / HTTP/1.1\nHost: a\n")) {
            try (Client client =
                    start(
                            transport,
                            c -> c.headerTimeout(Duration.ofSeconds(10)),
                            routes -> routes.get("/", request -> Response.text("x")))) {
                client.send(begun);
                settle();
                advance(10_000 + LATE);
                String answer = client.untilEnd();
                assertEquals("HTTP/1.1 408 Request Timeout", statusLine(answer));
                assertTrue(answer.endsWith("\r\n\r\n"), answer);
            }
            serving.awaitQuiet();
            serving.close();
        }
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aSecondHeadHasItsOwnDeadline(TransportKind transport) {
        try (Client client =
                start(
                        transport,
                        c -> c.headerTimeout(Duration.ofSeconds(10)),
                        routes -> routes.get("/", request -> Response.text("x")))) {
            client.send("GET / HTTP/1.1\nHost: a\n\nGET /").until("\r\n\r\nx");
            advance(9_900);
            assertFalse(client.hasEnded());
            client.send(" HTTP/1.1\nHost: a\n\n").until(2 * client.received().length);
            assertEquals(2, OnTheWire.Reply.all(client.text()).size());
            client.send("GET");
            settle();
            advance(9_900);
            assertFalse(client.hasEnded());
            advance(100 + LATE);
            assertTrue(client.untilEnd().contains("HTTP/1.1 408 "));
        }
    }

    /** Reads a body as it comes. {@link #waitsBehind} may be called by any thread. */
    private static final class BodyReader implements Handler {
        private volatile Thread thread;
        private volatile int count;

        @Override
        public Response handle(Request request) throws IOException {
            thread = Thread.currentThread();
            InputStream in = request.body().inputStream();
            byte[] piece = new byte[100];
            for (int n; (n = in.read(piece)) >= 0; ) {
                count += n;
            }
            return Response.text(count + "");
        }

        /** Returns whether it has read so many bytes and waits for more. */
        boolean waitsBehind(int bytes) {
            return count == bytes
                    && thread != null
                    && thread.getState() == Thread.State.WAITING; // in this order
        }
    }

    /** Only a client that a handler waits for loses time. */
    private void awaitWaiting(BodyReader reader, Client client, Mode mode, int bytes) {
        if (mode != Mode.INLINE) { // it is called when all of the body is there
            client.await(bytes + " bytes to be read", () -> reader.waitsBehind(bytes));
        }
        settle(); // the loop knows that it waits
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aBodyThatDripsIsRefused(TransportKind transport) {
        for (Mode mode : Mode.values()) {
            var reader = new BodyReader();
            try (Client client =
                    start(
                            transport,
                            mode,
                            c -> c.bodyTimeout(Duration.ofSeconds(2), 100),
                            routes -> routes.post("/", reader))) {
                client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 1000\n\n");
                for (int i = 0; i < 4; i++) { // 50 bytes a second, but 2 s of grace
                    awaitWaiting(reader, client, mode, i * 22);
                    advance(450);
                    client.send("x".repeat(22));
                }
                awaitWaiting(reader, client, mode, 4 * 22);
                assertFalse(client.hasEnded());
                advance(1_200 + LATE);
                String answer = client.untilEnd();
                assertEquals("HTTP/1.1 408 Request Timeout", statusLine(answer), mode.name());
                assertEquals(List.of(RequestError.BODY_DEADLINE), serving.rules());
            }
            serving.awaitQuiet();
            assertEquals(List.of(), serving.failures());
            stop();
        }
        serving = new Serving(transport, c -> {}, routes -> {});
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aBodyAtTheLeastRateIsAwaited(TransportKind transport) {
        try (Client client =
                start(
                        transport,
                        c ->
                                c.bodyTimeout(Duration.ofSeconds(2), 100)
                                        .handlerTimeout(Duration.ofSeconds(3)),
                        routes ->
                                routes.post(
                                        "/",
                                        request ->
                                                Response.text(
                                                        request.body().bytes().length + "")))) {
            client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 1000\n\n");
            settle();
            for (int i = 0; i < 10; i++) { // longer than the handler may take: it is not its fault
                advance(900);
                client.send("x".repeat(100));
                settle();
            }
            client.until("\r\n\r\n1000");
        }
    }

    /** It has its whole time behind the last byte, and no more. */
    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void theTimeThatTheBodyTookIsNotTheHandlers(TransportKind transport) throws Exception {
        BlockingQueue<CompletableFuture<Void>> waiting = new LinkedBlockingQueue<>();
        try (Client client =
                start(
                        transport,
                        c -> c.handlerTimeout(Duration.ofSeconds(3)),
                        routes ->
                                routes.post(
                                        "/",
                                        request -> {
                                            request.body().bytes();
                                            var go = new CompletableFuture<Void>();
                                            waiting.add(go);
                                            go.get();
                                            return Response.text("done");
                                        }))) {
            for (int i = 0; i < 2; i++) {
                client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 2\n\na");
                settle();
                advance(10_000);
                client.send("b");
                var go = waiting.take();
                advance(2_900);
                assertFalse(client.hasEnded());
                if (i == 0) {
                    go.complete(null);
                    client.until("\r\n\r\ndone");
                }
            }
            advance(100 + LATE);
            assertTrue(client.untilEnd().contains("doneHTTP/1.1 503 "), client::text);
            assertEquals(List.of(RequestError.HANDLER_DEADLINE), serving.rules());
        }
    }

    /** The time that a handler takes between two reads is not the client's. */
    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aSlowHandlerIsNotTheClientsFault(TransportKind transport) throws Exception {
        BlockingQueue<CompletableFuture<Void>> waiting = new LinkedBlockingQueue<>();
        try (Client client =
                start(
                        transport,
                        c -> c.bodyTimeout(Duration.ofSeconds(2), 1000),
                        routes ->
                                routes.post(
                                        "/",
                                        request -> {
                                            var in = request.body().inputStream();
                                            int first = in.read();
                                            var go = new CompletableFuture<Void>();
                                            waiting.add(go);
                                            go.join();
                                            int second = in.read();
                                            return Response.text(first + " " + second);
                                        }))) {
            client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 2\n\na");
            settle();
            var go = waiting.take();
            advance(30_000);
            go.complete(null);
            settle();
            advance(1_000);
            client.send("b").until("\r\n\r\n97 98");
            assertEquals(List.of(), serving.rules());
        }
    }

    /** Its answer is there already; the rest of the body is not waited for without an end. */
    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aBodyThatNobodyReadsAndThatNeverComesEndsTheConnection(TransportKind transport) {
        try (Client client =
                start(
                        transport,
                        c -> c.bodyTimeout(Duration.ofSeconds(2), 100),
                        routes -> routes.post("/", request -> Response.text("x")))) {
            client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 10\n\n").until("\r\n\r\nx");
            advance(2_000 + LATE);
            client.untilEnd();
        }
        serving.awaitQuiet();
    }

    /** Of its own class, since failures of one kind are not all logged. */
    private static final class Stopped extends RuntimeException {
        Stopped(InterruptedException cause) {
            super(cause);
        }
    }

    @Test
    void theLogSaysThatTheDeadlineHasInterruptedAHandler() {
        BlockingQueue<String> logged = new LinkedBlockingQueue<>();
        BiConsumer<String, Throwable> reader =
                (line, thrown) -> {
                    if (thrown instanceof Stopped) {
                        logged.add(line);
                    }
                };
        QuietLogs.READERS.add(reader);
        try (Client client =
                start(
                        TransportKind.NIO,
                        c -> c.handlerTimeout(Duration.ofSeconds(60)),
                        routes ->
                                routes.get(
                                        "/",
                                        request -> {
                                            try {
                                                new CompletableFuture<String>().get();
                                            } catch (InterruptedException e) {
                                                throw new Stopped(e);
                                            }
                                            return Response.text("too late");
                                        }))) {
            client.send("GET / HTTP/1.1\nHost: a\n\n");
            settle();
            advance(60_000 + LATE);
            assertEquals("HTTP/1.1 503 Service Unavailable", statusLine(client.untilEnd()));
            serving.await("the log has it", () -> !logged.isEmpty());
            String line = logged.remove();
            assertTrue(line.endsWith("): interrupted at its handler deadline of 60000 ms"), line);
            assertTrue(line.startsWith("GET / failed (request "), line);
        } finally {
            QuietLogs.READERS.remove(reader);
        }
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aHandlerThatTakesTooLongIsInterrupted(TransportKind transport) throws Exception {
        for (Mode mode : List.of(Mode.VIRTUAL, Mode.UNCARRIED, Mode.POOL)) {
            BlockingQueue<String> news = new LinkedBlockingQueue<>();
            var never = new CompletableFuture<String>();
            try (Client client =
                    start(
                            transport,
                            mode,
                            c -> c.handlerTimeout(Duration.ofSeconds(60)),
                            routes -> {
                                routes.get(
                                        "/",
                                        request -> {
                                            news.add("called");
                                            try {
                                                never.get();
                                            } catch (InterruptedException e) {
                                                news.add("interrupted");
                                            }
                                            return Response.text("too late");
                                        });
                                routes.get("/other", request -> Response.text("other"));
                            })) {
                client.send("GET / HTTP/1.1\nHost: a\n\n");
                assertEquals("called", news.poll(5, TimeUnit.SECONDS));
                advance(59_900);
                assertFalse(client.hasEnded());
                advance(100 + LATE);
                String answer = client.untilEnd();
                assertEquals("HTTP/1.1 503 Service Unavailable", statusLine(answer));
                assertEquals(1, OnTheWire.Reply.all(answer).size(), answer);
                assertEquals("interrupted", news.poll(5, TimeUnit.SECONDS), mode.name());
                assertEquals(List.of(RequestError.HANDLER_DEADLINE), serving.rules());
            }
            serving.awaitQuiet();
            stop();
        }
        serving = new Serving(transport, c -> {}, routes -> {});
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aRouteHasADeadlineOfItsOwn(TransportKind transport) throws Exception {
        BlockingQueue<CompletableFuture<Response>> waiting = new LinkedBlockingQueue<>();
        try (Client client =
                start(
                        transport,
                        c -> c.handlerTimeout(Duration.ofSeconds(1)),
                        routes -> {
                            routes.route(
                                            "GET",
                                            "/ever",
                                            request -> {
                                                var later = new CompletableFuture<Response>();
                                                waiting.add(later);
                                                return Response.async(later);
                                            })
                                    .handlerTimeout(Duration.ZERO);
                        })) {
            client.send("GET /ever HTTP/1.1\nHost: a\n\n");
            var later = waiting.take();
            advance(3_600_000);
            assertFalse(client.hasEnded());
            later.complete(Response.text("at last"));
            client.until("at last");
        }
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aResponseForLaterThatNeverComesIsAGatewayTimeout(TransportKind transport)
            throws Exception {
        for (Mode mode : Mode.values()) {
            BlockingQueue<CompletableFuture<Response>> waiting = new LinkedBlockingQueue<>();
            try (Client client =
                    start(
                            transport,
                            mode,
                            c -> c.handlerTimeout(Duration.ofSeconds(5)),
                            routes ->
                                    routes.get(
                                            "/",
                                            request -> {
                                                var later = new CompletableFuture<Response>();
                                                waiting.add(later);
                                                return Response.async(later);
                                            }))) {
                client.send("GET / HTTP/1.1\nHost: a\n\n");
                var later = waiting.take();
                client.await("somebody to wait", () -> later.getNumberOfDependents() > 0);
                advance(4_900);
                assertFalse(client.hasEnded());
                advance(100 + LATE);
                String answer = client.untilEnd();
                assertEquals("HTTP/1.1 504 Gateway Timeout", statusLine(answer), mode.name());
                later.complete(Response.text("dropped"));
                settle();
                assertEquals(1, OnTheWire.Reply.all(client.text()).size());
                assertEquals(List.of(RequestError.LATER_DEADLINE), serving.rules());
            }
            serving.awaitQuiet();
            stop();
        }
        serving = new Serving(transport, c -> {}, routes -> {});
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aFilterThatNeverGoesOnIsAGatewayTimeoutAndTheHandlerIsNotCalled(TransportKind transport)
            throws Exception {
        for (Mode mode : Mode.values()) {
            BlockingQueue<CompletableFuture<Handler>> waiting = new LinkedBlockingQueue<>();
            var called = new java.util.concurrent.atomic.AtomicBoolean();
            Handler handler =
                    request -> {
                        called.set(true);
                        return Response.text("late");
                    };
            try (Client client =
                    start(
                            transport,
                            mode,
                            c -> c.handlerTimeout(Duration.ofSeconds(5)),
                            routes ->
                                    routes.get(
                                            "/",
                                            request -> {
                                                var next = new CompletableFuture<Handler>();
                                                waiting.add(next);
                                                return Response.asyncHandler(next);
                                            }))) {
                client.send("GET / HTTP/1.1\nHost: a\n\n");
                var next = waiting.take();
                client.await("somebody to wait", () -> next.getNumberOfDependents() > 0);
                advance(5_000 + LATE);
                assertEquals(
                        "HTTP/1.1 504 Gateway Timeout", statusLine(client.untilEnd()), mode.name());
                next.complete(handler);
                settle();
                assertFalse(called.get(), mode.name());
            }
            serving.awaitQuiet();
            stop();
        }
        serving = new Serving(transport, c -> {}, routes -> {});
    }

    /** A stream meets its deadline with the first byte that it sends, and has no other. */
    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aStreamThatHasBegunMayTakeItsTime(TransportKind transport) throws Exception {
        BlockingQueue<CompletableFuture<Void>> waiting = new LinkedBlockingQueue<>();
        try (Client client =
                start(
                        transport,
                        c -> c.handlerTimeout(Duration.ofSeconds(5)),
                        routes ->
                                routes.get(
                                        "/",
                                        request ->
                                                Response.events(
                                                        sink -> {
                                                            for (int i = 0; i < 3; i++) {
                                                                var go =
                                                                        new CompletableFuture<
                                                                                Void>();
                                                                waiting.add(go);
                                                                go.join();
                                                                sink.send("tick " + i);
                                                            }
                                                        })))) {
            client.send("GET / HTTP/1.1\nHost: a\n\n");
            settle();
            advance(100 + LATE); // the head waits so long for the first event
            client.until("\r\n\r\n");
            for (int i = 0; i < 3; i++) {
                advance(3_600_000);
                waiting.take().complete(null);
                client.until("data: tick " + i + "\n\n");
            }
            client.until("\r\n0\r\n\r\n");
            assertFalse(client.hasEnded());
        }
    }

    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aClientThatTakesNothingIsCut(TransportKind transport) throws Exception {
        BlockingQueue<Throwable> ends = new LinkedBlockingQueue<>();
        byte[] piece = new byte[64 << 10];
        try (Client first =
                        start(
                                transport,
                                c -> c.writeTimeout(Duration.ofSeconds(30)),
                                routes ->
                                        routes.get(
                                                "/",
                                                request ->
                                                        Response.stream(
                                                                out -> {
                                                                    try {
                                                                        while (true) {
                                                                            out.write(piece);
                                                                        }
                                                                    } catch (
                                                                            java.io.IOException e) {
                                                                        ends.add(e);
                                                                        throw e;
                                                                    }
                                                                })));
                Client deaf = new Client(serving.server, 4096)) {
            first.send("OPTIONS * HTTP/1.1\nHost: a\n\n").until("\r\n\r\n");
            deaf.sendDeaf(Client.bytes("GET / HTTP/1.1\nHost: a\n\n"), 0, 27);
            awaitStalled();
            advance(29_000);
            assertEquals(1, serving.stats().inProgress());
            advance(1_000 + LATE);
            advance(30_000 + LATE);
            assertFalse(ends.poll(5, TimeUnit.SECONDS) instanceof InterruptedIOException);
            serving.await("the end of it", () -> serving.stats().inProgress() == 0);
        }
        assertEquals(List.of(), serving.failures());
        serving.awaitQuiet();
    }

    /** Sent whole, behind which the connection is idle, but for what is unsent. */
    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void aSlowClientIsNotCut(TransportKind transport) throws Exception {
        String page = "0123456789abcdef".repeat(512 << 10); // 8 MiB
        try (Client first =
                        start(
                                transport,
                                c ->
                                        c.writeTimeout(Duration.ofSeconds(30))
                                                .idleTimeout(Duration.ofSeconds(20)),
                                routes -> routes.get("/", request -> Response.text(page)));
                Client slow = new Client(serving.server, 4096)) {
            first.send("OPTIONS * HTTP/1.1\nHost: a\n\n").until("\r\n\r\n");
            slow.sendDeaf(Client.bytes("GET / HTTP/1.1\nHost: a\n\n"), 0, 27);
            for (int at = 1 << 20; at < page.length(); at += 1 << 20) {
                awaitStalled();
                slow.until(at);
                advance(29_000);
            }
            slow.until(page.length() + slow.text().indexOf("\r\n\r\n") + 4);
            assertFalse(slow.wasReset());
            assertEquals(
                    page.length(),
                    new String(slow.received(), StandardCharsets.ISO_8859_1)
                            .split("\r\n\r\n", 2)[1].length());
        }
    }

    /** A few turns go by without a byte leaving. */
    private void awaitStalled() {
        long[] before = {-1, 0};
        serving.await(
                "the client's buffers to be full",
                () -> {
                    settle();
                    long now = serving.stats().net().bytesOut();
                    before[1] = now - before[0] < 1000 ? before[1] + 1 : 0;
                    before[0] = now;
                    return before[1] == 5;
                });
    }

    /** At most a second stale, on a clock that stands still otherwise. */
    @ParameterizedTest
    @FieldSource("TRANSPORTS")
    void theDateIsThatOfTheSecond(TransportKind transport) {
        Response constant = Response.text("x");
        try (Client client =
                start(transport, c -> {}, routes -> routes.get("/", request -> constant))) {
            for (int second = 20; second < 24; second++) {
                for (int i = 0; i < 3; i++) {
                    int before = client.received().length;
                    client.send("GET / HTTP/1.1\nHost: a\n\n").until(before + 100);
                    client.await("x", () -> client.text().endsWith("\r\n\r\nx"));
                    String answer = client.text().substring(before);
                    assertTrue(
                            answer.contains("\r\nDate: Tue, 14 Nov 2023 22:13:" + second + " GMT"),
                            answer);
                    clock.advance(i == 2 ? 2 : 499);
                }
            }
        }
    }
}
