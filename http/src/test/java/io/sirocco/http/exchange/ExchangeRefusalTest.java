// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.BadRequest;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.RequestError;
import io.sirocco.http.Response;
import io.sirocco.http.body.BodyRefused;
import io.sirocco.http.exchange.FakeServer.Asked;
import io.sirocco.http.exchange.FakeStream.Result;
import io.sirocco.net.CloseCause;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Refused requests, late bodies and late handlers, on {@link FakeStream}s. */
class ExchangeRefusalTest {
    // ---- pages

    @Test
    void refusalsHaveThePagesOfTheProgram() {
        try (var server =
                new FakeServer(
                        c ->
                                c.maxBodyBytes(3)
                                        .errorPages(
                                                (status, message) ->
                                                        Response.json(
                                                                        "{\"error\":\""
                                                                                + message
                                                                                + "\"}")
                                                                .header("X-Page", "" + status)),
                        routes -> {
                            routes.post("/", r -> Response.text(r.body().text()));
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
            assertPage(404, "Not Found", server.get("/missing"));
            assertPage(405, "Method Not Allowed", server.get("/"));
            assertPage(413, RequestError.BODY_TOO_LARGE, server.post("/", 4).result());
            assertPage(
                    413, RequestError.BODY_TOO_LARGE, server.post("/", -1).body("1234").result());
            assertPage(500, "Internal Server Error", server.get("/throws"));
            assertPage(422, "not that", server.get("/refuses"));
        }
    }

    private static void assertPage(int status, RequestError rule, Result result) {
        assertEquals(status, rule.status());
        assertPage(status, "Content Too Large", result);
    }

    private static void assertPage(int status, String message, Result result) {
        assertEquals(status, result.status());
        assertEquals("{\"error\":\"" + message + "\"}", result.body());
        assertEquals("" + status, result.headers().first("X-Page").orElse(""));
        assertEquals("application/json", result.headers().first("Content-Type").orElse(""));
    }

    // ---- bodies

    @Test
    void anInlineHandlerIsNotCalledForABodyThatIsRefused() {
        var calls = new AtomicInteger();
        try (var server =
                new FakeServer(
                        c -> c.bodyTimeout(Duration.ofSeconds(5), 0),
                        routes ->
                                routes.route(
                                                "POST",
                                                "/",
                                                r -> {
                                                    calls.incrementAndGet();
                                                    return Response.text("called");
                                                })
                                        .executionMode(ExecutionMode.INLINE))) {
            Asked malformed = server.post("/", -1).body("ab");
            malformed.run(s -> s.exchange().refuseBody(RequestError.BAD_CHUNK_SIZE));
            assertEquals(400, malformed.result().status());
            Asked slow = server.post("/", 4).body("ab").after(5_000);
            assertEquals(408, slow.result().status());
            assertTrue(slow.result().closesAfterResponse());
            assertEquals(0, calls.get());
            assertEquals(
                    List.of(RequestError.BAD_CHUNK_SIZE, RequestError.BODY_DEADLINE),
                    List.copyOf(server.rules));
        }
    }

    @Test
    void aBodyThatIsPulledFailsWhenItIsLateOrItsClientDisconnects() {
        var pulled = new AtomicReference<CompletableFuture<byte[]>>();
        try (var server =
                new FakeServer(
                        c -> c.bodyTimeout(Duration.ofSeconds(5), 0),
                        routes ->
                                routes.route(
                                                "POST",
                                                "/",
                                                r -> {
                                                    var next = r.body().next();
                                                    pulled.set(next.toCompletableFuture());
                                                    return Response.async(
                                                            next.thenApply(Response::bytes));
                                                })
                                        .executionMode(ExecutionMode.INLINE)
                                        .startBeforeBody())) {
            Asked late = server.post("/", 4).after(4_999);
            assertFalse(late.isDone());
            assertEquals(408, late.after(1).result().status());
            var refused = assertThrows(ExecutionException.class, () -> pulled.get().get());
            assertInstanceOf(BodyRefused.class, refused.getCause());
            Asked gone = server.post("/", 4);
            gone.run(s -> s.close(CloseCause.RESET));
            assertInstanceOf(IOException.class, pulled.get().exceptionNow());
        }
    }

    @Test
    void aBodyThatNobodyReadsIsSkippedBehindTheResponseForALimitedTime() {
        try (var server =
                new FakeServer(
                        c -> c.bodyTimeout(Duration.ofSeconds(5), 0),
                        routes ->
                                routes.route("POST", "/", r -> Response.text("done"))
                                        .startBeforeBody())) {
            Asked all = server.new Asked();
            all.run(s -> s.keepsReading = true).begin(4, "POST", "/");
            assertEquals("done", all.result().body());
            assertEquals(1, all.count(s -> server.context().inProgress));
            all.body("abcd").endBody();
            assertEquals(0, all.count(s -> server.context().inProgress));
            Asked late = server.new Asked();
            late.run(s -> s.keepsReading = true).begin(4, "POST", "/");
            assertEquals("done", late.result().body());
            late.after(5_000);
            assertEquals(0, late.count(s -> server.context().inProgress));
            assertEquals(List.of(RequestError.BODY_DEADLINE), List.copyOf(server.rules));
        }
    }

    // ---- handlers

    @Test
    void theTimeThatAClientTakesForItsBodyIsNotTheHandlers() {
        var never = new CompletableFuture<Response>();
        try (var server =
                new FakeServer(
                        c ->
                                c.handlerTimeout(Duration.ofSeconds(3))
                                        .bodyTimeout(Duration.ofSeconds(60), 0),
                        routes ->
                                routes.post(
                                        "/",
                                        r -> {
                                            r.body().bytes();
                                            return Response.async(never);
                                        }))) {
            Asked asked = server.post("/", 1);
            FakeServer.await(() -> asked.count(s -> s.demands) > 0, "the handler reads");
            asked.after(50_000).body("x").endBody();
            FakeServer.await(() -> asked.is(s -> s.exchange().awaitsResponse), "it has read");
            asked.after(2_999);
            assertFalse(asked.isDone());
            assertEquals(504, asked.after(1).result().status());
        }
    }

    @Test
    void aResponseThatComesAfterItsTimeoutIsDropped() {
        var late = new CompletableFuture<Response>();
        try (var server =
                new FakeServer(
                        c -> c.handlerTimeout(Duration.ofSeconds(3)),
                        routes -> routes.get("/", r -> Response.async(late)))) {
            Asked asked = server.ask("GET", "/").after(3_000);
            assertEquals(504, asked.result().status());
            late.complete(Response.text("late"));
            assertEquals(504, asked.run(s -> {}).result().status());
            assertEquals(List.of("GET / / 504 0 15"), List.copyOf(server.answered));
        }
    }

    // ---- memory

    /** A refusal takes memory itself, so the 17th of a turn is none. */
    @Test
    void oneTurnTellsOnlySoManyClientsThatMemoryIsShort() {
        try (var server =
                new FakeServer(
                        routes ->
                                routes.get("/", r -> Response.async(new CompletableFuture<>())))) {
            var all = new ArrayList<Asked>();
            for (int i = 0; i < 17; i++) {
                all.add(server.ask("GET", "/"));
            }
            for (Asked each : all) { // one turn by the clock, which stands still
                each.run(
                        s -> {
                            s.memoryShort = true;
                            s.exchange().stored();
                        });
            }
            assertEquals(503, all.get(15).result().status());
            assertEquals("closed", all.get(16).result().end());
            assertEquals(0, all.get(16).result().status());
        }
    }

    @Test
    void aBodyForWhichThereIsNoMemoryIsRefused() {
        try (var server =
                new FakeServer(routes -> routes.post("/", r -> Response.text(r.body().text())))) {
            Asked asked = server.post("/", 10);
            FakeServer.await(() -> asked.count(s -> s.demands) > 0, "the handler reads");
            asked.run(s -> s.memoryShort = true).body("12345");
            assertEquals(503, asked.result().status());
            assertTrue(asked.result().closesAfterResponse());
            Asked begun = server.post("/", 10);
            begun.run(s -> s.exchange().refuseBodyForMemory());
            assertEquals(503, begun.result().status());
        }
    }
}
