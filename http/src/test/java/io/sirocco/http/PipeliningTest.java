// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Serving.Mode;
import io.sirocco.net.TransportKind;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Several requests at once are answered one after the other, in order (RFC 9112 9.3.2). */
class PipeliningTest extends OnTheWire {
    private static final String NOT_ALLOWED = "Method Not Allowed";

    @Override
    void routes(Routes routes) {
        routes.get("/header", request -> Response.text(request.header("X").orElse("")));
        routes.get("/{n}", request -> Response.text(request.param("n")));
        routes.post("/echo", request -> Response.bytes(request.body().bytes()));
        routes.get("/stream/{n}", PipeliningTest::stream);
    }

    private static Response stream(Request request) {
        String n = request.param("n");
        return Response.stream(
                out -> {
                    out.write(n.getBytes());
                    out.flush();
                    out.write('!');
                });
    }

    @Test
    void aHundredInOnePiece() {
        String all =
                IntStream.range(0, 100)
                        .mapToObj(n -> "GET /" + n + " HTTP/1.1\nHost: a\n\n")
                        .collect(Collectors.joining());
        wireWhole(all)
                .bodies(IntStream.range(0, 100).mapToObj(n -> "" + n).toArray(String[]::new))
                .goesOn();
    }

    /**
     * Equal requests are parsed once, and the next one that differs in a byte is not one of them.
     */
    @Test
    void requestsThatRepeatAndThenDiffer() {
        String one = "GET /1 HTTP/1.1\nHost: a\nX: 1\n\n";
        String all =
                one.repeat(3)
                        + one.replace("/1 ", "/2 ").repeat(2)
                        + one
                        + one.replace("X: 1", "X: 2").repeat(2) // of the same length each time
                        + one.replace("GET", "PUT").repeat(2)
                        + "POST /echo HTTP/1.1\nHost: a\nContent-Length: 1\n\nb".repeat(2)
                        + "POST /echo HTTP/1.1\nHost: a\nContent-Length: 0\n\n".repeat(3)
                        + one.replace("HTTP/1.1", "HTTP/1.0");
        wire(all)
                .answers(
                        200, 200, 200, 200, 200, 200, 200, 200, 405, 405, 200, 200, 200, 200, 200,
                        200)
                .bodies(
                        "1",
                        "1",
                        "1",
                        "2",
                        "2",
                        "1",
                        "1",
                        "1",
                        NOT_ALLOWED,
                        NOT_ALLOWED,
                        "b",
                        "b",
                        "",
                        "",
                        "",
                        "1")
                .closes();
    }

    @Test
    void headersOfRepeatedRequests() {
        String one = "GET /header HTTP/1.1\nHost: a\nX: 1\n\n";
        wire(one + one + one.replace("X: 1", "X: 2").repeat(2) + one)
                .bodies("1", "1", "2", "2", "1")
                .goesOn();
    }

    /** What repeats a malformed request is malformed too, and neither is served. */
    @Test
    void anErrorAfterRepeatedRequestsEndsIt() {
        String one = "GET /1 HTTP/1.1\nHost: a\n\n";
        wire(one + one + one.replace("Host:", "Host ").repeat(2))
                .answers(200, 200, 400)
                .bodies("1", "1", "Bad Request")
                .closes()
                .logs(RequestError.SPACE_BEFORE_COLON);
    }

    @Test
    void getAndPostMixed() {
        wire("""
            POST /echo HTTP/1.1
            Host: a
            Content-Length: 21

            GET /not HTTP/1.1

            GET /1 HTTP/1.1
            Host: a

            POST /echo HTTP/1.1
            Host: a
            Transfer-Encoding: chunked

            4
            GET\s
            0

            GET /stream/2 HTTP/1.1
            Host: a

            GET /3 HTTP/1.1
            Host: a

            """)
                .bodies("GET /not HTTP/1.1\r\n\r\n", "1", "GET ", "2!", "3")
                .goesOn();
    }

    @Test
    void oneEmptyLineBetweenIsSkipped() {
        wire("GET /1 HTTP/1.1\nHost: a\n\n\nGET /2 HTTP/1.1\nHost: a\n\n")
                .bodies("1", "2")
                .goesOn();
    }

    @Test
    void anErrorInTheMiddleEndsIt() {
        wire("GET /1 HTTP/1.1\nHost: a\n\nGET /2 HTTP/1.1\n\nGET /3 HTTP/1.1\nHost: a\n\n")
                .answers(200, 400)
                .bodies("1", "Bad Request")
                .closes()
                .logs(RequestError.HOST_MISSING);
    }

    /** Each handler waits for us; only one is called at a time, however many requests are there. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "UNCARRIED", "POOL"})
    void slowHandlersKeepTheOrder(Mode mode) throws Exception {
        for (TransportKind transport : TRANSPORTS) {
            BlockingQueue<CompletableFuture<Void>> waiting = new LinkedBlockingQueue<>();
            var running = new AtomicInteger();
            var most = new AtomicInteger();
            try (var serving =
                            new Serving(
                                    transport,
                                    mode,
                                    config -> {},
                                    routes ->
                                            routes.get(
                                                    "/{n}",
                                                    request -> {
                                                        most.accumulateAndGet(
                                                                running.incrementAndGet(),
                                                                Math::max);
                                                        var go = new CompletableFuture<Void>();
                                                        waiting.add(go);
                                                        go.join();
                                                        running.decrementAndGet();
                                                        return Response.text(request.param("n"));
                                                    }));
                    Client client = serving.client()) {
                for (int n = 0; n < 8; n++) {
                    client.send("GET /n" + n + " HTTP/1.1\nHost: a\n\n");
                }
                for (int n = 0; n < 8; n++) {
                    waiting.take().complete(null);
                    client.until("\r\n\r\nn" + n);
                }
                assertEquals(
                        List.of("n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"),
                        Reply.all(client.text()).stream().map(Reply::body).toList());
                assertEquals(1, most.get());
            }
        }
    }

    /** However many requests a client sends at once, others are served after some of them. */
    @ParameterizedTest
    @FieldSource("io.sirocco.http.OnTheWire#TRANSPORTS")
    void othersComeBetween(TransportKind transport) throws Exception {
        int requests = 1_000;
        var held = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        var served = new AtomicInteger();
        var servedBefore = new CompletableFuture<Integer>();
        try (var serving =
                        new Serving(
                                transport,
                                Mode.INLINE,
                                secure(),
                                config -> {},
                                routes -> {
                                    routes.get("/ready", _ -> Response.text("ready"));
                                    routes.get(
                                            "/hold",
                                            _ -> {
                                                held.countDown();
                                                release.await();
                                                return Response.text("held");
                                            });
                                    routes.get(
                                            "/many",
                                            _ -> Response.text("" + served.incrementAndGet()));
                                    routes.get(
                                            "/one",
                                            _ -> {
                                                servedBefore.complete(served.get());
                                                return Response.text("one");
                                            });
                                });
                Client holder = serving.client();
                Client many = serving.client();
                Client one = serving.client()) {
            for (Client each : List.of(holder, many, one)) {
                each.send("GET /ready HTTP/1.1\nHost: a\n\n");
                each.until("\r\n\r\nready");
            }
            holder.send("GET /hold HTTP/1.1\nHost: a\n\n");
            held.await();
            for (int i = 0; i < requests; i++) { // over TLS in a record each
                many.send("GET /many HTTP/1.1\nHost: a\n\n");
            }
            one.send("GET /one HTTP/1.1\nHost: a\n\n");
            release.countDown();
            many.until("\r\n\r\n" + requests);
            int before = servedBefore.get();
            assertTrue(before <= 100, () -> before + " came first");
        }
    }

    /** What was sent before the client ended its side is answered, however slow the handlers. */
    @ParameterizedTest
    @FieldSource("io.sirocco.http.OnTheWire#TRANSPORTS")
    void aClientThatEndsItsSideIsAnsweredInFull(TransportKind transport) throws Exception {
        BlockingQueue<CompletableFuture<Response>> waiting = new LinkedBlockingQueue<>();
        try (var serving =
                        new Serving(
                                transport,
                                config -> {},
                                routes ->
                                        routes.get(
                                                "/{n}",
                                                request -> {
                                                    var later = new CompletableFuture<Response>();
                                                    waiting.add(later);
                                                    return Response.async(later);
                                                }));
                Client client = serving.client()) {
            client.send("GET /1 HTTP/1.1\nHost: a\n\nGET /2 HTTP/1.1\nHost: a\n\nGET /3 HT").end();
            var one = waiting.take();
            try (Client other = serving.client()) { // answered behind what the loop saw before
                other.send("OPTIONS * HTTP/1.1\nHost: a\nConnection: close\n\n").untilEnd();
            }
            one.complete(Response.text("one"));
            client.until("one");
            waiting.take().complete(Response.text("two"));
            String all = client.untilEnd();
            assertEquals(List.of("one", "two"), Reply.all(all).stream().map(Reply::body).toList());
            serving.awaitQuiet();
        }
    }

    /** Answers that nobody takes keep further questions from being asked. */
    @ParameterizedTest
    @FieldSource("io.sirocco.http.OnTheWire#TRANSPORTS")
    void aClientThatDoesNotReadIsNotAskedFor(TransportKind transport) throws Exception {
        var asked = new AtomicInteger();
        String page = "x".repeat(64 << 10);
        try (var serving =
                        new Serving(
                                transport,
                                config -> {},
                                routes ->
                                        routes.get(
                                                "/",
                                                request -> {
                                                    asked.incrementAndGet();
                                                    return Response.text(page);
                                                }));
                Client client = new Client(serving.server, 4096)) {
            int questions = 500;
            byte[] all = Client.bytes("GET / HTTP/1.1\nHost: a\n\n".repeat(questions));
            for (int at = 0; at < all.length; ) {
                at += client.sendDeaf(all, at, all.length);
            }
            client.await("the first to be asked", () -> asked.get() > 0);
            Client steady = serving.client(); // whatever can be answered has been, when this is
            steady.send("GET / HTTP/1.1\nHost: a\nConnection: close\n\n").untilEnd();
            steady.close();
            assertTrue(asked.get() < questions / 2, asked + " of " + questions + " were answered");
            int length = page.length();
            client.until(questions * length); // yet all are, when it reads
            assertEquals(questions + 1, asked.get());
        }
    }
}
