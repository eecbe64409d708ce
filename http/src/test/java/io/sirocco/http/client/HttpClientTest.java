// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.BodySource;
import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Headers;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.http.Server;
import io.sirocco.http.client.HttpClientException.Reason;
import io.sirocco.net.CloseCause;
import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import io.sirocco.net.Protocol;
import io.sirocco.net.Tls;
import io.sirocco.net.TlsClient;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Certificates;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The client against our own server, plain and over TLS, on each transport. */
@ParameterizedClass
@MethodSource("kinds")
@Timeout(60)
class HttpClientTest {
    private static final int BIG = 9_000_000;

    static Stream<Arguments> kinds() {
        return Stream.of(
                Arguments.of(TransportKind.IO_URING, false),
                Arguments.of(TransportKind.NIO, false),
                Arguments.of(TransportKind.IO_URING, true),
                Arguments.of(TransportKind.NIO, true));
    }

    @Parameter(0)
    TransportKind transport;

    @Parameter(1)
    boolean secure;

    @TempDir static Path folder;
    private static Tls tls;
    private final CountDownLatch held = new CountDownLatch(1);
    private final ConcurrentLinkedQueue<String> gone = new ConcurrentLinkedQueue<>();
    private Server server;
    private Loops loops;
    private HttpClient client;
    private String url;

    @BeforeEach
    void start() throws IOException {
        if (tls == null) {
            Certificates.Pair pair =
                    Certificates.authority(folder, "authority")
                            .sign("localhost", "EC", "localhost");
            tls = Tls.of(settings -> settings.certificate(pair.chain(), pair.key()));
        }
        var address = new InetSocketAddress("127.0.0.1", 0);
        server =
                Server.start(
                        c -> {
                            (secure ? c.listen(address, tls) : c.listen(address))
                                    .loops(1)
                                    .transport(transport)
                                    .maxBodyBytes(1L << 40)
                                    .blockedLoopThreshold(Duration.ZERO);
                        },
                        this::routes);
        loops = Loops.start(s -> s.loops(1).transport(transport).longTurnMillis(0));
        client = HttpClient.on(loops, this::configure);
        url = (secure ? "https://localhost:" : "http://127.0.0.1:") + server.port();
    }

    private void configure(HttpClientSettings settings) {
        if (secure) {
            settings.tls(TlsClient.trusting(folder.resolve("authority.pem")));
        }
    }

    @AfterEach
    void stop() {
        held.countDown();
        client.close(Duration.ZERO);
        loops.close();
        server.stop(Duration.ZERO);
    }

    private void routes(Routes routes) {
        routes.get("/hello/{name}", r -> Response.text("Hello, " + r.param("name")));
        routes.get(
                "/headers",
                r -> {
                    var all = new StringBuilder();
                    r.headers(
                            (name, value) ->
                                    all.append(name).append('=').append(value).append(';'));
                    return Response.text(all.toString());
                });
        routes.post("/echo", r -> Response.bytes(r.body().bytes(BIG)));
        routes.post(
                "/mirror",
                r ->
                        Response.stream(
                                out -> {
                                    InputStream in = r.body().inputStream();
                                    byte[] piece = new byte[4];
                                    while (in.readNBytes(piece, 0, 4) == 4) {
                                        out.write(piece);
                                        out.flush();
                                    }
                                }));
        routes.put("/echo", r -> Response.bytes(r.body().bytes(BIG)));
        routes.delete("/thing", r -> Response.empty(204));
        routes.get("/not-modified", r -> Response.empty(304).header("ETag", "\"x\""));
        routes.get("/big", r -> Response.bytes(pattern(BIG)));
        routes.get(
                "/chunks",
                r ->
                        Response.stream(
                                        out -> {
                                            for (int i = 0; i < 100; i++) {
                                                out.write(("line " + i + "\n").getBytes(UTF_8));
                                                out.flush();
                                            }
                                        })
                                .trailers(() -> Headers.of("Checksum", "7")));
        routes.post(
                "/trailers",
                r -> {
                    r.body().bytes();
                    return Response.text(r.body().trailers().toString());
                });
        routes.get(
                "/hints",
                r -> {
                    for (int i = 0; i < 3; i++) {
                        r.interim(103, Headers.of("Link", "</" + i + ">"));
                    }
                    return Response.text("hinted");
                });
        routes.get(
                "/wait",
                r -> {
                    r.onDisconnect(() -> gone.add(r.path()));
                    held.await();
                    return Response.text("late");
                });
        routes.get("/close", r -> Response.text("bye").closeConnection());
        routes.get(
                "/endless",
                r -> {
                    r.onDisconnect(() -> gone.add(r.path()));
                    return Response.stream(
                            out -> {
                                byte[] piece = new byte[10_000];
                                while (true) {
                                    out.write(piece);
                                }
                            });
                });
        routes.post("/refuse", r -> Response.text("no").status(403));
    }

    private static byte[] pattern(int size) {
        byte[] bytes = new byte[size];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    private ClientRequest get(String path) {
        return ClientRequest.get(url + path);
    }

    private static void until(String what, BooleanSupplier happened) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!happened.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "not in time: " + what);
            LockSupport.parkNanos(100_000);
        }
    }

    private static Reason reason(org.junit.jupiter.api.function.Executable sends) {
        return assertThrows(HttpClientException.class, sends).reason();
    }

    @Test
    void aResponseHasStatusHeadersAndABody() throws Exception {
        ClientResponse response = client.send(get("/hello/world?x=y"));
        assertEquals(200, response.status());
        assertEquals("HTTP/1.1", response.version());
        assertEquals("text/plain; charset=utf-8", response.header("content-type").orElseThrow());
        assertEquals(12, response.body().length().orElseThrow());
        assertEquals("Hello, world", response.body().text());
        assertThrows(IllegalStateException.class, () -> response.body().text());
        assertEquals(404, client.send(get("/nowhere")).status());
    }

    @Test
    void aConnectionIsUsedAgain() throws Exception {
        for (int i = 0; i < 50; i++) {
            assertEquals("Hello, " + i, client.send(get("/hello/" + i)).body().text());
        }
        HttpClientStats stats = client.stats();
        assertEquals(1, stats.opened());
        assertEquals(49, stats.reused());
        assertEquals(50, stats.responses());
        assertEquals(1, stats.idle());
    }

    @Test
    void headersOfTheRequestAreSentAndOursCannotBeSet() throws Exception {
        var request =
                get("/headers")
                        .header("X-A", "1")
                        .header("X-A", "2")
                        .header("Accept", "text/plain");
        String all = client.send(request).body().text();
        assertTrue(all.endsWith("X-A=1;X-A=2;Accept=text/plain;"), all);
        assertTrue(all.startsWith("Host=" + get("/").origin().authority()), all);
        for (String name : List.of("Content-Length", "Connection", "transfer-encoding", "Expect")) {
            assertThrows(IllegalArgumentException.class, () -> get("/").header(name, "1"));
        }
        assertThrows(IllegalArgumentException.class, () -> get("/").header("A", "b\r\nC: d"));
        assertThrows(IllegalArgumentException.class, () -> get("/").target("/ HTTP/1.1\r\n"));
        assertThrows(IllegalArgumentException.class, () -> ClientRequest.of("GET /", url + "/"));
        assertThrows(IllegalArgumentException.class, () -> ClientRequest.get("ftp://a/"));
        assertThrows(IllegalArgumentException.class, () -> ClientRequest.get("http://u:p@a/"));
    }

    @Test
    void commonHeadersAreSentUnlessTheRequestHasThem() throws Exception {
        try (HttpClient other =
                HttpClient.on(
                        loops,
                        s -> {
                            configure(s);
                            s.header("User-Agent", "us").header("X-B", "1");
                        })) {
            String all = other.send(get("/headers").header("X-B", "2")).body().text();
            assertTrue(all.contains("User-Agent=us;") && all.contains("X-B=2;"), all);
            assertFalse(all.contains("X-B=1"), all);
        }
    }

    @Test
    void bodiesOfEachKindAreSent() throws Exception {
        byte[] bytes = pattern(3_000_000);
        var post = ClientRequest.post(url + "/echo");
        List<ClientRequest> all =
                List.of(
                        post.body(bytes),
                        post.body(bytes).trailers(Headers::none),
                        post.body(source(bytes, 70_000)),
                        post.body(bytes.length, source(bytes, 1_234)),
                        post.body(out -> writeIn(out, bytes, 777)),
                        post.body(bytes.length, out -> writeIn(out, bytes, 100_000)),
                        ClientRequest.put(url + "/echo").body(bytes));
        for (ClientRequest each : all) {
            assertArrayEquals(bytes, client.send(each).body().bytes());
        }
        assertEquals(0, client.send(post.body(new byte[0])).body().bytes().length);
        assertEquals(0, client.send(post).body().bytes().length);
        assertEquals("ä", client.send(post.body("ä")).body().text());
        assertEquals(1, client.stats().opened());
    }

    private static void writeIn(java.io.OutputStream out, byte[] bytes, int piece)
            throws IOException {
        for (int at = 0; at < bytes.length; at += piece) {
            out.write(bytes, at, Math.min(piece, bytes.length - at));
            if (at % 3 == 0) {
                out.flush();
            }
        }
    }

    private static BodySource source(byte[] bytes, int piece) {
        return new BodySource() {
            private int at;

            @Override
            public CompletionStage<byte[]> next() {
                int from = at;
                at = Math.min(bytes.length, from + piece);
                byte[] next = Arrays.copyOfRange(bytes, from, at);
                return at % 2 == 0
                        ? CompletableFuture.completedFuture(next)
                        : CompletableFuture.supplyAsync(() -> next);
            }
        };
    }

    @Test
    void bigBodiesArriveInEachWay() throws Exception {
        byte[] expected = pattern(BIG);
        try (HttpClient large =
                HttpClient.on(
                        loops,
                        s -> {
                            configure(s);
                            s.maxBodyBytes(BIG);
                        })) {
            assertArrayEquals(expected, large.send(get("/big")).body().bytes());
        }
        try (InputStream in = client.send(get("/big")).body().inputStream()) {
            assertArrayEquals(expected, in.readAllBytes());
        }
        ResponseBody body = client.send(get("/big")).body();
        int at = 0;
        for (byte[] piece; (piece = body.next().toCompletableFuture().get()).length > 0; ) {
            assertArrayEquals(Arrays.copyOfRange(expected, at, at + piece.length), piece);
            at += piece.length;
        }
        assertEquals(BIG, at);
        assertEquals(Reason.BODY_TOO_LARGE, reason(() -> client.send(get("/big")).body().bytes()));
        assertEquals(
                Reason.BODY_TOO_LARGE, reason(() -> client.send(get("/chunks")).body().bytes(9)));
    }

    @Test
    void chunksAndTrailersArrive() throws Exception {
        ClientResponse response = client.send(get("/chunks"));
        String text = response.body().text();
        assertTrue(text.startsWith("line 0\n") && text.endsWith("line 99\n"));
        assertTrue(response.body().length().isEmpty());
        assertEquals("7", response.trailers().first("Checksum").orElseThrow());
    }

    @Test
    void trailersAreSent() throws Exception {
        var request =
                ClientRequest.post(url + "/trailers")
                        .body("abc")
                        .trailers(() -> Headers.of("Digest", "9"));
        assertEquals("Digest: 9\r\n", client.send(request).body().text());
        var forbidden = request.trailers(() -> Headers.of("Content-Length", "9"));
        assertEquals(Reason.REQUEST_BODY_FAILED, reason(() -> client.send(forbidden)));
    }

    @Test
    void bodilessResponsesHaveNoBody() throws Exception {
        ClientResponse head = client.send(ClientRequest.of("HEAD", url + "/hello/you"));
        assertEquals(10, head.body().length().orElseThrow());
        assertEquals(0, head.body().bytes().length);
        assertEquals(204, client.send(ClientRequest.delete(url + "/thing")).status());
        ClientResponse same = client.send(get("/not-modified"));
        assertEquals(304, same.status());
        assertEquals("", same.body().text());
        assertEquals(1, client.stats().opened());
    }

    @Test
    void interimResponsesArePassedOn() throws Exception {
        var hints = new ConcurrentLinkedQueue<String>();
        var request =
                get("/hints").onInterim((status, headers) -> hints.add(status + " " + headers));
        assertEquals("hinted", client.send(request).body().text());
        assertEquals(
                "[103 Link: </0>\r\n, 103 Link: </1>\r\n, 103 Link: </2>\r\n]", hints.toString());
        var failing =
                request.onInterim(
                        (status, headers) -> {
                            throw new IllegalStateException("a test");
                        });
        assertEquals(Reason.LISTENER_FAILED, reason(() -> client.send(failing)));
    }

    @Test
    void aBodyWaitsFor100() throws Exception {
        var seen = new ConcurrentLinkedQueue<Integer>();
        var request =
                ClientRequest.post(url + "/echo")
                        .body("expected")
                        .expectContinue()
                        .onInterim((status, headers) -> seen.add(status));
        assertEquals("expected", client.send(request).body().text());
        assertEquals(List.of(100), List.copyOf(seen));
    }

    @Test
    void bothDirectionsStreamAtATime() throws Exception {
        var mirrored = new CompletableFuture<ClientResponse>();
        var sent = new AtomicLong();
        var request =
                ClientRequest.post(url + "/mirror")
                        .body(
                                out -> {
                                    out.write("ping".getBytes(UTF_8));
                                    out.flush();
                                    try {
                                        InputStream in = mirrored.get().body().inputStream();
                                        for (int i = 0; i < 20; i++) {
                                            assertEquals(
                                                    "ping", new String(in.readNBytes(4), UTF_8));
                                            out.write("ping".getBytes(UTF_8));
                                            out.flush();
                                            sent.incrementAndGet();
                                        }
                                        assertEquals("ping", new String(in.readNBytes(4), UTF_8));
                                    } catch (java.util.concurrent.ExecutionException e) {
                                        throw new IOException(e);
                                    }
                                });
        ClientResponse response = client.send(request);
        mirrored.complete(response);
        until("all have been sent", () -> sent.get() == 20);
        until("the connection is free", () -> client.stats().idle() == 1);
    }

    @Test
    void manyRequestsShareFewConnections() throws Exception {
        try (HttpClient few =
                HttpClient.on(
                        loops,
                        s -> {
                            configure(s);
                            s.maxConnectionsPerOrigin(3);
                        })) {
            var all = new ArrayList<CompletableFuture<ClientResponse>>();
            for (int i = 0; i < 300; i++) {
                all.add(few.sendAsync(get("/hello/" + i)));
            }
            for (int i = 0; i < 300; i++) {
                assertEquals("Hello, " + i, all.get(i).get().body().text());
            }
            assertEquals(3, few.stats().opened());
            assertEquals(297, few.stats().reused());
        }
    }

    @Test
    void asManyWaitAsMay() throws Exception {
        try (HttpClient one =
                HttpClient.on(
                        loops,
                        s -> {
                            configure(s);
                            s.maxConnectionsPerOrigin(1).maxWaitingRequests(2);
                        })) {
            CompletableFuture<ClientResponse> first = one.sendAsync(get("/wait"));
            until("it is open", () -> one.stats().opened() == 1 && one.stats().waiting() == 0);
            CompletableFuture<ClientResponse> second = one.sendAsync(get("/hello/2"));
            CompletableFuture<ClientResponse> third = one.sendAsync(get("/hello/3"));
            until("they wait", () -> one.stats().waiting() == 2);
            HttpClientException refused =
                    assertThrows(HttpClientException.class, () -> one.send(get("/hello/4")));
            assertSame(Reason.QUEUE_FULL, refused.reason());
            assertTrue(refused.isRetryable());
            second.cancel(true);
            until("it is gone", () -> one.stats().waiting() == 1);
            held.countDown();
            assertEquals("late", first.get().body().text());
            assertEquals("Hello, 3", third.get().body().text());
        }
    }

    @Test
    void waitingHasAnEnd() throws Exception {
        try (HttpClient one =
                HttpClient.on(
                        loops,
                        s -> {
                            configure(s);
                            s.maxConnectionsPerOrigin(1).queueTimeout(Duration.ofMillis(50));
                        })) {
            CompletableFuture<ClientResponse> first = one.sendAsync(get("/wait"));
            until("it is open", () -> one.stats().opened() == 1);
            assertEquals(Reason.QUEUE_TIMEOUT, reason(() -> one.send(get("/hello/2"))));
            held.countDown();
            assertEquals("late", first.get().body().text());
        }
    }

    /** The server is not to blame for a total timeout behind other requests of this program. */
    @Test
    void theTotalTimeoutOfARequestWithoutAConnectionWaitsForThisProgram() throws Exception {
        try (HttpClient one =
                HttpClient.on(
                        loops,
                        s -> {
                            configure(s);
                            s.maxConnectionsPerOrigin(1);
                        })) {
            CompletableFuture<ClientResponse> first = one.sendAsync(get("/wait"));
            until("it is open", () -> one.stats().opened() == 1);
            var brief = get("/hello/2").timeout(Duration.ofMillis(50));
            var failure = assertThrows(HttpClientException.class, () -> one.send(brief));
            assertEquals(Reason.TOTAL_TIMEOUT, failure.reason());
            assertTrue(failure.waitedForCaller());
            held.countDown();
            assertEquals("late", first.get().body().text());
        }
    }

    @Test
    void anIdleConnectionMakesRoomForAnotherOrigin() throws Exception {
        try (HttpClient one =
                        HttpClient.on(
                                loops,
                                s -> {
                                    configure(s);
                                    s.maxConnectionsPerLoop(1);
                                });
                Server second =
                        Server.start(
                                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                                r -> r.get("/", q -> Response.text("second")))) {
            var other = ClientRequest.get("http://127.0.0.1:" + second.port() + "/");
            for (int i = 0; i < 5; i++) {
                assertEquals("Hello, " + i, one.send(get("/hello/" + i)).body().text());
                assertEquals("second", one.send(other).body().text());
            }
            var all = new ArrayList<CompletableFuture<ClientResponse>>();
            for (int i = 0; i < 20; i++) {
                all.add(one.sendAsync(i % 2 == 0 ? other : get("/hello/you")));
            }
            for (int i = 0; i < 20; i++) {
                String expected = i % 2 == 0 ? "second" : "Hello, you";
                assertEquals(expected, all.get(i).get().body().text());
            }
            assertEquals(1, one.stats().connections());
        }
    }

    @Test
    void timeoutsAreNamed() throws Exception {
        try (HttpClient hasty =
                HttpClient.on(
                        loops,
                        s -> {
                            configure(s);
                            s.responseTimeout(Duration.ofMillis(50));
                        })) {
            assertEquals(Reason.RESPONSE_TIMEOUT, reason(() -> hasty.send(get("/wait"))));
        }
        var brief = get("/wait").timeout(Duration.ofMillis(50));
        assertEquals(Reason.TOTAL_TIMEOUT, reason(() -> client.send(brief)));
        ClientResponse endless = client.send(get("/endless").timeout(Duration.ofMillis(300)));
        assertEquals(
                Reason.TOTAL_TIMEOUT,
                reason(() -> endless.body().inputStream().transferTo(nowhere())));
        held.countDown();
    }

    private static java.io.OutputStream nowhere() {
        return java.io.OutputStream.nullOutputStream();
    }

    @Test
    void givingUpClosesTheConnection() throws Exception {
        CompletableFuture<ClientResponse> waiting = client.sendAsync(get("/wait"));
        until("it is open", () -> client.stats().opened() == 1 && client.stats().waiting() == 0);
        waiting.cancel(true);
        until("it is closed", () -> client.stats().connections() == 0);
        client.send(get("/endless")).close();
        until("it is closed, too", () -> client.stats().connections() == 0);
        ClientResponse unread = client.send(get("/endless"));
        unread.body().inputStream().close();
        assertEquals(
                Reason.CANCELED,
                reason(() -> HttpClient.await(unread.body().next().toCompletableFuture())));
        held.countDown();
        until("the server knows", () -> gone.size() >= 2);
    }

    @Test
    void anInterruptGivesUp() throws Exception {
        var thrown = new CompletableFuture<Throwable>();
        Thread thread =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        client.send(get("/wait"));
                                    } catch (Throwable e) {
                                        thrown.complete(e);
                                    }
                                });
        until("it is open", () -> client.stats().opened() == 1 && client.stats().waiting() == 0);
        thread.interrupt();
        assertTrue(thrown.get() instanceof InterruptedException);
        until("it is closed", () -> client.stats().connections() == 0);
    }

    @Test
    void theServersCloseIsKept() throws Exception {
        assertEquals("bye", client.send(get("/close")).body().text());
        until("it is closed", () -> client.stats().connections() == 0);
        assertEquals(
                "bye",
                client.send(get("/hello/x").closeConnection())
                        .body()
                        .text()
                        .replace("Hello, x", "bye"));
        until("it is closed", () -> client.stats().connections() == 0);
    }

    @Test
    void anEarlyRefusalStopsTheBody() throws Exception {
        var closed = new CompletableFuture<Void>();
        var endless =
                new BodySource() {
                    @Override
                    public CompletionStage<byte[]> next() {
                        return CompletableFuture.completedFuture(new byte[10_000]);
                    }

                    @Override
                    public void close() {
                        closed.complete(null);
                    }
                };
        ClientResponse response = client.send(ClientRequest.post(url + "/refuse").body(endless));
        assertEquals(403, response.status());
        assertEquals("no", response.body().text());
        closed.get();
        until("it is closed", () -> client.stats().connections() == 0);
    }

    @Test
    void aSourceThatFailsFailsTheRequest() throws Exception {
        var post = ClientRequest.post(url + "/echo");
        BodySource failing =
                () -> {
                    throw new IOException("a test");
                };
        var thrown = assertThrows(HttpClientException.class, () -> client.send(post.body(failing)));
        assertEquals(Reason.REQUEST_BODY_FAILED, thrown.reason());
        assertEquals(
                Reason.REQUEST_BODY_FAILED,
                reason(
                        () ->
                                client.send(
                                        post.body(
                                                out -> {
                                                    out.write(1);
                                                    throw new IOException("a test");
                                                }))));
        assertEquals(
                Reason.REQUEST_BODY_LENGTH,
                reason(() -> client.send(post.body(5, source(new byte[4], 2)))));
        assertEquals(
                Reason.REQUEST_BODY_LENGTH,
                reason(() -> client.send(post.body(5, source(new byte[6], 3)))));
        until("all are closed", () -> client.stats().connections() == 0);
    }

    @Test
    void aThreadOfALoopMustNotWait() throws Exception {
        var thrown = new CompletableFuture<Throwable>();
        loops.all()
                .getFirst()
                .execute(
                        () -> {
                            try {
                                client.send(get("/hello/you"));
                            } catch (Throwable e) {
                                thrown.complete(e);
                            }
                        });
        assertTrue(thrown.get() instanceof IllegalStateException, () -> thrown.join().toString());
        assertTrue(thrown.join().getMessage().contains("sendAsync"));
        var read = new CompletableFuture<Throwable>();
        client.sendAsync(get("/big"))
                .thenAccept(
                        response -> {
                            try {
                                response.body().inputStream().read();
                            } catch (Throwable e) {
                                read.complete(e);
                            }
                            response.close();
                        });
        assertTrue(read.get() instanceof IllegalStateException, () -> read.join().toString());
    }

    @Test
    void besideAServerItStaysOnTheLoopOfTheHandler() throws Exception {
        try (Server front =
                Server.start(
                        c -> c.port(0).loops(2).transport(transport),
                        routes -> {
                            routes.get("/blocking/{name}", this::blocking);
                            routes.route("GET", "/inline/{name}", this::inline)
                                    .executionMode(ExecutionMode.INLINE);
                        })) {
            try (HttpClient beside = HttpClient.on(front, this::configure)) {
                behind = beside;
                String base = "http://127.0.0.1:" + front.port();
                for (int i = 0; i < 20; i++) {
                    for (String way : List.of("/blocking/", "/inline/")) {
                        ClientResponse response = client.send(ClientRequest.get(base + way + i));
                        assertEquals("Hello, " + i, response.body().text());
                    }
                }
            }
        }
    }

    private volatile HttpClient behind;

    private Response blocking(Request request) throws Exception {
        Loop loop = request.loop();
        ClientResponse response = behind.send(get("/hello/" + request.param("name")));
        assertTrue(loop.inLoop() || !loop.carriesVirtualThreads());
        return Response.stream(response.body().source()).status(response.status());
    }

    private Response inline(Request request) {
        return Response.async(
                behind.sendAsync(get("/hello/" + request.param("name")))
                        .thenCompose(
                                response -> {
                                    assertTrue(request.loop().inLoop());
                                    return response.body().bytesAsync();
                                })
                        .thenApply(Response::bytes));
    }

    @Test
    void closingEndsIt() throws Exception {
        client.send(get("/hello/you")).body().text();
        CompletableFuture<ClientResponse> waiting = client.sendAsync(get("/wait"));
        until("it is sent", () -> client.stats().idle() == 0 && client.stats().waiting() == 0);
        client.close(Duration.ofMillis(50));
        assertEquals(Reason.CLIENT_CLOSED, reason(() -> HttpClient.await(waiting)));
        assertEquals(Reason.CLIENT_CLOSED, reason(() -> client.send(get("/hello/you"))));
        until("nothing is open", () -> client.stats().connections() == 0);
    }

    @Test
    void aLoopThatStopsFailsWhatIsUnderWay() throws Exception {
        CompletableFuture<ClientResponse> waiting = client.sendAsync(get("/wait"));
        until("it is sent", () -> client.stats().opened() == 1 && client.stats().waiting() == 0);
        ClientResponse endless = client.send(get("/endless"));
        loops.close();
        assertEquals(Reason.CLIENT_CLOSED, reason(() -> HttpClient.await(waiting)));
        assertEquals(
                Reason.CLIENT_CLOSED,
                reason(() -> endless.body().inputStream().transferTo(nowhere())));
        assertEquals(Reason.CLIENT_CLOSED, reason(() -> client.send(get("/hello/you"))));
    }

    @Test
    void aLoopThatStopsFailsWhatWaits() throws Exception {
        HttpClient few =
                HttpClient.on(
                        loops,
                        s -> {
                            configure(s);
                            s.maxConnectionsPerOrigin(2);
                        });
        var all = new ArrayList<CompletableFuture<ClientResponse>>();
        for (int i = 0; i < 200; i++) {
            all.add(few.sendAsync(get("/wait")));
            all.add(few.sendAsync(ClientRequest.get("http://no.such.host.invalid/" + i)));
        }
        loops.close();
        for (CompletableFuture<ClientResponse> each : all) {
            Reason reason = reason(() -> HttpClient.await(each));
            assertTrue(
                    List.of(Reason.CLIENT_CLOSED, Reason.UNKNOWN_HOST, Reason.CONNECT_FAILED)
                            .contains(reason),
                    reason.name());
        }
    }

    @Test
    void aServerThatIsAwayIsNamed() throws Exception {
        int port = server.port();
        server.stop(Duration.ZERO);
        var thrown = assertThrows(HttpClientException.class, () -> client.send(get("/hello/you")));
        assertEquals(Reason.CONNECT_FAILED, thrown.reason());
        assertTrue(thrown.isRetryable() && thrown.getMessage().contains(":" + port));
        assertEquals(
                Reason.UNKNOWN_HOST,
                reason(() -> client.send(ClientRequest.get("http://no.such.host.invalid/"))));
        assertEquals(0, client.stats().connections());
    }

    @Test
    void aRestartOfTheServerIsNotNoticed() throws Exception {
        int port = server.port();
        for (int round = 0; round < 3; round++) {
            assertEquals("Hello, you", client.send(get("/hello/you")).body().text());
            server.stop(Duration.ofSeconds(5));
            var address = new InetSocketAddress("127.0.0.1", port);
            server =
                    Server.start(
                            c ->
                                    (secure ? c.listen(address, tls) : c.listen(address))
                                            .loops(1)
                                            .transport(transport),
                            this::routes);
        }
        assertEquals("Hello, you", client.send(get("/hello/you")).body().text());
    }

    @Test
    void certificatesAreVerified() throws Exception {
        if (!secure) {
            return;
        }
        try (HttpClient suspicious = HttpClient.on(loops, s -> {})) {
            assertEquals(Reason.TLS_FAILED, reason(() -> suspicious.send(get("/hello/you"))));
        }
        var misnamed =
                ClientRequest.get("https://example.test/hello/you")
                        .via(HttpOrigin.of("https://127.0.0.2:" + server.port()));
        Reason reason = reason(() -> client.send(misnamed));
        assertTrue(reason == Reason.TLS_FAILED || reason == Reason.CONNECT_FAILED, reason.name());
        var plain = ClientRequest.get("http://127.0.0.1:" + server.port() + "/hello/you");
        assertEquals(400, client.send(plain).status());
    }

    @Test
    void aUnixDomainSocketIsAnOrigin(@TempDir Path place) throws Exception {
        Path socket = place.resolve("s");
        try (Server _ =
                Server.start(
                        c ->
                                c.listen(java.net.UnixDomainSocketAddress.of(socket))
                                        .loops(1)
                                        .transport(transport),
                        r -> r.get("/host", q -> Response.text(q.host())))) {
            var request =
                    ClientRequest.get("http://service.test/host").via(HttpOrigin.unix(socket));
            assertEquals("service.test", client.send(request).body().text());
            assertEquals("service.test", client.send(request).body().text());
            assertEquals(1, client.stats().opened());
        }
    }

    @Test
    void webSocketUpgradesByHand() throws Exception {
        // a raw look at 101: the frames that follow reach the next protocol
        var input = new CompletableFuture<byte[]>();
        try (Server sockets =
                Server.start(
                        c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                        r ->
                                r.get(
                                        "/ws",
                                        q ->
                                                Response.webSocket(
                                                        socket -> {
                                                            socket.send("hi");
                                                            held.await();
                                                        })))) {
            var request =
                    ClientRequest.get("http://127.0.0.1:" + sockets.port() + "/ws")
                            .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
                            .header("Sec-WebSocket-Version", "13")
                            .upgrade("websocket", connection -> new Frames(input));
            ClientResponse response = client.send(request);
            assertEquals(101, response.status());
            assertArrayEquals(new byte[] {(byte) 0x81, 2, 'h', 'i'}, input.get());
            assertEquals(0, client.stats().connections());
            held.countDown();
        }
    }

    private record Frames(CompletableFuture<byte[]> input) implements Protocol {
        @Override
        public int received(Connection connection, byte[] bytes, int from, int to) {
            if (to - from < 4) {
                return from;
            }
            input.complete(Arrays.copyOfRange(bytes, from, to));
            connection.abort();
            return to;
        }

        @Override
        public void closed(Connection connection, CloseCause cause) {
            input.completeExceptionally(new IOException(cause.toString()));
        }
    }

    @Test
    void aRequestIsNamedByItsUrlAndItsAddress() {
        HttpOrigin origin = HttpOrigin.of("http://shop.test:81");
        var address = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), 8080);
        assertEquals("GET http://shop.test:81/a?b", named(origin, "/a?b"));
        assertEquals(
                "GET http://shop.test:81/a?b at 127.0.0.2:8080", named(origin.at(address), "/a?b"));
    }

    private static String named(HttpOrigin origin, String target) {
        return ClientRequest.of("GET", origin, target).toString();
    }
}
