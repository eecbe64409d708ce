// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters that go on later, and filters that change what comes back, in all modes of handling. */
class FiltersTest extends OnTheWire {
    private static final Executor ELSEWHERE =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    private static final UnaryOperator<Response> MARK = response -> response.header("X", "marked");

    @Override
    void routes(Routes routes) {
        routes.group(
                "/door",
                door ->
                        door.filter((request, next) -> next.handle(request).mapOnce(MARK))
                                .filter(FiltersTest::elsewhere)
                                .get("/{name}", FiltersTest::hello)
                                .post("/{name}", FiltersTest::echo)
                                .get("/{name}/stream", FiltersTest::stream)
                                .get("/{name}/later", FiltersTest::later));
        routes.group(
                "/changed",
                changed ->
                        changed.filter(FiltersTest::changed)
                                .get("/at-once/{name}", FiltersTest::hello)
                                .get("/later/{name}", FiltersTest::later)
                                .get("/handler/{name}", r -> elsewhere(r, FiltersTest::hello)));
    }

    /** Changes all that a response can have, without a thought of when it will be there. */
    private static Response changed(Request request, Handler next) throws Exception {
        Response response =
                next.handle(request)
                        .status(203)
                        .header("X", "marked")
                        .header("Y", "first")
                        .setHeader("Y", "second")
                        .cookie(Cookie.of("seen", "1"))
                        .contentType("text/x-changed");
        return request.query("close").isPresent() ? response.closeConnection() : response;
    }

    /** Looks at the path on another thread, and lets in all but Eve, Mallory and Nobody. */
    private static Response elsewhere(Request request, Handler next) {
        String name = request.param("name");
        return Response.asyncHandler(
                CompletableFuture.supplyAsync(
                        () ->
                                switch (name) {
                                    case "mallory" -> throw new IllegalStateException("no");
                                    case "nobody" -> null;
                                    case "eve" -> r -> Response.text("out").status(403);
                                    default -> next;
                                },
                        ELSEWHERE));
    }

    private static Response hello(Request request) {
        return Response.text(request.param("name") + request.query("q").orElse(""));
    }

    private static Response echo(Request request) throws Exception {
        return Response.bytes(request.body().bytes());
    }

    private static Response stream(Request request) {
        return Response.stream(out -> out.write('s'));
    }

    private static Response later(Request request) {
        Response hello = hello(request);
        return Response.async(CompletableFuture.supplyAsync(() -> hello, ELSEWHERE));
    }

    @Test
    void aFilterGoesOnWhenItKnowsMore() {
        wire("GET /door/ann?q=1 HTTP/1.1\nHost: a\n\n")
                .answers(200, "ann1")
                .header("X", "marked")
                .goesOn();
    }

    @ParameterizedTest
    @ValueSource(strings = {"at-once", "later", "handler"})
    void aFilterChangesAResponseThatIsNotThereYet(String kind) {
        wire("GET /changed/" + kind + "/ann HTTP/1.1\nHost: a\n\n")
                .answers(203, "ann")
                .header("X", "marked")
                .header("Y", "second")
                .header("Set-Cookie", "seen=1; Path=/; HttpOnly; SameSite=Lax")
                .header("Content-Type", "text/x-changed")
                .goesOn();
    }

    @ParameterizedTest
    @ValueSource(strings = {"at-once", "later", "handler"})
    void aFilterClosesTheConnectionBehindAResponseThatIsNotThereYet(String kind) {
        wire("GET /changed/" + kind + "/ann?close=1 HTTP/1.1\nHost: a\n\n")
                .answers(203, "ann")
                .closes();
    }

    @Test
    void aHeaderThatCannotBeSentIsRefusedBeforeTheResponseIsThere() {
        Response later = Response.async(new CompletableFuture<>());
        assertThrows(IllegalArgumentException.class, () -> later.header("X", "a\nb"));
        assertThrows(IllegalArgumentException.class, () -> later.setHeader("Content-Length", "7"));
        assertThrows(IllegalArgumentException.class, () -> later.status(99));
    }

    @Test
    void aFilterAnswersItselfWhenItKnowsMore() {
        wire("GET /door/eve HTTP/1.1\nHost: a\n\n").answers(403, "out").header("X", "marked");
    }

    @Test
    void theBodyIsThereForTheHandlerThatIsCalledLater() {
        wire("POST /door/ann HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello")
                .answers(200, "hello")
                .goesOn();
    }

    @Test
    void pipelinedRequestsWaitForTheirTurn() {
        wireWhole("GET /door/ann HTTP/1.1\nHost: a\n\nGET /door/bob HTTP/1.1\nHost: a\n\n")
                .bodies("ann", "bob");
    }

    @Test
    void aStreamAndAResponseForLaterAreChangedToo() {
        wireWhole("GET /door/ann/stream HTTP/1.1\nHost: a\n\n")
                .answers(200, "s")
                .header("X", "marked");
        wireWhole("GET /door/ann/later HTTP/1.1\nHost: a\n\n")
                .answers(200, "ann")
                .header("X", "marked");
    }

    @Test
    void aFilterThatFailsElsewhereIsAnswered500() {
        wireWhole("GET /door/mallory HTTP/1.1\nHost: a\n\n").answers(500).goesOn();
        wireWhole("GET /door/nobody HTTP/1.1\nHost: a\n\n").answers(500).goesOn();
    }

    @Test
    void aResponseThatIsKeptIsChangedOnceAndEncodedOnce() {
        var changes = new AtomicInteger();
        UnaryOperator<Response> count =
                response -> {
                    changes.incrementAndGet();
                    return response.header("X", "1");
                };
        Response kept = Response.text("kept");
        Response changed = kept.mapOnce(count);
        assertSame(changed, kept.mapOnce(count));
        assertEquals(1, changes.get());
        assertNotSame(changed, kept.mapOnce(MARK), "another change is another response");
        assertEquals("marked", kept.mapOnce(MARK).headers().first("X").get());
        assertNotSame(kept.map(MARK), kept.map(MARK));
    }

    @Test
    void allFieldsMayBeReplacedButNotThoseOfTheServer() {
        Response response = Response.text("x").header("A", "1").headers(Headers.of("B", "2"));
        assertEquals("B: 2\r\n", response.headers().toString());
        for (String name : new String[] {"connection", "Content-Length", "Transfer-Encoding"}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> response.headers(Headers.of(name, "1")),
                    name);
        }
        assertEquals(
                Headers.of("A", "1", "B", "2", "A", "3"),
                Headers.of("A", "1").with(Headers.of("B", "2", "A", "3")));
        assertEquals(0, Headers.none().with(Headers.none()).size());
    }
}
