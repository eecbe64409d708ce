// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.ExecutionMode;
import io.sirocco.http.Handler;
import io.sirocco.http.Request;
import io.sirocco.http.Response;
import io.sirocco.http.Route;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnAllTransports;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies pass both ways while they arrive, and an end that is none is never taken for one. */
@OnAllTransports
class ProxyStreamingTest {
    private static final String GET = "GET / HTTP/1.1\nHost: a\n\n";

    @Parameter TransportKind transport;

    private ProxyServer proxy(FakeUpstream fake) {
        return new ProxyServer(transport, Upstream.of(fake.url()));
    }

    private static String bare(String response) {
        return response.replaceAll("(?m)^(Date|Server|Via): .*\n", "");
    }

    // ---- responses

    @Test
    void headersAndEachPieceOfAResponsePassAtOnce() throws Exception {
        var go = new CountDownLatch(1);
        var more = new CountDownLatch(1);
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n");
                                    go.await();
                                    peer.send("3\none\n");
                                    more.await();
                                    peer.send("3;x=y\ntwo\n0\nSum: 6\n\n");
                                    peer.request();
                                    peer.awaitEnd();
                                });
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client().send(GET)) {
            assertEquals(
                    "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", bare(client.until("\n\n")));
            go.countDown();
            assertEquals("3\none\n", client.until("one\n"));
            more.countDown();
            assertEquals("3\ntwo\n0\nSum: 6\n\n", client.until("\n\n"));
            client.send(GET);
            fake.next();
            fake.next();
            assertEquals(1, fake.accepted.get());
            assertEquals("200 1", proxy.next());
            client.reset(); // or the proxy waits for the response
        }
    }

    /** It does not pass through the heap once its headers have left. */
    @Test
    void aBodyOfKnownLengthPassesWhateverItsPieces() throws Exception {
        var begun = new CountDownLatch(1);
        String body = "0123456789abcdef".repeat(40_000);
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send(
                                            "HTTP/1.1 200 OK\nContent-Length: "
                                                    + body.length()
                                                    + "\n\n0");
                                    begun.await();
                                    int step = 1;
                                    for (int at = 1; at < body.length(); at += step) {
                                        step = Math.min(step * 7 % 90_001 + 1, body.length() - at);
                                        peer.send(body.substring(at, at + step));
                                    }
                                    peer.request();
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 0\n\n");
                                    peer.awaitEnd();
                                });
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client().send(GET)) {
            client.until("\n\n0");
            begun.countDown();
            assertEquals(body.substring(1), client.read(body.length() - 1));
            client.send(GET);
            assertTrue(client.until("\n\n").startsWith("HTTP/1.1 200 OK\n"));
            assertEquals(1, fake.accepted.get());
        }
    }

    /** RFC 9112 9.2: they answer no request that is sent later. */
    @Test
    void bytesBehindABodyAreNoResponse() throws Exception {
        var begun = new CountDownLatch(1);
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 90000\n\na");
                                    begun.await();
                                    peer.send(
                                            "b".repeat(89_999)
                                                    + "HTTP/1.1 200 OK\nContent-Length: 3\n\nbad");
                                    peer.awaitEnd();
                                });
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client().send(GET)) {
            client.until("\n\na");
            begun.countDown();
            assertEquals("b".repeat(89_999), client.read(89_999));
            client.send(GET);
            assertTrue(client.until("\n\na").startsWith("HTTP/1.1 200 OK\n"));
            assertEquals(2, fake.accepted.get());
        }
    }

    @Test
    void aBodyThatBreaksOffResetsTheClientWhileItIsPassedOn() throws Exception {
        var begun = new CountDownLatch(1);
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 90000\n\na");
                                    begun.await();
                                    peer.send("b".repeat(50_000));
                                });
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client().send(GET)) {
            client.until("\n\na");
            begun.countDown();
            assertTrue(client.end().endsWith("<reset>"), "the client cannot take it for whole");
        }
    }

    @Test
    void aBodyThatEndsWithTheConnectionIsChunked() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send("HTTP/1.0 200 OK\n\nall of it");
                                });
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client().send(GET)) {
            String response = client.until("\n0\n\n");
            assertTrue(response.contains("\nVia: 1.0 sirocco\n"), response);
            assertTrue(response.endsWith("9\nall of it\n0\n\n"), response);
            proxy.awaitQuiet();
        }
    }

    @Test
    void aClientOfHttp10GetsABodyWithoutChunks() throws Exception {
        try (var fake =
                        FakeUpstream.responding(
                                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"
                                        + "3\none\n3\ntwo\n0\nSum: 6\n\n");
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client().send("GET / HTTP/1.0\nHost: a\n\n")) {
            assertEquals("HTTP/1.1 200 OK\nConnection: close\n\nonetwo<end>", bare(client.end()));
        }
    }

    @Test
    void responsesWithoutABodyKeepTheirHeaders() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    while (true) {
                                        String request = peer.request();
                                        if (request.isEmpty()) {
                                            return;
                                        }
                                        peer.send(
                                                request.startsWith("HEAD")
                                                        ? "HTTP/1.1 200 OK\nContent-Length: 12\n"
                                                                + "Content-Type: text/a\n\n"
                                                        : request.startsWith("GET /204")
                                                                ? "HTTP/1.1 204 No\nX: y\n\n"
                                                                : "HTTP/1.1 304 No\n"
                                                                        + "Content-Length: 12\n"
                                                                        + "ETag: \"a\"\n\n");
                                    }
                                });
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client()) {
            client.send("HEAD / HTTP/1.1\nHost: a\n\n");
            assertEquals(
                    "HTTP/1.1 200 OK\nContent-Type: text/a\nContent-Length: 12\n\n",
                    bare(client.until("\n\n")));
            client.send("GET /204 HTTP/1.1\nHost: a\n\n");
            assertEquals("HTTP/1.1 204 No Content\nX: y\n\n", bare(client.until("\n\n")));
            client.send("GET /304 HTTP/1.1\nHost: a\n\n");
            assertEquals("HTTP/1.1 304 Not Modified\nETag: \"a\"\n\n", bare(client.until("\n\n")));
            assertEquals(1, fake.accepted.get());
            proxy.awaitQuiet();
        }
    }

    @Test
    void interimResponsesPassButNot100() throws Exception {
        try (var fake =
                        FakeUpstream.responding(
                                "HTTP/1.1 100 Continue\n\n"
                                        + "HTTP/1.1 103 Early Hints\nLink: </a>\nConnection: x\n"
                                        + "X: 1\n\n"
                                        + "HTTP/1.1 200 OK\nContent-Length: 0\n\n");
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client().send(GET)) {
            assertEquals("HTTP/1.1 103 Early Hints\nLink: </a>\n\n", bare(client.until("\n\n")));
            assertEquals("HTTP/1.1 200 OK\nContent-Length: 0\n\n", bare(client.until("\n\n")));
        }
    }

    @Test
    void aResponseThatBreaksOffResetsTheClient() throws Exception {
        for (String[] response :
                new String[][] {
                    {"HTTP/1.1 200 OK\nContent-Length: 10\n\npart", ""},
                    {"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n4\npart\n", ""},
                    {"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n4\npart\n", "x\n"}
                }) {
            var go = new CountDownLatch(1);
            try (var fake =
                            new FakeUpstream(
                                    peer -> {
                                        peer.request();
                                        peer.send(response[0]);
                                        go.await();
                                        peer.send(response[1]);
                                    });
                    ProxyServer proxy = proxy(fake);
                    RawClient client = proxy.client().send(GET)) {
                client.until("part");
                go.countDown();
                String end = client.end();
                assertTrue(end.endsWith("<reset>"), end);
                String told = proxy.next();
                assertTrue(told.matches("200 1 BAD_GATEWAY: (BODY_TRUNCATED|BAD_CHUNK_SIZE) cut"));
                proxy.awaitQuiet();
                assertEquals(1, proxy.upstream.stats().servers().getFirst().failures());
            }
        }
    }

    /** A response that is malformed before any of it was passed on is none. */
    @Test
    void aResponseThatBreaksOffAtOnceIsABadGateway() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nx\n");
                                });
                ProxyServer proxy = proxy(fake)) {
            String page = proxy.ask(GET);
            assertTrue(page.startsWith("HTTP/1.1 502 Bad Gateway\n"), page);
            assertEquals("502 1 BAD_GATEWAY: BAD_CHUNK_SIZE", proxy.next());
        }
    }

    /** A proxy that tells when the client of a request has ended its side. */
    private record Watched(Proxy proxy, CountDownLatch ended) implements Handler {
        @Override
        public Response handle(Request request) {
            request.onDisconnect(ended::countDown);
            return proxy.handle(request);
        }

        @Override
        public void configure(Route route) {
            proxy.configure(route);
        }
    }

    private ProxyServer watched(FakeUpstream fake, CountDownLatch ended) {
        Upstream upstream = Upstream.of(fake.url());
        return new ProxyServer(
                upstream,
                c -> c.transport(transport),
                routes ->
                        routes.any(
                                "/*",
                                new Watched(
                                        Proxy.to(upstream, o -> o.abortOnClose(false)), ended)));
    }

    /** {@code printf ... | nc -N}: it has closed its sending side only. */
    @Test
    void aClientThatHasEndedItsSideGetsItsResponse() throws Exception {
        for (String sent : new String[] {"", "HTTP/1.1 200 OK\nContent-Length: 8\n\npart"}) {
            var ended = new CountDownLatch(1);
            try (var fake =
                            new FakeUpstream(
                                    peer -> {
                                        peer.request();
                                        peer.send(sent);
                                        ended.await();
                                        peer.send(
                                                sent.isEmpty()
                                                        ? "HTTP/1.1 200 OK\nContent-Length: 4\n\nlast"
                                                        : "last");
                                        peer.request();
                                    });
                    ProxyServer proxy = watched(fake, ended);
                    RawClient client = proxy.client().send(GET)) {
                fake.next();
                if (!sent.isEmpty()) {
                    client.until("part");
                }
                client.socket.shutdownOutput();
                String rest = client.end();
                assertTrue(rest.endsWith("last<end>"), rest);
                assertEquals("200 1", proxy.next());
                proxy.awaitQuiet();
                assertEquals(0, proxy.upstream.stats().servers().getFirst().failures());
            }
        }
    }

    /** A body that its end cuts off is none. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientThatEndsItsSideWithinItsBodyIsRefused(boolean abort) throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.awaitEnd();
                                });
                var proxy =
                        new ProxyServer(
                                transport,
                                Upstream.of(fake.url()),
                                c -> {},
                                o -> o.abortOnClose(abort));
                RawClient client = proxy.client()) {
            client.send("PUT / HTTP/1.1\nHost: a\nContent-Length: 10\n\nhalf");
            fake.next();
            client.socket.shutdownOutput();
            String page = client.end();
            assertTrue(page.startsWith(abort ? "HTTP/1.1 499 " : "HTTP/1.1 400 "), page);
            assertTrue(fake.ends.take() != null);
            proxy.awaitQuiet();
            assertEquals(0, proxy.upstream.stats().servers().getFirst().failures());
        }
    }

    @Test
    void aClientThatLeavesCancelsTheRequest() throws Exception {
        for (String sent : new String[] {"", "HTTP/1.1 200 OK\nContent-Length: 10\n\npart"}) {
            for (boolean reset : new boolean[] {true, false}) {
                try (var fake =
                                new FakeUpstream(
                                        peer -> {
                                            peer.request();
                                            peer.send(sent);
                                            peer.awaitEnd();
                                        });
                        var proxy =
                                new ProxyServer(
                                        transport,
                                        Upstream.of(fake.url()),
                                        c -> {},
                                        o -> o.abortOnClose(!reset));
                        RawClient client = proxy.client().send(GET)) {
                    fake.next();
                    if (!sent.isEmpty()) {
                        client.until("part");
                    }
                    if (reset) {
                        client.reset();
                    } else {
                        client.socket.shutdownOutput();
                    }
                    assertTrue(fake.ends.take() != null);
                    proxy.awaitQuiet();
                    assertEquals(0, proxy.upstream.stats().servers().getFirst().failures());
                }
            }
        }
    }

    private ProxyServer brief(FakeUpstream fake, ManualClock clock) {
        return new ProxyServer(
                transport,
                Upstream.of(s -> s.totalTimeout(Duration.ofSeconds(10)).retries(0), fake.url()),
                c -> c.clock(clock),
                o -> {});
    }

    private static long failures(ProxyServer proxy) {
        return proxy.upstream.stats().servers().getFirst().failures();
    }

    /** Its timeout says nothing about the server, which would be ejected by such clients. */
    @Test
    void aSlowClientIsNoFailureOfTheServer() throws Exception {
        var sent = new AtomicLong();
        var clock = ManualClock.belowZero();
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    if (peer.request().startsWith("PUT")) {
                                        peer.awaitEnd();
                                    }
                                    var piece = new byte[64 << 10];
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 99999999\n\n");
                                    while (true) {
                                        peer.out.write(piece);
                                        sent.addAndGet(piece.length);
                                    }
                                });
                ProxyServer proxy = brief(fake, clock)) {
            try (RawClient client = proxy.client().send(GET)) {
                client.until("\n\n");
                fake.next();
                awaitStill(sent);
                clock.advance(Duration.ofSeconds(11));
                assertEquals("200 1 GATEWAY_TIMEOUT: TOTAL_TIMEOUT cut", proxy.next());
                proxy.awaitQuiet();
                assertEquals(0, failures(proxy));
            }
            try (RawClient client = proxy.client()) {
                client.send("PUT / HTTP/1.1\nHost: a\nContent-Length: 10\n\nhalf");
                fake.next();
                clock.advance(Duration.ofSeconds(11));
                assertEquals("504 1 GATEWAY_TIMEOUT: TOTAL_TIMEOUT", proxy.next());
                client.until("\n\n");
            }
            proxy.awaitQuiet();
            assertEquals(0, failures(proxy));
        }
    }

    @Test
    void aServerThatIsSlowUntilTheTotalTimeoutHasFailed() throws Exception {
        for (String head : new String[] {"", "HTTP/1.1 200 OK\nContent-Length: 10\n\npart"}) {
            var clock = ManualClock.belowZero();
            try (var fake =
                            new FakeUpstream(
                                    peer -> {
                                        peer.request();
                                        peer.send(head);
                                        peer.awaitEnd();
                                    });
                    ProxyServer proxy = brief(fake, clock);
                    RawClient client = proxy.client().send(GET)) {
                fake.next();
                if (!head.isEmpty()) {
                    client.until("part");
                }
                clock.advance(Duration.ofSeconds(11));
                assertTrue(proxy.next().contains("TOTAL_TIMEOUT"));
                proxy.awaitQuiet();
                assertEquals(1, failures(proxy));
            }
        }
    }

    /** Waits until nothing more is sent. */
    private static void awaitStill(AtomicLong sent) {
        long[] last = {-1, 0};
        ProxyServer.await(
                "the sender to be held back",
                () -> {
                    long time = System.nanoTime();
                    if (sent.get() != last[0]) {
                        last[0] = sent.get();
                        last[1] = time;
                    }
                    return last[0] > 0 && time - last[1] > 300_000_000;
                });
    }

    // ---- requests

    /** A server that merges trailers with headers must not take them for what the proxy says. */
    @Test
    void trailersSetNothingThatTheProxySets() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.note(peer.until("0\r\n"));
                                    peer.note(peer.until("\r\n\r\n"));
                                    peer.send(
                                            """
                                            HTTP/1.1 200 OK
                                            Transfer-Encoding: chunked
                                            Connection: x, X-Hop

                                            2
                                            ok
                                            0
                                            X-New: 2
                                            x-hop: 2
                                            Server: fake
                                            Proxy-Connection: close
                                            Set-Cookie: session=1
                                            Location: /elsewhere
                                            Vary: *
                                            access-control-allow-origin: *
                                            Sum: 6

                                            """);
                                });
                var proxy =
                        new ProxyServer(
                                transport,
                                Upstream.of(fake.url()),
                                c -> {},
                                o ->
                                        o.requestHeader("X-Real-IP", "1.1.1.1")
                                                .responseHeader("X-New", "1")
                                                .responseHeader("Server", ""));
                RawClient client = proxy.client()) {
            client.send(
                    """
                    POST / HTTP/1.1
                    Host: a
                    Transfer-Encoding: chunked
                    Connection: x
                    Connection: X-Hop

                    2
                    xy
                    0
                    x-hop: 2
                    x-real-ip: 2.2.2.2
                    x_real_ip: 2.2.2.2
                    X-Forwarded-For: 2.2.2.2
                    X_FORWARDED_PROTO: https
                    Forwarded: for=2.2.2.2
                    HTTP2-Settings: AAMA
                    Sum: 5

                    """);
            fake.next();
            fake.next();
            assertEquals("Sum: 5\r\n\r\n", fake.next());
            assertTrue(client.until("0\n").contains("\nX-New: 1\n"));
            assertEquals("Sum: 6\n\n", client.until("\n\n"));
        }
    }

    @Test
    void eachPieceOfARequestPassesAtOnceWithItsTrailers() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    String head = peer.request();
                                    peer.note(peer.until("one\r\n"));
                                    peer.note(peer.until("\r\n\r\n"));
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 0\n\n");
                                    assertTrue(head.contains("\nTransfer-Encoding: chunked\n"));
                                });
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client()) {
            client.send("POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n3;a=b\none\n");
            fake.next();
            assertEquals("3\r\none\r\n", fake.next());
            client.send("2\nxy\n0\nSum: 5\n\n");
            assertEquals("2\r\nxy\r\n0\r\nSum: 5\r\n\r\n", fake.next());
            assertTrue(client.response().startsWith("HTTP/1.1 200 OK\n"));
            assertEquals("played", fake.ends.take());
        }
    }

    @Test
    void aLengthPassesAsALength() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.note(peer.read(6));
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 0\n\n");
                                    peer.request();
                                    peer.awaitEnd();
                                });
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client()) {
            client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 6\n\nabc");
            assertTrue(fake.next().contains("\nContent-Length: 6\n"));
            client.send("def");
            assertEquals("abcdef", fake.next());
            client.response();
            client.send("DELETE / HTTP/1.1\nHost: a\nContent-Length: 0\n\n");
            assertTrue(!fake.next().contains("Content-Length"));
            assertEquals(1, fake.accepted.get());
            client.reset(); // or the proxy waits for the response
        }
    }

    @Test
    void anEarlyResponseReachesAClientThatStillSends() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send("HTTP/1.1 413 Too Much\nContent-Length: 3\n\nno!");
                                    peer.awaitEnd();
                                });
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client()) {
            client.send("POST / HTTP/1.1\nHost: a\nContent-Length: 10000000\n\nthe beginning");
            String response = client.response();
            assertTrue(response.startsWith("HTTP/1.1 413 "), response);
            assertTrue(response.endsWith("no!"), response);
            assertTrue(fake.ends.take() != null);
            proxy.awaitQuiet();
        }
    }

    @Test
    void theServerDecidesOn100() throws Exception {
        var go = new CountDownLatch(1);
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    go.await();
                                    peer.send("HTTP/1.1 100 Continue\n\n");
                                    peer.note(peer.read(4));
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 0\n\n");
                                });
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client()) {
            client.send("PUT / HTTP/1.1\nHost: a\nExpect: 100-continue\nContent-Length: 4\n\n");
            assertTrue(fake.next().contains("\nExpect: 100-continue\n"));
            go.countDown();
            assertEquals("HTTP/1.1 100 Continue\n\n", client.until("\n\n"));
            client.send("body");
            assertEquals("body", fake.next());
            assertTrue(client.response().startsWith("HTTP/1.1 200 OK\n"));
        }
    }

    @Test
    void aRefusalInsteadOf100SparesTheBody() throws Exception {
        try (var fake = FakeUpstream.responding("HTTP/1.1 401 No\nContent-Length: 0\n\n");
                ProxyServer proxy = proxy(fake);
                RawClient client = proxy.client()) {
            client.send("PUT / HTTP/1.1\nHost: a\nExpect: 100-continue\nContent-Length: 4\n\n");
            String response = client.response();
            assertTrue(response.startsWith("HTTP/1.1 401 Unauthorized\n"), response);
        }
    }

    @Test
    void aBodyBeyondTheLimitOfTheRouteIsRefused() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.awaitEnd();
                                });
                var proxy =
                        new ProxyServer(
                                transport,
                                Upstream.of(fake.url()),
                                config -> config.maxBodyBytes(10),
                                options -> {});
                RawClient client = proxy.client()) {
            client.send("POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n3\nabc\n");
            fake.next();
            client.send("8\n12345678\n");
            String response = client.response();
            assertTrue(response.startsWith("HTTP/1.1 413 "), response);
            proxy.awaitQuiet();
            assertEquals(0, proxy.upstream.stats().servers().getFirst().failures());
        }
    }

    // ---- back-pressure, with our server as the upstream

    private static final long MUCH = 64L << 20;

    @Test
    void aClientThatReadsNothingHoldsTheServerBack() throws Exception {
        var produced = new AtomicLong();
        try (Server behind =
                        Server.start(
                                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                                r ->
                                        r.get(
                                                "/",
                                                q ->
                                                        Response.stream(
                                                                MUCH,
                                                                out -> {
                                                                    var piece = new byte[8192];
                                                                    for (long n = 0;
                                                                            n < MUCH;
                                                                            n += 8192) {
                                                                        out.write(piece);
                                                                        produced.addAndGet(8192);
                                                                    }
                                                                })));
                var proxy =
                        new ProxyServer(
                                transport, Upstream.of("http://127.0.0.1:" + behind.port()));
                RawClient client = new RawClient(proxy.server.port())) {
            client.send(GET).until("\n\n");
            ProxyServer.await("the first bytes", () -> produced.get() > 0);
            long[] last = {-1, 0};
            ProxyServer.await(
                    "the server to be held back",
                    () -> {
                        long now = produced.get();
                        long time = System.nanoTime();
                        if (now != last[0]) {
                            last[0] = now;
                            last[1] = time;
                        }
                        return time - last[1] > 300_000_000;
                    });
            assertTrue(produced.get() < MUCH / 2, "produced " + produced.get());
            InputStream in = client.socket.getInputStream();
            long rest = 0;
            var buffer = new byte[64 << 10];
            while (rest < MUCH) {
                int n = in.read(buffer);
                assertTrue(n > 0, "ended after " + rest);
                rest += n;
            }
            proxy.awaitQuiet();
        }
    }

    @Test
    void anEchoOf64MiBPassesBothWaysAtATime() throws Exception {
        try (Server behind =
                        Server.start(
                                c ->
                                        c.listen(new InetSocketAddress("127.0.0.1", 0))
                                                .loops(1)
                                                .maxBodyBytes(-1),
                                r ->
                                        r.route("POST", "/", q -> Response.stream(q.body()::next))
                                                .executionMode(ExecutionMode.INLINE)
                                                .startBeforeBody());
                var proxy =
                        new ProxyServer(
                                transport,
                                Upstream.of(
                                        s -> s.idleTimeout(Duration.ofSeconds(30)),
                                        "http://127.0.0.1:" + behind.port()),
                                config -> config.maxBodyBytes(-1),
                                options -> {});
                RawClient client = proxy.client()) {
            client.send("POST / HTTP/1.1\nHost: a\nContent-Length: " + MUCH + "\n\n");
            Thread sender =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        var piece = new byte[64 << 10];
                                        try {
                                            for (long n = 0; n < MUCH; n += piece.length) {
                                                client.socket.getOutputStream().write(piece);
                                            }
                                        } catch (java.io.IOException e) {
                                            throw new AssertionError(e);
                                        }
                                    });
            client.until("\n\n");
            var in = new java.io.BufferedInputStream(client.socket.getInputStream(), 1 << 16);
            long received = 0;
            while (true) {
                var line = new StringBuilder();
                for (int c; (c = in.read()) != '\n'; ) {
                    line.append((char) c);
                }
                int size = Integer.parseInt(line.toString().strip(), 16);
                in.skipNBytes(size + 2);
                if (size == 0) {
                    break;
                }
                received += size;
            }
            sender.join();
            assertEquals(MUCH, received);
            proxy.awaitQuiet();
        }
    }
}
