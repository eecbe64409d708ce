// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.life;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Config;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Filter;
import io.sirocco.http.Monitor;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.net.RateLimiter;
import io.sirocco.net.TransportKind;
import io.sirocco.net.WhenFull;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows of docs/from-qurricane.md that no other test is about. */
@OnEachTransport
final class FromQurricaneTest {
    private static final String GREETING = "Hello World! Echo:\n";

    @Parameter TransportKind transport;

    private final List<String> order = new CopyOnWriteArrayList<>();
    private Server server;

    private int start(Consumer<Config> more, Consumer<Routes> routes) {
        server =
                Server.start(
                        config -> {
                            config.port(0).transport(transport).loops(1);
                            more.accept(config);
                        },
                        routes);
        return server.port();
    }

    private int start(Consumer<Routes> routes) {
        return start(config -> {}, routes);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static void echo(Routes routes) {
        routes.any("/echo", request -> Response.html(GREETING + request.body().text()));
    }

    /** The values of the example in Qurricane's README, by their new names. */
    private static void seedExample(Config config) {
        config.loops(2)
                .executionMode(ExecutionMode.POOL)
                .poolThreads(16)
                .maxConnectionsPerLoop(256, WhenFull.PARK)
                .idleTimeout(Duration.ofSeconds(25))
                .connectionBandwidth(32_768 * 1000 / 30, RateLimiter.UNLIMITED)
                .acceptRate(RateLimiter.perSecond(RateLimiter.UNLIMITED));
    }

    @Test
    void theSeedExampleRuns() throws IOException {
        int port = start(FromQurricaneTest::seedExample, FromQurricaneTest::echo);
        assertEquals(GREETING, Client.get(port, "/echo").text());
    }

    @Test
    void theEchoIsNineteenBytesOverHttp10() throws IOException {
        int port = start(FromQurricaneTest::echo);
        try (Client client = Client.to(port)) {
            var answer = client.send("GET /echo HTTP/1.0\r\n\r\n").answer();
            assertEquals(200, answer.status());
            assertEquals("19", answer.field("Content-Length"));
            assertEquals("text/html; charset=utf-8", answer.field("Content-Type"));
            assertFalse(answer.field("Date").isEmpty());
            assertFalse(answer.field("Server").isEmpty());
            assertTrue(client.over());
        }
    }

    @Test
    void theEchoOfABodyComesBehindTheGreetingWhateverItsType() throws IOException {
        int port = start(FromQurricaneTest::echo);
        for (String type : List.of("application/x-www-form-urlencoded", "text/plain", "x/y; a")) {
            try (Client client = Client.to(port)) {
                client.send(
                        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: "
                                + type
                                + "\r\nContent-Length: 5\r\n\r\nhello");
                var answer = client.answer();
                assertEquals(200, answer.status());
                assertEquals(GREETING + "hello", answer.text());
            }
        }
    }

    @Test
    void twoHandlersOfOnePathAreRefusedAtTheStart() {
        start(FromQurricaneTest::echo);
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        Server.create(
                                config -> config.port(0),
                                routes ->
                                        routes.get("/a", request -> Response.text("1"))
                                                .get("/a", request -> Response.text("2"))));
    }

    @ParameterizedTest
    @CsvSource({"/Path, 404", "/path, 200", "/path?a=b, 200", "/path/, 404", "/%70ath, 200"})
    void aPathIsExact(String target, int status) throws IOException {
        int port = start(routes -> routes.get("/path", request -> Response.text("here")));
        assertEquals(status, Client.get(port, target).status());
    }

    private Filter filter(String name) {
        return (request, next) -> {
            order.add(name);
            return request.query("stop").filter(name::equals).isPresent()
                    ? Response.text("stopped by " + name)
                    : next.handle(request);
        };
    }

    @Test
    void filtersRunInOrderAndEachMayEndTheChain() throws IOException {
        int port =
                start(
                        routes ->
                                routes.filter(filter("M1"))
                                        .filter(filter("M2"))
                                        .filter(filter("M3"))
                                        .get(
                                                "/exact",
                                                request -> {
                                                    order.add("exact");
                                                    return Response.text("exact");
                                                }));
        assertEquals("exact", Client.get(port, "/exact").text());
        assertEquals(List.of("M1", "M2", "M3", "exact"), order);
        order.clear();
        assertEquals("stopped by M2", Client.get(port, "/exact?stop=M2").text());
        assertEquals(List.of("M1", "M2"), order);
    }

    @Test
    void aHandlerIsCalledOnceBeforeItsBodyHasCome() throws Exception {
        var calls = new AtomicInteger();
        var called = new CountDownLatch(1);
        int port =
                start(
                        routes ->
                                routes.post(
                                        "/echo",
                                        request -> {
                                            calls.incrementAndGet();
                                            called.countDown();
                                            return Response.bytes(request.body().bytes());
                                        }));
        try (Client client = Client.to(port)) {
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
            called.await();
            client.send("def");
            assertTrue(client.silentFor(50));
            client.send("ghi");
            assertEquals("abcdefghi", client.answer().text());
            assertEquals(1, calls.get());
        }
    }

    @Test
    void aMethodThatThePathDoesNotHaveIsNamedWithThoseThatItHas() throws IOException {
        int port = start(routes -> routes.get("/a", request -> Response.text("a")));
        try (Client client = Client.to(port)) {
            var answer = client.post("/a", new byte[3]);
            assertEquals(405, answer.status());
            assertEquals("GET, HEAD, OPTIONS", answer.field("Allow"));
            assertEquals("a", client.get("/a").text());
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 101, 413", "0, 100, 200", "1, 500, 200", "2, 500, 413"})
    void aRouteMayHaveALimitOfItsOwn(int route, int size, int status) throws IOException {
        int port =
                start(
                        config -> config.maxBodyBytes(200),
                        routes -> {
                            routes.route("POST", "/0", this::length).maxBodyBytes(100);
                            routes.route("POST", "/1", this::length).maxBodyBytes(-1);
                            routes.post("/2", this::length);
                        });
        try (Client client = Client.to(port)) { // in one piece
            assertEquals(status, client.post("/" + route, new byte[size]).status());
        }
        try (Client client = Client.to(port)) { // in many, of a length that is not stated
            client.send(
                    "POST /"
                            + route
                            + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < size; i++) {
                client.send("1\r\nx\r\n");
            }
            client.send("0\r\n\r\n");
            assertEquals(status, client.answer().status());
        } catch (IOException e) { // cut while it still sent
            assertEquals(413, status);
        }
    }

    private Response length(Request request) throws IOException {
        return Response.text(Integer.toString(request.body().bytes().length));
    }

    @Test
    void whoeverIsNearestToAFailureMakesItsPage() throws IOException {
        Filter apologises =
                (request, next) -> {
                    try {
                        return next.handle(request);
                    } catch (IllegalStateException e) {
                        return Response.text("the filter's").status(500);
                    }
                };
        int port =
                start(
                        config -> config.errorPages((status, text) -> page(status)),
                        routes -> {
                            routes.get("/own", request -> Response.text("its own").status(500));
                            routes.get("/server", request -> fail());
                            routes.group(
                                    "/group",
                                    group ->
                                            group.filter(apologises)
                                                    .get("/filter", request -> fail()));
                        });
        assertEquals("its own", Client.get(port, "/own").text());
        assertEquals("the filter's", Client.get(port, "/group/filter").text());
        assertEquals("the server's 500", Client.get(port, "/server").text());
        assertEquals("the server's 404", Client.get(port, "/none").text());
        try (Client client = Client.to(port)) {
            // The pages throw for this status: then it is the plain one.
            assertEquals("Method Not Allowed", client.post("/own", new byte[0]).text());
        }
    }

    private static Response page(int status) {
        if (status == 405) {
            throw new IllegalStateException("no page");
        }
        return Response.text("the server's " + status);
    }

    private static Response fail() {
        throw new IllegalStateException("secret");
    }

    @Test
    void aFailureIsA500ThatSaysNothingOfItsReason() throws IOException {
        int port = start(routes -> routes.get("/broken", request -> fail()));
        var answer = Client.get(port, "/broken");
        assertEquals(500, answer.status());
        assertFalse(answer.text().contains("secret"));
    }

    @Test
    void aResponseIsAValueSoNothingOfItCanBeSetTooLate() throws IOException {
        Response first = Response.text("a");
        Response second = first.status(201).header("X-A", "1");
        assertNotSame(first, second);
        assertEquals(200, first.status());
        int port = start(routes -> routes.get("/a", request -> first).get("/b", request -> second));
        assertEquals("", Client.get(port, "/a").field("X-A"));
        assertEquals("1", Client.get(port, "/b").field("X-A"));
    }

    @Test
    void aBodyOfAnotherLengthThanPromisedBreaksTheConnection() throws IOException {
        int port =
                start(
                        routes ->
                                routes.get(
                                                "/more",
                                                r ->
                                                        Response.stream(
                                                                3, out -> out.write(new byte[9])))
                                        .get(
                                                "/less",
                                                r -> Response.stream(9, out -> out.write(1))));
        assertEquals(500, Client.get(port, "/more").status());
        try (Client client = Client.to(port)) {
            client.ask("/less");
            assertThrows(IOException.class, () -> verify(client.answer()));
        }
    }

    private static void verify(Client.Answer answer) throws IOException {
        if (answer.status() == 500) {
            throw new IOException("said so before the head was sent");
        }
    }

    @Test
    void whatIsFlushedArrivesBeforeTheRestIsWritten() throws Exception {
        var next = new CountDownLatch(1);
        int port =
                start(
                        routes ->
                                routes.get(
                                        "/lines",
                                        request ->
                                                Response.stream(
                                                        out -> {
                                                            out.write("one\n".getBytes(UTF_8));
                                                            out.flush();
                                                            await(next);
                                                            out.write("two\n".getBytes(UTF_8));
                                                        })));
        try (Client client = Client.to(port);
                Client old = Client.to(port)) {
            assertTrue(client.ask("/lines").head().contains("Transfer-Encoding: chunked"));
            assertEquals("one\n", new String(client.chunk(), UTF_8));
            String head = old.send("GET /lines HTTP/1.0\r\n\r\n").head();
            assertTrue(head.contains("Connection: close"));
            assertEquals("one\n", new String(old.read(4), UTF_8));
            next.countDown();
            assertEquals("two\n", new String(client.chunk(), UTF_8));
            assertEquals("two\n", new String(old.read(4), UTF_8));
            assertTrue(old.over());
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void theMonitorIsToldOnceBehindTheLastByteOfAStream() throws Exception {
        byte[] big = Client.bytes(4_000_000);
        int port =
                start(
                        config ->
                                config.monitor(
                                        new Monitor() {
                                            @Override
                                            public void completed(CompletedRequest answered) {
                                                order.add("answered " + answered.bytesOut());
                                            }
                                        }),
                        routes ->
                                routes.get(
                                        "/big",
                                        request ->
                                                Response.stream(
                                                        big.length, out -> out.write(big))));
        try (Client client = Client.to(port, 8 << 10)) {
            client.ask("/big").head();
            assertEquals(List.of(), order); // it cannot have written all of it
            assertArrayEquals(big, client.read(big.length));
            Eventually.await("the monitor is told", () -> !order.isEmpty());
            assertEquals(List.of("answered 4000000"), order);
        }
    }

    @Test
    void headTellsWhatGetWouldAndTheConnectionGoesOn() throws IOException {
        int port = start(routes -> routes.get("/a", request -> Response.text("four")));
        try (Client client = Client.to(port)) {
            String head = client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n").head();
            assertTrue(head.contains("Content-Length: 4\r\n"));
            String got = client.ask("/a").head();
            assertEquals(withoutDate(head), withoutDate(got));
            assertEquals("four", new String(client.read(4), UTF_8));
        }
    }

    private static String withoutDate(String head) {
        return head.replaceAll("Date: [^\r]*\r\n", "");
    }

    @ParameterizedTest
    @CsvSource({
        "1.1, '', true, ''",
        "1.1, Connection: Close, false, close",
        "1.1, Connection: keep-alive, true, ''",
        "1.0, '', false, close",
        "1.0, connection: Keep-Alive, true, keep-alive",
        "1.0, Connection: foo, false, close",
    })
    void connectionsAreKept(String version, String field, boolean kept, String said)
            throws IOException {
        int port = start(routes -> routes.get("/a", request -> Response.text("a")));
        try (Client client = Client.to(port)) {
            String lines = field.isEmpty() ? "" : field + "\r\n";
            String request = "GET /a HTTP/" + version + "\r\nHost: a\r\n" + lines + "\r\n";
            assertEquals(said, client.send(request).answer().field("Connection"));
            if (kept) {
                assertEquals("a", client.send(request).answer().text());
            } else {
                assertTrue(client.over());
            }
        }
    }

    @Test
    void aHandlerMayEndTheConnection() throws IOException {
        int port =
                start(routes -> routes.get("/a", request -> Response.text("a").closeConnection()));
        try (Client client = Client.to(port)) {
            assertEquals("close", client.get("/a").field("Connection"));
            assertTrue(client.over());
        }
    }

    @Test
    void aHundredPipelinedRequestsAreAnsweredInOrder() throws IOException {
        int port =
                start(
                        routes ->
                                routes.get("/n/{n}", request -> Response.text(request.param("n")))
                                        .post("/echo", r -> Response.bytes(r.body().bytes())));
        var requests = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            requests.append(
                    i % 3 == 0
                            ? "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n"
                                    + (100 + i)
                            : "GET /n/" + (100 + i) + " HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        try (Client client = Client.to(port)) {
            client.send(requests.toString());
            for (int i = 0; i < 100; i++) {
                assertEquals(Integer.toString(100 + i), client.answer().text());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"/bytes", "/stream", "/chunked"})
    void aSlowReaderGetsTheWholeBody(String path) throws IOException {
        byte[] big = Client.bytes(4_000_000);
        int port =
                start(
                        routes ->
                                routes.get("/bytes", r -> Response.bytes(big))
                                        .get(
                                                "/stream",
                                                r -> Response.stream(big.length, o -> o.write(big)))
                                        .get("/chunked", r -> Response.stream(o -> o.write(big))));
        try (Client client = Client.to(port, 4 << 10)) {
            client.ask(path);
            assertFalse(client.silentFor(50));
            assertArrayEquals(big, client.answer().body());
        }
    }

    @Test
    void parametersOfTheQueryAndOfAForm() throws IOException {
        int port =
                start(
                        routes ->
                                routes.post(
                                        "/form",
                                        request ->
                                                Response.text(
                                                        request.query().all("a")
                                                                + " "
                                                                + request.form().all("a"))));
        try (Client client = Client.to(port)) {
            client.send(
                    "POST /form?a=1&&a=%32&a&b=x HTTP/1.1\r\nHost: a\r\n"
                            + "Content-Type: application/x-www-form-urlencoded\r\n"
                            + "Content-Length: 11\r\n\r\na=3=4&a=%2B");
            assertEquals("[1, 2, ] [3=4, +]", client.answer().text());
        }
    }
}
