// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.BadRequest;
import io.sirocco.http.Body;
import io.sirocco.http.BodySource;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Handler;
import io.sirocco.http.Headers;
import io.sirocco.http.RequestError;
import io.sirocco.http.Response;
import io.sirocco.http.TrustedProxies;
import io.sirocco.http.body.BodyRefused;
import io.sirocco.http.body.RequestBody;
import io.sirocco.http.exchange.FakeServer.Asked;
import io.sirocco.http.exchange.FakeStream.Result;
import io.sirocco.http.route.RouteTarget;
import io.sirocco.net.CloseCause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What does not depend on a version of HTTP is proved on {@link FakeStream}s, which know none:
 * routes, filters, limits, timeouts, drain, files, events and WebSocket.
 */
class ExchangeTest {
    // ---- routes and filters

    @Test
    void routesMatchByPathMethodAndHost() {
        try (var server =
                new FakeServer(
                        routes -> {
                            routes.get("/hello/{name}", r -> Response.text(r.param("name")));
                            routes.post("/hello/{name}", r -> Response.text("posted"));
                        })) {
            assertEquals("you", server.get("/hello/you?a=b").body());
            Result missing = server.get("/other");
            assertEquals(404, missing.status());
            Result wrong = server.ask("DELETE", "/hello/you").result();
            assertEquals(405, wrong.status());
            assertEquals("GET, HEAD, OPTIONS, POST", wrong.headers().first("Allow").orElse(""));
            Result all = server.ask("OPTIONS", "*").result();
            assertEquals(204, all.status());
            assertEquals(
                    List.of(
                            "GET /hello/you?a=b /hello/{name} 200 0 3",
                            "GET /other  404 0 9",
                            "DELETE /hello/you  405 0 18",
                            "OPTIONS *  204 0 0"),
                    List.copyOf(server.answered));
        }
    }

    @Test
    void headHasTheHeadersOfGetAndNoBody() {
        try (var server = new FakeServer(routes -> routes.get("/", r -> Response.text("some")))) {
            Asked asked = server.ask("HEAD", "/");
            assertEquals("", asked.result().body());
            assertEquals(4, asked.count(s -> s.statedLength));
            assertEquals(List.of("HEAD / / 200 0 0"), List.copyOf(server.answered));
        }
    }

    /** The connection is closed before its exchange is told, as by a write that fails. */
    @Test
    void aPieceBehindTheEndOfTheConnectionIsNotCountedAsSent() {
        var second = new CompletableFuture<byte[]>();
        Iterator<CompletableFuture<byte[]>> pieces =
                List.of(CompletableFuture.completedFuture(new byte[5]), second).iterator();
        BodySource source = pieces::next;
        try (var server = new FakeServer(routes -> routes.get("/", r -> Response.stream(source)))) {
            Asked asked = server.ask("GET", "/");
            FakeServer.await(() -> asked.count(s -> s.written()) == 5, "the first piece");
            asked.run(s -> s.open = false).run(_ -> second.complete(new byte[1_000]));
            asked.run(s -> s.close(CloseCause.RESET));
            FakeServer.await(() -> !server.answered.isEmpty(), "the report");
            assertEquals(List.of("GET / / 200 0 5 cut"), List.copyOf(server.answered));
        }
    }

    @Test
    void filtersSeeRequestsAndChangeResponses() {
        try (var server =
                new FakeServer(
                        routes -> {
                            routes.filterAll(
                                    (request, next) ->
                                            next.handle(request).header("Seen", request.path()));
                            routes.get("/a", r -> Response.text("a"));
                        })) {
            assertEquals("/a", server.get("/a").headers().first("Seen").orElse(""));
            Result unmatched = server.get("/b");
            assertEquals(404, unmatched.status());
            assertEquals("/b", unmatched.headers().first("Seen").orElse(""));
        }
    }

    @Test
    void aHandlerThatThrowsIs500AndOneThatRefusesHasItsStatus() {
        try (var server =
                new FakeServer(
                        routes -> {
                            routes.get(
                                    "/throws",
                                    r -> {
                                        throw new IllegalStateException("secret");
                                    });
                            routes.get(
                                    "/refuses",
                                    r -> {
                                        throw new BadRequest(422, "not that");
                                    });
                        })) {
            Result thrown = server.get("/throws");
            assertEquals(500, thrown.status());
            assertFalse(thrown.body().contains("secret"));
            assertEquals(422, server.get("/refuses").status());
        }
    }

    @Test
    void filtersMaySeeWhatNoRouteMatches() {
        var seen = new CopyOnWriteArrayList<String>();
        try (var server =
                new FakeServer(
                        routes ->
                                routes.filterAll(
                                                (request, next) -> {
                                                    seen.add(request.path());
                                                    return next.handle(request);
                                                })
                                        .get("/", r -> Response.text("a")))) {
            assertEquals(404, server.get("/none").status());
            Result refused = server.ask("DELETE", "/").result();
            assertEquals(405, refused.status());
            assertEquals("GET, HEAD, OPTIONS", refused.headers().first("Allow").orElse(""));
            assertEquals(204, server.ask("OPTIONS", "/").result().status());
            assertEquals(204, server.ask("OPTIONS", "*").result().status());
            assertEquals(List.of("/none", "/", "/"), List.copyOf(seen));
        }
    }

    @Test
    void aFilterMayNameTheHandlerLater() {
        var next = new CompletableFuture<Handler>();
        try (var server =
                new FakeServer(
                        routes ->
                                routes.filter((request, handler) -> Response.asyncHandler(next))
                                        .get("/", r -> Response.text("not called")))) {
            Asked asked = server.ask("GET", "/");
            assertFalse(asked.isDone());
            next.complete(request -> Response.text("later, of " + request.path()));
            assertEquals("later, of /", asked.result().body());
        }
    }

    @Test
    void handlersRunWhereTheirRouteSays() {
        try (var server =
                new FakeServer(
                        routes -> {
                            for (ExecutionMode mode : ExecutionMode.values()) {
                                routes.route(
                                                "GET",
                                                "/" + mode,
                                                r ->
                                                        Response.text(
                                                                r.loop().isOwnThread()
                                                                        + " "
                                                                        + Thread.currentThread()))
                                        .executionMode(mode);
                            }
                        })) {
            assertTrue(server.get("/INLINE").body().startsWith("true "));
            assertTrue(server.get("/VIRTUAL").body().startsWith("false VirtualThread["));
            assertTrue(server.get("/LOOP").body().startsWith("false VirtualThread["));
            assertTrue(server.get("/POOL").body().contains("pool"));
        }
    }

    // ---- proxies and certificates

    @Test
    void aTrustedProxySaysForWhomItAsks() {
        var proxies = TrustedProxies.of(peer -> true, TrustedProxies.Field.FORWARDED);
        try (var server =
                new FakeServer(
                        c -> c.trustedProxies(proxies),
                        routes ->
                                routes.get(
                                        "/",
                                        r ->
                                                Response.text(
                                                        r.remoteAddress()
                                                                + " "
                                                                + r.scheme()
                                                                + " "
                                                                + r.host())))) {
            String[] forwarded = {"Forwarded", "for=198.51.100.7;proto=https;host=b.example"};
            assertEquals("/198.51.100.7:0 https b.example", server.get("/", forwarded).body());
            assertEquals(400, server.get("/", "Forwarded", "for=;;=").status());
            assertEquals(List.of(RequestError.BAD_FORWARDED), List.copyOf(server.rules));
        }
    }

    @Test
    void aRequestForAHostThatTheCertificateDoesNotCoverIsMisdirected() {
        try (var server = new FakeServer(routes -> routes.get("/", r -> Response.text("a")))) {
            Asked covered = server.new Asked();
            covered.run(s -> s.secure = true).begin(0, "GET", "/");
            assertEquals(200, covered.result().status());
            Asked other = server.new Asked();
            other.run(
                            s -> {
                                s.secure = true;
                                s.certificate = "b";
                            })
                    .begin(0, "GET", "/");
            assertEquals(421, other.result().status());
            assertEquals(List.of(RequestError.MISDIRECTED), List.copyOf(server.rules));
        }
    }

    // ---- bodies

    @Test
    void aBodyReachesItsHandlerInPieces() {
        try (var server =
                new FakeServer(
                        routes -> routes.post("/", r -> Response.text(r.body().text() + "!")))) {
            Asked asked = server.post("/", -1).body("some ").body("of it").endBody();
            assertEquals("some of it!", asked.result().body());
            assertEquals(List.of("POST / / 200 10 11"), List.copyOf(server.answered));
        }
    }

    @Test
    void anInlineHandlerIsCalledWhenItsBodyIsComplete() {
        var calls = new AtomicInteger();
        try (var server =
                new FakeServer(
                        routes ->
                                routes.route(
                                                "POST",
                                                "/",
                                                r -> {
                                                    calls.incrementAndGet();
                                                    return Response.bytes(r.body().bytes());
                                                })
                                        .executionMode(ExecutionMode.INLINE))) {
            Asked asked = server.post("/", 4).body("ab");
            assertEquals(0, calls.get());
            asked.body("cd").endBody();
            assertEquals("abcd", asked.result().body());
            assertEquals(1, calls.get());
        }
    }

    /** The stream reads on when the handler has consumed what it holds, and not before. */
    @Test
    void aHandlerPullsItsBodyWithoutAThread() throws Exception {
        var taken = new AtomicReference<CompletableFuture<byte[]>>();
        var body = new AtomicReference<Body>();
        var response = new CompletableFuture<Response>();
        try (var server =
                new FakeServer(
                        routes ->
                                routes.route(
                                                "POST",
                                                "/",
                                                r -> {
                                                    body.set(r.body());
                                                    return Response.async(response);
                                                })
                                        .executionMode(ExecutionMode.INLINE)
                                        .startBeforeBody())) {
            Asked asked = server.post("/", -1).body("x".repeat(RequestBody.FULL));
            assertTrue(asked.is(s -> s.exchange().bodyFull()));
            assertEquals(0, asked.count(s -> s.exchange().body.consumed()));
            long before = asked.count(s -> s.demands);
            asked.run(s -> taken.set(body.get().next().toCompletableFuture()));
            assertEquals(RequestBody.FULL, taken.get().get().length);
            assertFalse(asked.is(s -> s.exchange().bodyFull()));
            assertEquals(RequestBody.FULL, asked.count(s -> s.exchange().body.consumed()));
            assertEquals(before + 1, asked.count(s -> s.demands));
            asked.run(s -> taken.set(body.get().next().toCompletableFuture())).endBody();
            assertEquals(0, taken.get().get().length);
            response.complete(Response.text("all"));
            assertEquals("all", asked.result().body());
        }
    }

    // ---- limits

    @Test
    void aBodyThatIsTooLongIsRefusedByWhatIsStatedAndByWhatComes() {
        try (var server =
                new FakeServer(
                        routes ->
                                routes.route("POST", "/", r -> Response.text(r.body().text()))
                                        .maxBodyBytes(10))) {
            Result stated = server.post("/", 11).result();
            assertEquals(413, stated.status());
            assertTrue(stated.closesAfterResponse());
            Result comes = server.post("/", -1).body("123456").body("789012").result();
            assertEquals(413, comes.status());
            assertEquals(
                    List.of(RequestError.BODY_TOO_LARGE, RequestError.BODY_TOO_LARGE),
                    List.copyOf(server.rules));
        }
    }

    @Test
    void requestsBeyondTheLimitAreRefusedAndItsOwnRouteIsFreeAgain() {
        var first = new CompletableFuture<Response>();
        try (var server =
                new FakeServer(
                        c -> c.maxConcurrentRequests(1),
                        routes -> {
                            routes.get("/", r -> Response.async(first));
                            routes.get("/other", r -> Response.text("other"));
                        })) {
            Asked waits = server.ask("GET", "/");
            Result second = server.get("/other");
            assertEquals(503, second.status());
            assertEquals("1", second.headers().first("Retry-After").orElse(""));
            assertFalse(second.closesAfterResponse());
            first.complete(Response.text("done"));
            assertEquals("done", waits.result().body());
            assertEquals("other", server.get("/other").body());
        }
    }

    @Test
    void aRequestForWhichThereIsNoMemoryIsRefused() {
        try (var server =
                new FakeServer(
                        routes ->
                                routes.get("/", r -> Response.async(new CompletableFuture<>())))) {
            Asked asked = server.ask("GET", "/");
            asked.run(
                    s -> {
                        s.memoryShort = true;
                        s.exchange().stored();
                    });
            assertEquals(503, asked.result().status());
            assertEquals(List.of(RequestError.MEMORY_SHORT), List.copyOf(server.rules));
        }
    }

    // ---- timeouts

    @Test
    void aHandlerThatTakesTooLongIsInterruptedAndRefused() throws Exception {
        var interrupted = new CountDownLatch(1);
        try (var server =
                new FakeServer(
                        c -> c.handlerTimeout(Duration.ofSeconds(3)),
                        routes -> {
                            routes.get(
                                    "/sleeps",
                                    r -> {
                                        try {
                                            Thread.sleep(Duration.ofMinutes(5));
                                        } catch (InterruptedException e) {
                                            interrupted.countDown();
                                        }
                                        return Response.text("late");
                                    });
                            routes.get("/later", r -> Response.async(new CompletableFuture<>()));
                        })) {
            Asked sleeps = server.ask("GET", "/sleeps").after(2_999);
            assertFalse(sleeps.isDone());
            assertEquals(503, sleeps.after(1).result().status());
            interrupted.await();
            assertEquals(504, server.ask("GET", "/later").after(3_000).result().status());
            assertEquals(
                    List.of(RequestError.HANDLER_DEADLINE, RequestError.LATER_DEADLINE),
                    List.copyOf(server.rules));
        }
    }

    @Test
    void aBodyThatComesTooSlowlyIsRefused() {
        try (var server =
                new FakeServer(
                        c -> c.bodyTimeout(Duration.ofSeconds(5), 10),
                        routes -> routes.post("/", r -> Response.text(r.body().text())))) {
            Asked slow = server.post("/", 100);
            FakeServer.await(() -> slow.count(s -> s.demands) > 0, "the handler reads");
            slow.after(4_000).body("1234567890"); // which earn another second
            FakeServer.await(() -> slow.count(s -> s.demands) > 1, "the handler reads on");
            slow.after(1_500);
            assertFalse(slow.isDone());
            Result refused = slow.after(500).result();
            assertEquals(408, refused.status());
            assertTrue(refused.closesAfterResponse());
            assertEquals(List.of(RequestError.BODY_DEADLINE), List.copyOf(server.rules));
        }
    }

    @Test
    void aClientThatTakesNothingOfAResponseIsGivenUp() {
        try (var server =
                new FakeServer(
                        c -> c.writeTimeout(Duration.ofSeconds(7)),
                        routes ->
                                routes.get(
                                        "/",
                                        r ->
                                                Response.stream(
                                                        out -> {
                                                            for (int i = 0; i < 3; i++) {
                                                                out.write(new byte[100]);
                                                                out.flush();
                                                            }
                                                        })))) {
            Asked asked = server.new Asked();
            asked.run(s -> s.congested = true).begin(0, "GET", "/");
            FakeServer.await(() -> asked.count(s -> s.statedLength) == -1, "it has begun");
            FakeServer.await(() -> asked.count(s -> s.exchange().bytesOut) == 100, "one piece");
            asked.after(6_999);
            assertFalse(asked.isDone());
            assertEquals("closed", asked.after(1).result().end());
            assertEquals(List.of("GET / / 200 0 0 cut"), List.copyOf(server.answered));
        }
    }

    // ---- responses that are written while they are sent

    @Test
    void aWriterWaitsForTheClientAndGoesOnWhenItTakesAgain() {
        try (var server =
                new FakeServer(
                        routes ->
                                routes.get(
                                        "/",
                                        r ->
                                                Response.stream(
                                                        out -> {
                                                            out.write(new byte[100]);
                                                            out.flush();
                                                            out.write(new byte[50]);
                                                        })))) {
            Asked asked = server.new Asked();
            asked.run(s -> s.congested = true).begin(0, "GET", "/");
            FakeServer.await(() -> asked.count(s -> s.exchange().bytesOut) == 100, "one piece");
            assertFalse(asked.isDone());
            assertEquals(150, asked.run(FakeStream::drain).result().body().length());
        }
    }

    @Test
    void aWriterThatFailsInTheMiddleBreaksTheResponseOff() {
        try (var server =
                new FakeServer(
                        routes -> {
                            routes.get(
                                    "/middle",
                                    r ->
                                            Response.stream(
                                                    out -> {
                                                        out.write(new byte[10]);
                                                        out.flush();
                                                        throw new IOException("disk");
                                                    }));
                            routes.get(
                                    "/start",
                                    r ->
                                            Response.stream(
                                                    out -> {
                                                        throw new IOException("disk");
                                                    }));
                        })) {
            assertEquals("reset", server.get("/middle").end());
            assertEquals(500, server.get("/start").status());
            assertEquals(
                    List.of("GET /middle /middle 200 0 10 cut", "GET /start /start 500 0 21"),
                    List.copyOf(server.answered));
        }
    }

    @Test
    void eventsBeginBeforeTheFirstAndEndWhenTheServerStops() {
        var begun = new CountDownLatch(1);
        try (var server =
                new FakeServer(
                        routes ->
                                routes.get(
                                        "/",
                                        r ->
                                                Response.events(
                                                        sink -> {
                                                            begun.countDown();
                                                            Thread.sleep(Duration.ofMinutes(5));
                                                        })))) {
            Asked asked = server.ask("GET", "/");
            FakeServer.await(() -> begun.getCount() == 0, "the writer runs");
            asked.after(200);
            FakeServer.await(() -> asked.count(s -> s.statedLength) == -1, "the headers are sent");
            asked.run(s -> s.exchange().drain());
            Result result = asked.result();
            assertEquals("end", result.end());
            assertEquals("text/event-stream", result.headers().first("Content-Type").orElse(""));
        }
    }

    // ---- bodies without a thread, trailers, interim responses

    @Test
    void aSourceIsAskedForTheNextPieceWhenTheClientTakesMore() {
        var asked = new AtomicInteger();
        var closed = new AtomicInteger();
        var second = new CompletableFuture<byte[]>();
        BodySource source =
                new BodySource() {
                    @Override
                    public CompletableFuture<byte[]> next() {
                        return switch (asked.incrementAndGet()) {
                            case 1 -> CompletableFuture.completedFuture("one".getBytes());
                            case 2 -> second;
                            default -> CompletableFuture.completedFuture(new byte[0]);
                        };
                    }

                    @Override
                    public void close() {
                        closed.incrementAndGet();
                    }
                };
        try (var server =
                new FakeServer(routes -> routes.get("/", r -> Response.stream(6, source)))) {
            Asked request = server.new Asked();
            request.run(s -> s.congested = true).begin(0, "GET", "/");
            FakeServer.await(() -> request.count(s -> s.statedLength) == 6, "it has begun");
            assertEquals(1, asked.get());
            request.run(FakeStream::drain);
            assertEquals(2, asked.get());
            second.complete("two".getBytes());
            Result result = request.result();
            assertEquals("onetwo", result.body());
            assertEquals("end", result.end());
            assertEquals(3, asked.get());
            assertEquals(1, closed.get());
        }
    }

    @Test
    void aSourceThatFailsIsAnErrorBeforeItsFirstPieceAndBrokenOffBehindIt() {
        try (var server =
                new FakeServer(
                        c -> c.handlerTimeout(Duration.ofSeconds(3)),
                        routes -> {
                            routes.get("/first", r -> Response.stream(new Pieces(0, true)));
                            routes.get("/second", r -> Response.stream(new Pieces(1, true)));
                            routes.get("/short", r -> Response.stream(3, new Pieces(2, false)));
                            routes.get("/long", r -> Response.stream(1, new Pieces(2, false)));
                            routes.get("/even", r -> Response.stream(2, new Pieces(2, false)));
                            routes.get(
                                    "/never",
                                    r -> Response.stream(() -> new CompletableFuture<>()));
                        })) {
            assertEquals(500, server.get("/first").status());
            assertEquals("reset", server.get("/second").end());
            assertEquals("reset", server.get("/short").end());
            assertEquals("reset", server.get("/long").end());
            assertEquals("xx", server.get("/even").body());
            assertEquals(504, server.ask("GET", "/never").after(3_000).result().status());
        }
    }

    /** So many pieces of one byte, and then the end or a failure. */
    private static final class Pieces implements BodySource {
        private int left;
        private final boolean fails;

        Pieces(int count, boolean fails) {
            this.left = count;
            this.fails = fails;
        }

        @Override
        public CompletableFuture<byte[]> next() throws IOException {
            if (left-- > 0) {
                return CompletableFuture.completedFuture(new byte[] {'x'});
            }
            if (fails) {
                throw new IOException("no more");
            }
            return CompletableFuture.completedFuture(new byte[0]);
        }
    }

    @Test
    void aSourceIsClosedWhenItsClientGoesOrNothingOfItIsSent() {
        var closed = new AtomicInteger();
        BodySource source =
                new BodySource() {
                    @Override
                    public CompletableFuture<byte[]> next() {
                        return new CompletableFuture<>();
                    }

                    @Override
                    public void close() {
                        closed.incrementAndGet();
                    }
                };
        try (var server = new FakeServer(routes -> routes.get("/", r -> Response.stream(source)))) {
            Asked asked = server.ask("GET", "/");
            FakeServer.await(() -> asked.is(s -> s.exchange().awaitsResponse), "it has begun");
            asked.run(s -> s.close(CloseCause.RESET));
            assertEquals(1, closed.get());
            assertEquals("end", server.ask("HEAD", "/").result().end());
            assertEquals(2, closed.get());
        }
    }

    @Test
    void trailersPassBothWays() {
        try (var server =
                new FakeServer(
                        routes -> {
                            routes.post(
                                    "/",
                                    r -> {
                                        String body = r.body().text();
                                        Headers sent = r.body().trailers();
                                        return Response.text(body).trailers(() -> sent);
                                    });
                            routes.get(
                                    "/bad",
                                    r ->
                                            Response.text("a")
                                                    .trailers(
                                                            () -> Headers.of("Content-Type", "b")));
                        })) {
            Asked asked = server.post("/", -1).body("some");
            asked.run(s -> s.endBody(Headers.of("Checksum", "7")));
            Result result = asked.result();
            assertEquals("some", result.body());
            assertEquals("7", result.trailers().first("Checksum").orElse(""));
            assertEquals(-1, asked.count(s -> s.statedLength), "trailers follow chunks");
            assertEquals("reset", server.get("/bad").end());
        }
    }

    @Test
    void interimResponsesGoBeforeTheResponse() {
        try (var server =
                new FakeServer(
                        routes ->
                                routes.get(
                                        "/",
                                        r -> {
                                            r.interim(103, Headers.of("Link", "</a.css>"));
                                            return Response.text("page");
                                        }))) {
            Result result = server.get("/");
            assertEquals(List.of("103 " + Headers.of("Link", "</a.css>")), result.interims());
            assertEquals("page", result.body());
        }
    }

    // ---- drain

    @Test
    void aServerThatStopsLetsAResponseEndAndBeginsNoEndlessOne() {
        var response = new CompletableFuture<Response>();
        var interrupted = new CountDownLatch(1);
        try (var server =
                new FakeServer(
                        routes -> {
                            routes.get("/later", r -> Response.async(response));
                            routes.get(
                                    "/events",
                                    r ->
                                            Response.events(
                                                    sink -> {
                                                        sink.send("first");
                                                        Thread.sleep(Duration.ofMinutes(5));
                                                    }));
                            routes.get(
                                    "/sleeps",
                                    r -> {
                                        try {
                                            Thread.sleep(Duration.ofMinutes(5));
                                        } catch (InterruptedException e) {
                                            interrupted.countDown();
                                        }
                                        return Response.text("late");
                                    });
                        })) {
            Asked later = server.ask("GET", "/later");
            Asked sleeps = server.ask("GET", "/sleeps");
            later.run(
                    s -> {
                        server.context().draining = true;
                        s.exchange().drain();
                    });
            Result events = server.ask("GET", "/events").result();
            assertEquals("data: first\n\n", events.body());
            assertEquals("end", events.end());
            assertFalse(later.isDone());
            response.complete(Response.text("in good order"));
            assertEquals("in good order", later.result().body());
            assertEquals("closed", sleeps.run(s -> s.close(CloseCause.STOPPED)).result().end());
            FakeServer.await(() -> interrupted.getCount() == 0, "its handler is interrupted");
        }
    }

    // ---- files

    @Test
    void filesLeaveAsRegionsAndAreReleased(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("a.txt"), "content of a file");
        try (var server = new FakeServer(routes -> routes.get("/", r -> Response.file(file)))) {
            Asked asked = server.ask("GET", "/");
            assertEquals("content of a file", asked.result().body());
            assertEquals(17, asked.count(s -> s.statedLength));
            assertEquals(1, asked.count(s -> s.files.size()));
            assertFalse(asked.is(s -> s.files.getFirst().retain()), "it is closed by then");
            Asked head = server.ask("HEAD", "/");
            assertEquals("", head.result().body());
            assertEquals(17, head.count(s -> s.statedLength));
            assertEquals(0, head.count(s -> s.files.size()));
        }
    }

    // ---- the client

    @Test
    void aHandlerHearsThatItsClientHasGone() {
        var told = new AtomicInteger();
        var response = new CompletableFuture<Response>();
        try (var server =
                new FakeServer(
                        routes ->
                                routes.get(
                                        "/",
                                        r -> {
                                            r.onDisconnect(told::incrementAndGet);
                                            return Response.async(response);
                                        }))) {
            Asked asked = server.ask("GET", "/");
            asked.run(FakeStream::leave);
            assertEquals(1, told.get());
            asked.run(s -> s.close(CloseCause.RESET));
            assertEquals(1, told.get());
            response.complete(Response.text("late"));
            assertEquals("closed", asked.result().end());
            assertEquals(List.of("GET / / 0 0 0 cut"), List.copyOf(server.answered));
        }
    }

    @Test
    void aBodyThatIsCutOffIsAnExceptionOfItsReader() throws Exception {
        var thrown = new CompletableFuture<Throwable>();
        try (var server =
                new FakeServer(
                        routes ->
                                routes.post(
                                        "/",
                                        r -> {
                                            try {
                                                return Response.bytes(r.body().bytes());
                                            } catch (IOException e) {
                                                thrown.complete(e);
                                                throw e;
                                            }
                                        }))) {
            Asked asked = server.post("/", 10).body("12345");
            FakeServer.await(() -> asked.count(s -> s.demands) > 0, "the handler reads");
            asked.run(s -> s.exchange().refuseBody(RequestError.BODY_CUT_OFF));
            assertInstanceOf(BodyRefused.class, thrown.get().getCause());
            assertEquals(400, asked.result().status());
        }
    }

    /** A route's own limits reach the stream with each request, also when there are none. */
    @Test
    void theBandwidthOfTheRouteIsTheStreams() {
        try (var server =
                new FakeServer(
                        routes -> {
                            routes.get("/", r -> Response.text("a"));
                            routes.route("GET", "/slow", r -> Response.text("b"))
                                    .bandwidth(null, io.sirocco.net.RateLimiter.perSecond(1000));
                        })) {
            assertEquals(
                    List.of(RouteTarget.Buckets.NONE), server.ask("GET", "/").read(s -> s.paced));
            RouteTarget.Buckets slow = server.ask("GET", "/slow").read(s -> s.paced.getFirst());
            assertEquals(1, slow.writes().size());
        }
    }
}
