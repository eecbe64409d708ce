// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What was wrong with Qurricane's HTTP (specs/qurricane.md 3) and shall not be again. Most are
 * here; these stand where their kin does:
 *
 * <pre>
 * Date up to 46 s stale                        {@link DeadlinesTest#theDateIsThatOfTheSecond}
 * slow-loris: any byte resets the idle timer   {@link DeadlinesTest#aHeadThatDripsIsRefused},
 *                                              {@link DeadlinesTest#aBodyThatDripsIsRefused}
 * silent connections never timed out           {@link DeadlinesTest#aConnectionThatNeverSpeaksIsClosed}
 * size cap tested before a read, no 413        {@link LimitsTest#bodiesOfAStatedLength},
 *                                              {@link LimitsTest#anAnswerIsNotLostOnAClientThatIsStillSending}
 * bodies wholly in memory                      {@link BackPressureTest#anUploadWaitsForItsHandler}
 * Connection: close ignored                    {@link KeepAliveTest#closeInAnyDressCloses}
 * CR/LF in response header values              {@link ResponsesTest#nothingIsInjectedIntoAHead}
 * one value per response header                {@link ResponsesTest#fieldsOfOneNameAllSurvive}
 * start, stop, restart, backlog, port 0        the package {@code life}
 * </pre>
 */
class QurricaneDefectsTest extends OnTheWire {
    private static final AtomicInteger CALLS = new AtomicInteger();

    @Override
    void routes(Routes routes) {
        routes.get("/", request -> Response.text("page"));
        routes.get("/smuggled", request -> Response.text("smuggled"));
        routes.post("/echo", request -> Response.text(request.body().text()));
        routes.get("/stream", request -> Response.stream(QurricaneDefectsTest::flushed));
        routes.get("/none", request -> Response.empty(200));
        routes.get(
                "/throws",
                request -> {
                    throw new IllegalStateException("secret");
                });
        routes.get("/header", request -> Response.text(bytesOf(request.header("X").orElse(""))));
        routes.post(
                "/calls",
                request -> Response.text(CALLS.incrementAndGet() + " " + request.body().text()));
    }

    private static void flushed(java.io.OutputStream out) throws IOException {
        out.write('a');
        out.flush();
    }

    private static String bytesOf(String latin) {
        var text = new StringBuilder();
        latin.chars().forEach(c -> text.append("%02x".formatted(c)));
        return text.toString();
    }

    // ---- framing and smuggling

    @Test
    void bytesOfAChunkedBodyAreNotTheNextRequest() {
        wire("""
            POST /echo HTTP/1.1
            Host: a
            Transfer-Encoding: chunked

            26
            GET /smuggled HTTP/1.1
            Host: a

            123
            0

            """)
                .answers(200, "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n123")
                .goesOn();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 4\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\nContent-Length: 4",
                "Transfer-Encoding: chunked\nX: y\nContent-Length: 0"
            })
    void aLengthBesideACodingIsRefused(String fields) {
        wire("POST /echo HTTP/1.1\nHost: a\n"
                        + fields
                        + "\n\n0\n\nGET /smuggled HTTP/1.1\nHost: a\n\n")
                .answers(400, "Bad Request")
                .closes()
                .logs(RequestError.LENGTH_AND_CODING);
    }

    @ParameterizedTest
    @ValueSource(strings = {"3", "4", "0"})
    void twoLengthsAreRefused(String second) {
        wire("POST /echo HTTP/1.1\nHost: a\nContent-Length: 3\nContent-Length: "
                        + second
                        + "\n\nabcd")
                .answers(400, "Bad Request")
                .closes()
                .logs(RequestError.TWO_LENGTHS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x",
                "",
                "-1",
                "+1",
                "1.0",
                "0x1",
                "1,1",
                "1 1",
                "1e0",
                "9999999999999999999"
            })
    void aLengthThatIsNoNumberIsRefused(String length) {
        wire("POST /echo HTTP/1.1\nHost: a\nContent-Length: "
                        + length
                        + "\n\nGET /smuggled HTTP/1.1\nHost: a\n\n")
                .answers(400, "Bad Request")
                .closes()
                .logs(RequestError.BAD_LENGTH);
    }

    @Test
    void aLengthNeedsNoSpaceBeforeIt() {
        wire("POST /echo HTTP/1.1\nHost: a\nContent-Length:5\n\nhello")
                .answers(200, "hello")
                .goesOn();
    }

    @Test
    void aRequestBehindABodyIsNotSwallowedByIt() {
        wire("POST /echo HTTP/1.1\nHost: a\nContent-Length: 3\n\nabcGET / HTTP/1.1\nHost: a\n\n")
                .bodies("abc", "page")
                .goesOn();
    }

    @Test
    void requestsInOneSegmentAreAllAnswered() {
        wire("GET / HTTP/1.1\nHost: a\n\n".repeat(3)).bodies("page", "page", "page").goesOn();
    }

    @Test
    void theBodyOfAPostThatIsNotFoundIsNoRequest() {
        String inner = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
        wire("POST /missing HTTP/1.1\nHost: a\nContent-Length: "
                        + inner.length()
                        + "\n\n"
                        + inner.replace("\r", ""))
                .answers(404, "Not Found")
                .goesOn();
    }

    @ParameterizedTest
    @CsvSource({
        "'GET / HTTP/1.1␊Host: a␊␊',BARE_LF",
        "'GET / HTTP/1.1\nHost: a␊\n\n',BARE_LF",
        "'GET / HTTP/1.1\nHost: a\n␊',BARE_LF",
        "'␊GET / HTTP/1.1\nHost: a\n\n',BARE_LF",
        "'POST /echo HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n1␊a\n0\n\n',BARE_LF"
    })
    void aBareLineFeedIsRefusedAtOnce(String block, String rule) {
        Answer answer = wire(block).answers(400, "Bad Request").closes();
        // What a leading LF breaks is a matter of taste; what matters is that it is refused.
        assertTrue(
                answer.rules().equals(List.of(RequestError.valueOf(rule)))
                        || block.startsWith("␊") && answer.rules().size() == 1,
                answer::toString);
    }

    @ParameterizedTest
    @CsvSource({
        "'GET / HTTP/1.1\n\n',HOST_MISSING",
        "'GET / HTTP/1.1\nHost: a\nHost: a\n\n',HOST_TWICE",
        "'GET / HTTP/1.1\nHost: a b\n\n',BAD_HOST",
        "'GET / HTTP/1.1\nHost: a\nX\u0001: y\n\n',BAD_HEADER_NAME",
        "'GET / HTTP/1.1\nHost: a\n: y\n\n',BAD_HEADER_NAME",
        "'GET / HTTP/1.1\nHost: a\nX: a\u0000b\n\n',CONTROL_CHARACTER",
        "'GET / HTTP/1.1\nHost: a\nX: a\u007fb\n\n',CONTROL_CHARACTER",
        "'GET /\u0001 HTTP/1.1\nHost: a\n\n',CONTROL_CHARACTER",
        "'G@T / HTTP/1.1\nHost: a\n\n',BAD_METHOD"
    })
    void whatIsNoTokenNoHostAndNoTextIsRefused(String block, RequestError rule) {
        wire(block).answers(400, "Bad Request").closes().logs(rule);
    }

    // ---- response correctness

    /** Four million bytes, to a client that takes a little at a time. */
    @ParameterizedTest
    @FieldSource("io.sirocco.http.OnTheWire#TRANSPORTS")
    void aSlowReaderGetsAllOfIt(TransportKind transport) {
        byte[] all = new byte[4_000_000];
        new java.util.Random(1).nextBytes(all);
        for (Serving.Mode mode : Serving.Mode.values()) {
            try (var serving =
                            new Serving(
                                    transport,
                                    mode,
                                    config -> {},
                                    routes -> {
                                        routes.get("/bytes", request -> Response.bytes(all));
                                        routes.get(
                                                "/stream",
                                                request ->
                                                        Response.stream(
                                                                all.length, out -> out.write(all)));
                                    });
                    Client client = new Client(serving.server, 4096)) {
                for (String path : List.of("/bytes", "/stream")) {
                    int before = client.received().length;
                    client.send("GET " + path + " HTTP/1.1\nHost: a\n\n");
                    client.until(before + 100);
                    for (int at = before + 100; at < before + all.length; at += 50_000) {
                        client.until(at);
                        LockSupport.parkNanos(20_000); // slower than the server
                    }
                    int head = client.text().indexOf("\r\n\r\n", before) + 4;
                    client.until(head + all.length);
                    assertEquals(
                            -1,
                            java.util.Arrays.mismatch(
                                    all,
                                    java.util.Arrays.copyOfRange(
                                            client.received(), head, head + all.length)),
                            mode + path);
                }
            }
        }
    }

    @Test
    void aStreamIsFramedWhateverTheClientAsksFor() {
        wire("GET /stream HTTP/1.1\nHost: a\nConnection: keep-alive\n\n")
                .answers(200, "a")
                .header("Transfer-Encoding", "chunked")
                .goesOn();
        wire("GET /stream HTTP/1.0\nConnection: keep-alive\n\n")
                .answers(200, "a")
                .header("Connection", "close")
                .closes();
    }

    @Test
    void everyResponseSaysItsLengthAndItsType() {
        wire("GET /none HTTP/1.1\nHost: a\n\n").answers(200, "").header("Content-Length", "0");
        wire("GET /stream HTTP/1.1\nHost: a\n\n")
                .answers(200, "a")
                .header("Content-Type", "application/octet-stream");
    }

    @Test
    void aHandlerThatThrowsIsA500ThatTellsNothing() {
        wire("GET /throws HTTP/1.1\nHost: a\n\n").answers(500, "Internal Server Error").goesOn();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Type: text/plain",
                "Content-Type: text/plain; charset=utf-8; x=y",
                "Content-Type: text/plain; charset=\"UTF-8\"",
                "Content-Type: application/x-www-form-urlencoded",
                "Content-Type: text/plain; charset=no-such-charset",
                "Content-Type: ;;",
                "X: y"
            })
    void aBodyIsTextWhateverItsType(String field) {
        wire("POST /echo HTTP/1.1\nHost: a\n" + field + "\nContent-Length: 5\n\nhello")
                .answers(200, "hello")
                .goesOn();
    }

    @Test
    void bytesOfAFieldAreKeptAsTheyAre() {
        wire("GET /header HTTP/1.1\nHost: a\nX: \u0080\u00e4\u00ff\n\n").answers(200, "80e4ff");
    }

    @Test
    void aHandlerIsCalledOnceHoweverItsBodyArrives() {
        for (TransportKind transport : TRANSPORTS) {
            for (Serving.Mode mode : Serving.Mode.values()) {
                CALLS.set(0);
                try (var serving = new Serving(transport, mode, this::config, this::routes);
                        Client client = serving.client()) {
                    client.send("POST /calls HTTP/1.1\nHost: a\nContent-Length: 3\n\n").delivered();
                    client.send("a").delivered().send("b").delivered().send("c");
                    client.until("\r\n\r\n1 abc");
                }
            }
        }
    }

    // ---- resource safety

    /** Silent clients, half a request, a response for later: nothing of it keeps a loop busy. */
    @ParameterizedTest
    @FieldSource("io.sirocco.http.OnTheWire#TRANSPORTS")
    void nothingIsPolled(TransportKind transport) throws Exception {
        BlockingQueue<CompletableFuture<Response>> waiting = new LinkedBlockingQueue<>();
        try (var serving =
                        new Serving(
                                transport,
                                config -> config.clock(new ManualClock()),
                                routes ->
                                        routes.get(
                                                "/later",
                                                request -> {
                                                    var later = new CompletableFuture<Response>();
                                                    waiting.add(later);
                                                    return Response.async(later);
                                                }));
                Client silent = serving.client();
                Client half = serving.client();
                Client later = serving.client()) {
            half.send("GET /").delivered();
            later.send("GET /later HTTP/1.1\nHost: a\n\n");
            var response = waiting.take();
            serving.await("all to be accepted", () -> serving.stats().net().accepted() == 3);
            long before = serving.stats().net().turns();
            for (long end = System.nanoTime() + 150_000_000; System.nanoTime() < end; ) {
                LockSupport.parkNanos(10_000_000);
            }
            long turns = serving.stats().net().turns() - before;
            assertTrue(turns <= 4, turns + " turns while nothing happened");
            assertEquals(false, silent.hasEnded());
            response.complete(Response.text("x"));
            later.until("\r\n\r\nx");
        }
    }

    /** They hold no slot that others need, and are gone when their time is up. */
    @ParameterizedTest
    @FieldSource("io.sirocco.http.OnTheWire#TRANSPORTS")
    void drippingClientsLeaveRoomForOthers(TransportKind transport) {
        var clock = new ManualClock();
        var drippers = new ArrayList<Client>();
        try (var serving = new Serving(transport, c -> c.clock(clock), this::routes)) {
            for (int i = 0; i < 500; i++) {
                drippers.add(serving.client().send("GET / HTTP/1.1\nHost: a\nX: "));
            }
            for (int second = 0; second < 9; second++) {
                clock.advance(1_000);
                drippers.forEach(client -> client.send("x"));
                try (Client other = serving.client()) {
                    other.send("GET / HTTP/1.1\nHost: a\n\n").until("\r\n\r\npage");
                }
                assertTrue(drippers.stream().noneMatch(Client::hasEnded));
            }
            clock.advance(3_000);
            drippers.forEach(Client::untilEnd);
            drippers.forEach(Client::close);
            serving.awaitQuiet();
        }
    }

    /** Limits, routes and error pages are those of one server, not of the JVM. */
    @Test
    void twoServersKnowNothingOfEachOther() {
        for (TransportKind transport : TRANSPORTS) {
            try (var one =
                            new Serving(
                                    transport,
                                    c ->
                                            c.maxBodyBytes(1)
                                                    .errorPages((s, m) -> Response.text("one")),
                                    routes -> routes.post("/1", r -> Response.text("1")));
                    var two =
                            new Serving(
                                    transport,
                                    c -> c.maxBodyBytes(9).serverHeader("two"),
                                    routes -> routes.post("/2", r -> Response.text("2")))) {
                String question = "POST /1 HTTP/1.1\nHost: a\nContent-Length: 2\n\nab";
                try (Client first = one.client();
                        Client second = two.client()) {
                    String answer = first.send(question).untilEnd();
                    assertTrue(answer.startsWith("HTTP/1.1 413 "), answer);
                    assertTrue(answer.endsWith("\r\n\r\none"), answer);
                    assertTrue(answer.contains("\r\nServer: Sirocco\r\n"), answer);
                    answer = second.send(question).until("\r\n\r\nNot Found");
                    assertTrue(answer.startsWith("HTTP/1.1 404 "), answer);
                    assertTrue(answer.contains("\r\nServer: two\r\n"), answer);
                    assertEquals(List.of(RequestError.BODY_TOO_LARGE), one.rules());
                    assertEquals(List.of(), two.rules());
                    assertEquals(1, one.stats().requests());
                }
            }
        }
    }

    @ParameterizedTest
    @FieldSource("io.sirocco.http.OnTheWire#TRANSPORTS")
    void aHandlerThatBlocksHoldsNobodyElse(TransportKind transport) throws Exception {
        for (var mode : List.of(Serving.Mode.VIRTUAL, Serving.Mode.UNCARRIED, Serving.Mode.POOL)) {
            BlockingQueue<CompletableFuture<Void>> blocked = new LinkedBlockingQueue<>();
            try (var serving =
                            new Serving(
                                    transport,
                                    mode,
                                    config -> config.poolThreads(2),
                                    routes -> {
                                        routes.get("/", request -> Response.text("page"));
                                        routes.get(
                                                "/block",
                                                request -> {
                                                    var go = new CompletableFuture<Void>();
                                                    blocked.add(go);
                                                    go.join();
                                                    return Response.text("went on");
                                                });
                                    });
                    Client slow = serving.client();
                    Client quick = serving.client()) {
                slow.send("GET /block HTTP/1.1\nHost: a\n\n");
                var go = blocked.take();
                for (int i = 1; i <= 100; i++) {
                    quick.send("GET / HTTP/1.1\nHost: a\n\n");
                    int times = i;
                    quick.await("an answer", () -> Reply.all(whole(quick)).size() == times);
                }
                go.complete(null);
                slow.until("\r\n\r\nwent on");
            }
        }
    }

    /** What has come of it up to the end of the last whole page. */
    private static String whole(Client client) {
        String text = client.text();
        int end = text.lastIndexOf("\r\n\r\npage");
        return end < 0 ? "" : text.substring(0, end + 8);
    }

    /** The limit of a request's body has nothing to do with the response. */
    @Test
    void aLimitedRequestMayHaveALargeResponse() {
        String page = "x".repeat(1 << 20);
        for (TransportKind transport : TRANSPORTS) {
            try (var serving =
                            new Serving(
                                    transport,
                                    c -> c.maxBodyBytes(10).idleTimeout(Duration.ofSeconds(1)),
                                    routes ->
                                            routes.post(
                                                    "/",
                                                    r -> {
                                                        r.body().bytes();
                                                        return Response.text(page);
                                                    }));
                    Client client = serving.client()) {
                client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 10\n\n0123456789");
                client.until(1 << 20);
                client.await("all", () -> client.text().endsWith("\r\n\r\n" + page));
            }
        }
    }
}
