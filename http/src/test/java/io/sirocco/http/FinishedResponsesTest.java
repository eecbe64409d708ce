// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Every response has the headers that filters add: of a handler, an error or a refusal. */
class FinishedResponsesTest {
    private static final CountDownLatch NEVER = new CountDownLatch(1);

    /** What CORS does: a header that depends on the request. */
    private static final Filter ORIGIN =
            new Filter() {
                @Override
                public Response filter(Request request, Handler next) throws Exception {
                    return next.handle(request).map(response -> finish(request, response));
                }

                @Override
                public Response finish(Request request, Response page) {
                    return page.setHeader("Allowed", request.header("Origin").orElse("none"));
                }

                @Override
                public boolean seesUnmatched() {
                    return true;
                }
            };

    private static void routes(Routes routes) {
        Duration brief = Duration.ofMillis(50);
        routes.filter(Filter.ofResponses(response -> response.setHeader("Own", "yes")))
                .filter(ORIGIN)
                .get("/ok", r -> Response.text("ok"))
                .get(
                        "/bad",
                        r -> {
                            throw new BadRequest(409, "no");
                        })
                .get(
                        "/fails",
                        r -> {
                            throw new IllegalStateException("a fault of the program");
                        })
                .get("/null", r -> null)
                .get(
                        "/async",
                        r -> Response.async(CompletableFuture.failedFuture(new BadRequest("no"))))
                .get(
                        "/handler",
                        r ->
                                Response.asyncHandler(
                                        CompletableFuture.failedFuture(new BadRequest("no"))))
                .get(
                        "/stream",
                        r ->
                                Response.stream(
                                        (BodyWriter)
                                                out -> {
                                                    throw new BadRequest("no");
                                                }))
                .get(
                        "/source",
                        r ->
                                Response.stream(
                                        (BodySource)
                                                () ->
                                                        CompletableFuture.failedFuture(
                                                                new BadRequest("no"))))
                .get(
                        "/events",
                        r ->
                                Response.events(
                                        sink -> {
                                            throw new BadRequest("no");
                                        }))
                .get("/socket", r -> Response.webSocket((WebSocketHandler) socket -> {}))
                .post("/body", r -> Response.bytes(r.body().bytes()))
                .post("/few", r -> Response.bytes(r.body().bytes(2)));
        routes.route(
                        "GET",
                        "/slow",
                        r -> {
                            NEVER.await();
                            return Response.empty(204);
                        })
                .executionMode(ExecutionMode.VIRTUAL)
                .handlerTimeout(brief);
        routes.route("GET", "/later", r -> Response.async(new CompletableFuture<>()))
                .handlerTimeout(brief);
        routes.route("POST", "/late", r -> Response.bytes(r.body().bytes())).bodyTimeout(brief, 0);
    }

    private static Map<String, Integer> requests() {
        var all = new LinkedHashMap<String, Integer>();
        all.put("GET /ok", 200);
        all.put("GET /bad", 409);
        all.put("GET /fails", 500);
        all.put("GET /null", 500);
        all.put("GET /async", 400);
        all.put("GET /handler", 400);
        all.put("GET /stream", 400);
        all.put("GET /source", 400);
        all.put("GET /events", 400);
        all.put("GET /socket", 426);
        all.put("GET /slow", 503);
        all.put("GET /later", 504);
        all.put("GET /none", 404);
        all.put("PUT /ok", 405);
        all.put("OPTIONS /ok", 204);
        return all;
    }

    private static void assertFinished(Serving serving, String request, int status) {
        try (Client client = serving.client()) {
            client.send(request);
            String head = client.until("\r\n\r\n");
            String what = serving + "\n" + request.lines().findFirst().get() + "\n" + head;
            assertTrue(head.startsWith("HTTP/1.1 " + status + " "), what);
            assertEquals(2, head.split("\r\nAllowed: https://app.test\r\n", -1).length, what);
            assertEquals(2, head.split("\r\nOwn: yes\r\n", -1).length, what);
        }
    }

    @Test
    void allErrorsHaveTheHeadersOfFilters() {
        for (Mode mode : Mode.values()) {
            try (var serving =
                    new Serving(
                            TransportKind.AUTO,
                            mode,
                            c -> c.maxBodyBytes(10).headerLimits(500, 300, 8),
                            FinishedResponsesTest::routes)) {
                String behind = " HTTP/1.1\nHost: a\nOrigin: https://app.test\n";
                requests()
                        .forEach(
                                (line, status) ->
                                        assertFinished(serving, line + behind + "\n", status));
                assertFinished(serving, "POST /body" + behind + "Content-Length: 11\n\n", 413);
                assertFinished(
                        serving,
                        "POST /body"
                                + behind
                                + "Transfer-Encoding: chunked\n\nb\nabcdefghijk\n0\n\n",
                        413);
                assertFinished(serving, "POST /few" + behind + "Content-Length: 3\n\nabc", 413);
                assertFinished(serving, "POST /late" + behind + "Content-Length: 3\n\na", 408);
                assertFinished(
                        serving, "GET /ok" + behind + "Cookie: " + "x".repeat(600) + "\n\n", 431);
                assertFinished(serving, "GET /ok" + behind + "A: b\n".repeat(20) + "\n", 431);
                assertFinished(serving, "GET /ok" + behind + "a b: c\n\n", 400);
                assertFinished(serving, "GET /ok" + behind + "Transfer-Encoding: gzip\n\n", 400);
                assertFinished(serving, "GET /ok?a=100%" + behind + "\n", 400);
                assertFinished(serving, "GET /none#b" + behind + "\n", 400);
                assertFinished(serving, "GET /ok" + behind + "Host: b\n\n", 400);
                assertFinished(serving, "GET /ok HTTP/1.1\nOrigin: https://app.test\n\n", 400);
                assertFinished(serving, "GET /ok?" + "a".repeat(300) + behind + "\n", 414);
                assertFinished(serving, "GET /ok?" + "%20".repeat(100) + behind + "\n", 414);
                assertFinished(serving, "GET /" + "a".repeat(300) + behind + "\n", 414);
                assertFinished(serving, "GET /ok?" + "a".repeat(600) + behind + "\n", 414);
                assertFinished(serving, "GET /ok" + behind.replace("1.1", "2.0") + "\n", 505);
                assertFinished(serving, "GET /ok" + behind + "Expect: a\n\n", 417);
            }
        }
    }

    /** The request line, {@code Host} and {@code Origin} have arrived, the rest never does. */
    @Test
    void headersThatDoNotArriveInTime() {
        try (var serving =
                new Serving(
                        TransportKind.AUTO,
                        c -> c.headerTimeout(Duration.ofMillis(100)),
                        FinishedResponsesTest::routes)) {
            String head = "GET /ok HTTP/1.1\nHost: a\nOrigin: https://app.test\n";
            assertFinished(serving, head, 408);
            assertFinished(serving, head + "Cook", 408);
            try (Client client = serving.client()) {
                client.send("GET /o"); // nobody knows what it is for
                assertTrue(client.untilEnd().startsWith("HTTP/1.1 408 "));
            }
        }
    }

    /** What a trusted proxy says of a request can be refused as well. */
    @Test
    void aForwardedHeaderThatIsMalformed() {
        try (var serving =
                new Serving(
                        TransportKind.AUTO,
                        c ->
                                c.trustedProxies(
                                        TrustedProxies.of(
                                                _ -> true, TrustedProxies.Field.FORWARDED)),
                        FinishedResponsesTest::routes)) {
            assertFinished(
                    serving,
                    "GET /ok HTTP/1.1\nHost: a\nOrigin: https://app.test\nForwarded: ;;=\n\n",
                    400);
        }
    }

    /** An error has the headers of its own request, not of those that were sent with it. */
    @Test
    void errorsOfPipelinedRequests() {
        try (var serving = new Serving(TransportKind.AUTO, c -> {}, FinishedResponsesTest::routes);
                Client client = serving.client()) {
            client.send(
                    "GET /bad HTTP/1.1\nHost: a\nOrigin: https://one.test\n\n"
                            + "HEAD /none HTTP/1.1\nHost: a\nOrigin: https://two.test\n\n"
                            + "GET /fails HTTP/1.1\nHost: a\n\n"
                            + "GET /ok HTTP/1.1\nHost: a\nOrigin: https://three.test\nA b: c\n\n"
                            + "GET /ok HTTP/1.1\nHost: a\nOrigin: https://four.test\n\n");
            String all = client.untilEnd().replace("HTTP/1.1", "\nHTTP/1.1");
            var found =
                    all.lines()
                            .filter(line -> line.matches("HTTP/1.1 .*|Allowed: .*"))
                            .map(line -> line.replaceFirst("HTTP/1.1 (\\d+) .*", "$1"))
                            .toList();
            assertEquals(
                    List.of(
                            "409",
                            "Allowed: https://one.test",
                            "404",
                            "Allowed: https://two.test",
                            "500",
                            "Allowed: none",
                            "400",
                            "Allowed: https://three.test"),
                    found,
                    all);
        }
    }

    /** The limit of requests in progress refuses before a handler runs. */
    @Test
    void aServerThatIsFull() throws Exception {
        var entered = new CountDownLatch(1);
        var leave = new CountDownLatch(1);
        try (var serving =
                        new Serving(
                                TransportKind.AUTO,
                                c -> c.maxConcurrentRequests(1),
                                routes -> {
                                    routes(routes);
                                    routes.get(
                                            "/hold",
                                            r -> {
                                                entered.countDown();
                                                leave.await();
                                                return Response.empty(204);
                                            });
                                });
                Client first = serving.client()) {
            first.send("GET /hold HTTP/1.1\nHost: a\n\n");
            entered.await();
            assertFinished(serving, "GET /ok HTTP/1.1\nHost: a\nOrigin: https://app.test\n\n", 503);
            leave.countDown();
        }
    }

    /** A filter that cannot finish a page does not keep it from the client. */
    @Test
    void aFilterThatFails() {
        Filter failing =
                new Filter() {
                    @Override
                    public Response filter(Request request, Handler next) throws Exception {
                        return next.handle(request);
                    }

                    @Override
                    public Response finish(Request request, Response page) {
                        throw new IllegalStateException("a fault of the filter");
                    }
                };
        try (var serving =
                        new Serving(
                                TransportKind.AUTO,
                                c -> {},
                                routes ->
                                        routes.filter(failing)
                                                .get(
                                                        "/",
                                                        r -> {
                                                            throw new BadRequest("no");
                                                        }));
                Client client = serving.client()) {
            client.send("GET / HTTP/1.1\nHost: a\nConnection: close\n\n");
            String all = client.untilEnd();
            assertTrue(all.startsWith("HTTP/1.1 400 ") && all.endsWith("\r\n\r\nno"), all);
            assertEquals(1, serving.failures().size());
        }
    }
}
