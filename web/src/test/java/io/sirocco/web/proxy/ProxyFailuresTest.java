// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.ManualClock;
import io.sirocco.web.log.AccessLog;
import io.sirocco.web.log.LogFormat;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers that fail: what the client gets, what is sent again, who is taken out, which limits hold.
 */
@Timeout(60)
class ProxyFailuresTest {
    private static final String GET = "GET / HTTP/1.1\nHost: a\n\n";
    private static final String POST = "POST / HTTP/1.1\nHost: a\nContent-Length: 4\n\nbody";
    private static final String OK = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok";

    private final ManualClock clock = ManualClock.belowZero();

    private ProxyServer proxy(Consumer<UpstreamSettings> settings, String... servers) {
        return new ProxyServer(
                TransportKind.NIO, Upstream.of(settings, servers), c -> c.clock(clock), o -> {});
    }

    /** The URL of a port that nobody listens on. */
    private static String refusing() {
        return "http://127.0.0.1:" + FreePort.tcp();
    }

    private static String status(String response) {
        return response.substring(9, 12);
    }

    // ---- statuses

    @Test
    void timesOfAnyLength() {
        Duration ever = Duration.ofSeconds(Long.MAX_VALUE);
        Upstream.of(
                s ->
                        s.connectTimeout(ever)
                                .responseTimeout(ever)
                                .idleTimeout(ever)
                                .totalTimeout(ever)
                                .keepAlive(ever)
                                .tunnelIdleTimeout(ever)
                                .queueTimeout(ever),
                "http://127.0.0.1:1");
    }

    @Test
    void noConnectionIsABadGateway() throws Exception {
        try (ProxyServer proxy = proxy(s -> {}, refusing())) {
            String page = proxy.ask(GET);
            assertTrue(page.startsWith("HTTP/1.1 502 Bad Gateway\n"), page);
            assertTrue(page.endsWith("\n\nBad Gateway"), page);
            assertEquals("502 1 BAD_GATEWAY: CONNECT_FAILED", proxy.next());
            proxy.awaitQuiet();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ''                                     | CONNECTION_CLOSED
                    HTTP/1.1 200                           | HEAD_TRUNCATED
                    SSH-2.0-OpenSSH_9~~                    | BAD_STATUS_LINE
                    HTTP/2.0 200 OK~~                      | UNKNOWN_VERSION
                    HTTP/1.1 200 OK~Content-Length: x~~    | BAD_LENGTH
                    HTTP/1.1 200 OK~Content-Length: 1~Transfer-Encoding: chunked~~ | LENGTH_AND_CODING
                    HTTP/1.1 200 OK~Content-Length: 1~Content-Length: 2~~ | TWO_LENGTHS
                    HTTP/1.1 200 OK~A : b~~                | SPACE_BEFORE_COLON
                    HTTP/1.1 101 Switching Protocols~~     | UNEXPECTED_UPGRADE
                    HTTP/1.1 204 No~Transfer-Encoding: chunked~~ | UNEXPECTED_BODY
                    HTTP/1.1 700 Odd~Content-Length: 0~~   | status 700
                    """)
    void aMalformedResponseIsABadGateway(String response, String reason) throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send(response.replace('~', '\n'));
                                });
                ProxyServer proxy = proxy(s -> {}, fake.url())) {
            assertEquals("502", status(proxy.ask(GET)));
            assertEquals("502 1 BAD_GATEWAY: " + reason, proxy.next());
            assertEquals(1, proxy.upstream.stats().servers().getFirst().failures());
            proxy.awaitQuiet();
        }
    }

    @Test
    void aServerThatDoesNotRespondIsAGatewayTimeout() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.awaitEnd();
                                });
                ProxyServer proxy = proxy(s -> {}, fake.url());
                RawClient client = proxy.client().send(GET)) {
            fake.next();
            clock.advance(Duration.ofSeconds(59));
            assertTrue(proxy.completed.isEmpty());
            clock.advance(Duration.ofSeconds(2));
            String page = client.response();
            assertTrue(page.startsWith("HTTP/1.1 504 Gateway Timeout\n"), page);
            assertEquals("504 1 GATEWAY_TIMEOUT: RESPONSE_TIMEOUT", proxy.next());
            assertEquals("played", fake.ends.take());
            proxy.awaitQuiet();
        }
    }

    @Test
    void aBodyThatStopsIsReset() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 10\n\npart");
                                    peer.awaitEnd();
                                });
                ProxyServer proxy = proxy(s -> {}, fake.url());
                RawClient client = proxy.client().send(GET)) {
            client.until("part");
            clock.advance(Duration.ofSeconds(61));
            assertTrue(client.end().endsWith("<reset>"));
            assertEquals("200 1 GATEWAY_TIMEOUT: BODY_TIMEOUT cut", proxy.next());
            proxy.awaitQuiet();
        }
    }

    @Test
    void aServerThatTruncatesEachBodyIsEjected() throws Exception {
        var received = new Semaphore(0);
        try (var truncating =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 10\n\npart");
                                    received.acquire();
                                });
                var good = FakeUpstream.responding(OK);
                ProxyServer proxy = proxy(s -> {}, truncating.url(), good.url())) {
            for (int i = 0; i < 20; i++) {
                try (RawClient client = proxy.client().send(GET)) {
                    if (i < 6 && i % 2 == 0) {
                        client.until("part");
                        received.release();
                        assertEquals("<reset>", client.end());
                    } else {
                        client.until("\n\nok");
                    }
                }
                proxy.next();
            }
            assertEquals(3, truncating.requests.size());
            assertEquals("ejected", proxy.upstream.stats().servers().getFirst().state());
            proxy.awaitQuiet();
        }
    }

    // ---- retries

    @Test
    void anotherServerIsTriedIfTheFirstRefuses() throws Exception {
        try (var fake = FakeUpstream.responding(OK);
                ProxyServer proxy = proxy(s -> s.maxFailures(0), refusing(), fake.url())) {
            for (String request : new String[] {GET, POST, GET, POST}) {
                assertEquals("200", status(proxy.ask(request)));
            }
            assertEquals(2, proxy.upstream.stats().retries());
            proxy.awaitQuiet();
        }
    }

    private static FakeUpstream closing() throws IOException {
        return new FakeUpstream(FakeUpstream.Peer::request);
    }

    /** A server that echoes a body of four bytes. */
    private static FakeUpstream echo() throws IOException {
        return new FakeUpstream(
                peer -> {
                    while (!peer.request().isEmpty()) {
                        peer.send("HTTP/1.1 200 OK\nContent-Length: 4\n\n" + peer.read(4));
                    }
                });
    }

    @Test
    void aRequestThatTheServerMayHaveSeenIsSentAgainOnlyIfThatIsHarmless() throws Exception {
        try (FakeUpstream closing = closing();
                FakeUpstream echo = echo();
                ProxyServer proxy = proxy(s -> s.maxFailures(0), closing.url(), echo.url())) {
            String put = proxy.ask(POST.replace("POST", "PUT"));
            assertTrue(put.startsWith("HTTP/1.1 200 "), put);
            assertTrue(put.endsWith("\n\nbody"), put);
            assertEquals("200 2", proxy.next());
            assertEquals("200", status(proxy.ask(POST)));
            assertEquals("200 1", proxy.next());
            assertEquals("502", status(proxy.ask(POST)));
            assertEquals("502 1 BAD_GATEWAY: CONNECTION_CLOSED", proxy.next());
            proxy.awaitQuiet();
        }
    }

    @Test
    void aBodyThatIsNotKeptIsNotSentAgain() throws Exception {
        String big = "x".repeat(100_000);
        try (var closing =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.read(100_000);
                                });
                FakeUpstream echo = echo();
                ProxyServer proxy = proxy(s -> s.maxFailures(0), closing.url(), echo.url())) {
            String page = proxy.ask("PUT / HTTP/1.1\nHost: a\nContent-Length: 100000\n\n" + big);
            assertEquals("502", status(page));
            assertEquals("502 1 BAD_GATEWAY: CONNECTION_CLOSED", proxy.next());
        }
    }

    @Test
    void aBodyIsSentAgainAsFarAsItHasCome() throws Exception {
        try (FakeUpstream closing = closing();
                FakeUpstream echo = echo();
                ProxyServer proxy = proxy(s -> s.maxFailures(0), closing.url(), echo.url());
                RawClient client = proxy.client()) {
            client.send("PUT / HTTP/1.1\nHost: a\nContent-Length: 4\n\nbo");
            echo.next();
            client.send("dy");
            assertTrue(client.response().endsWith("\n\nbody"));
        }
    }

    @Test
    void retriesAreBounded() throws Exception {
        String[] servers = {refusing(), refusing(), refusing()};
        try (ProxyServer proxy = proxy(s -> s.maxFailures(0).retries(1), servers)) {
            assertEquals("502", status(proxy.ask(GET)));
            assertEquals("502 2 BAD_GATEWAY: CONNECT_FAILED", proxy.next());
        }
        try (ProxyServer proxy = proxy(s -> s.maxFailures(0).retries(9), servers)) {
            assertEquals("502", status(proxy.ask(GET)));
            assertEquals("502 3 BAD_GATEWAY: CONNECT_FAILED", proxy.next());
        }
        try (ProxyServer proxy = proxy(s -> s.maxFailures(0), servers);
                RawClient client = proxy.client()) {
            for (int i = 0; i < 20; i++) {
                client.send(GET).response();
            }
            assertEquals(RetryBudget.ALWAYS, proxy.upstream.stats().retries());
        }
    }

    // ---- health

    private static List<String> states(ProxyServer proxy) {
        return proxy.upstream.stats().servers().stream()
                .map(UpstreamStats.ServerStats::state)
                .toList();
    }

    @Test
    void aServerThatFailsIsEjectedForAWhile() throws Exception {
        try (var fake = FakeUpstream.responding(OK);
                ProxyServer proxy =
                        proxy(
                                s -> s.maxFailures(2).slowStart(Duration.ZERO),
                                refusing(),
                                fake.url());
                RawClient client = proxy.client()) {
            for (int i = 0; i < 10; i++) {
                assertEquals("200", status(client.send(GET).response()));
            }
            assertEquals(List.of("ejected", "up"), states(proxy));
            assertEquals(2, proxy.upstream.stats().servers().getFirst().requests());
            clock.advance(Duration.ofSeconds(11));
            assertEquals(List.of("up", "up"), states(proxy));
            client.send(GET).response();
            client.send(GET).response();
            assertEquals(3, proxy.upstream.stats().servers().getFirst().requests());
        }
    }

    @Test
    void theOnlyServerIsUsedEvenIfItIsEjected() throws Exception {
        try (ProxyServer proxy = proxy(s -> s.maxFailures(1), refusing())) {
            for (int i = 0; i < 3; i++) {
                assertEquals("502", status(proxy.ask(GET)));
            }
            assertEquals(List.of("ejected"), states(proxy));
        }
    }

    @Test
    void statusesCanBeFailures() throws Exception {
        try (var fake = FakeUpstream.responding("HTTP/1.1 503 No\nContent-Length: 0\n\n");
                ProxyServer proxy = proxy(s -> s.maxFailures(1).failureStatus(503), fake.url())) {
            assertEquals("503", status(proxy.ask(GET)));
            assertEquals(List.of("ejected"), states(proxy));
            assertEquals("503 1", proxy.next());
        }
    }

    @Test
    void healthChecksTakeAServerOutAndBack() throws Exception {
        var health = new AtomicReference<>("200");
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    for (String request; ; ) {
                                        request = peer.request();
                                        if (request.isEmpty()) {
                                            return;
                                        }
                                        peer.send(
                                                "HTTP/1.1 "
                                                        + (request.startsWith("GET /health ")
                                                                ? health.get()
                                                                : "200")
                                                        + " It\nContent-Length: 0\n\n");
                                    }
                                });
                ProxyServer proxy =
                        proxy(
                                s -> s.healthPath("/health").unhealthyAfter(2).healthyAfter(2),
                                fake.url())) {
            proxy.upstream.start(proxy.server);
            String check = fake.next();
            assertTrue(check.startsWith("GET /health HTTP/1.1\nHost: 127.0.0.1:"), check);
            assertTrue(check.contains("\nConnection: close\n"), check);
            awaitCheck(proxy);
            health.set("500");
            checks(proxy, fake, "down");
            String page = proxy.ask(GET);
            assertEquals("503", status(page));
            assertFalse(page.contains("Retry-After"), page);
            assertEquals("503 0 NO_SERVER: no server is available", proxy.next());
            health.set("302");
            checks(proxy, fake, "up");
            assertEquals("200", status(proxy.ask(GET)));
        }
    }

    /** A check has a connection of its own, which is open when its request is received. */
    private static void awaitCheck(ProxyServer proxy) {
        ProxyServer.await("the end of the check", () -> proxy.upstream.stats().connections() == 0);
    }

    /** Lets checks be made until the server has this state, two or more. */
    private void checks(ProxyServer proxy, FakeUpstream fake, String state) throws Exception {
        int made = 0;
        while (!states(proxy).equals(List.of(state))) {
            assertTrue(made < 5, "five checks were not enough");
            clock.advance(Duration.ofSeconds(7)); // long timers are coarse
            fake.next();
            made++;
            awaitCheck(proxy);
        }
        assertTrue(made >= 2, "after " + made);
    }

    @Test
    void theAccessLogNamesServerAttemptsAndFailure(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("access.log");
        String[] servers = {refusing(), refusing()};
        Upstream upstream = Upstream.of(servers);
        try (var log = AccessLog.open(file, LogFormat.JSON, 64);
                var proxy =
                        new ProxyServer(
                                TransportKind.NIO, upstream, c -> c.monitor(log), o -> {})) {
            assertEquals("502", status(proxy.ask(GET)));
            ProxyServer.await("the line", () -> log.written() == 1);
        }
        String line = Files.readString(file);
        assertTrue(
                line.endsWith(
                        ",\"upstream\":\""
                                + servers[1]
                                + "\",\"attempts\":2,\"failure\":\"BAD_GATEWAY: CONNECT_FAILED\"}\n"),
                line);
    }

    // ---- limits

    /** A server that responds when the test says so. */
    private static final class Slow implements AutoCloseable {
        final Semaphore go = new Semaphore(0);
        final FakeUpstream fake =
                new FakeUpstream(
                        peer -> {
                            while (!peer.request().isEmpty()) {
                                go.acquire();
                                peer.send(OK);
                            }
                        });

        Slow() throws IOException {}

        @Override
        public void close() throws IOException {
            fake.close();
        }
    }

    @Test
    void requestsBeyondTheLimitAreRefusedAtOnce() throws Exception {
        try (var slow = new Slow();
                ProxyServer proxy = proxy(s -> s.maxRequests(2), slow.fake.url());
                RawClient one = proxy.client().send(GET);
                RawClient two = proxy.client().send(GET)) {
            slow.fake.next();
            slow.fake.next();
            String page = proxy.ask(GET);
            assertTrue(page.startsWith("HTTP/1.1 503 Service Unavailable\n"), page);
            assertTrue(page.contains("\nRetry-After: 1\n"), page);
            assertEquals("503 0 BUSY: the limit of requests", proxy.next());
            slow.go.release(3);
            assertEquals("200", status(one.response()));
            assertEquals("200", status(two.response()));
            proxy.awaitQuiet();
            assertEquals("200", status(proxy.ask(GET)));
        }
    }

    @Test
    void requestsWaitForAConnectionUpToALimitAndATimeout() throws Exception {
        try (var slow = new Slow();
                ProxyServer proxy = proxy(s -> s.maxConnections(1).maxWaiting(1), slow.fake.url());
                RawClient one = proxy.client().send(GET)) {
            slow.fake.next();
            try (RawClient two = proxy.client().send(GET)) {
                ProxyServer.await("one to wait", () -> proxy.upstream.stats().waiting() == 1);
                String full = proxy.ask(GET);
                assertEquals("503", status(full));
                assertTrue(full.contains("\nRetry-After: 1\n"), full);
                assertEquals("503 1 BUSY: QUEUE_FULL", proxy.next());
                clock.advance(Duration.ofSeconds(6));
                assertEquals("503", status(two.response()));
                assertEquals("503 1 BUSY: QUEUE_TIMEOUT", proxy.next());
            }
            slow.go.release();
            assertEquals("200", status(one.response()));
            assertEquals(1, slow.fake.accepted.get());
            assertEquals(0, proxy.upstream.stats().servers().getFirst().failures());
            proxy.awaitQuiet();
        }
    }

    // ---- balancing on the wire

    @Test
    void aStickyCookieKeepsAClientOnItsServer() throws Exception {
        var fakes = new ArrayList<FakeUpstream>();
        for (String name : List.of("a", "b")) {
            fakes.add(
                    FakeUpstream.responding(
                            "HTTP/1.1 200 OK\nX-Node: " + name + "\nContent-Length: 0\n\n"));
        }
        String[] urls = fakes.stream().map(FakeUpstream::url).toArray(String[]::new);
        try (ProxyServer proxy = proxy(s -> s.stickyCookie("node").maxFailures(1), urls)) {
            String first = proxy.ask(GET);
            var cookie =
                    Pattern.compile("Set-Cookie: (node=[0-9a-f]{16}); (.*)\nContent-Length")
                            .matcher(first);
            assertTrue(cookie.find(), first);
            assertEquals(
                    Set.of("Path=/", "HttpOnly", "SameSite=Lax"),
                    Set.of(cookie.group(2).split("; ")));
            String with = "GET / HTTP/1.1\nHost: a\nCookie: " + cookie.group(1) + "\n\n";
            for (int i = 0; i < 4; i++) {
                String next = proxy.ask(with);
                assertTrue(next.contains("X-Node: a\n"), next);
                assertFalse(next.contains("Set-Cookie"), next);
            }
            fakes.getFirst().close();
            String moved = proxy.ask(with);
            assertTrue(moved.contains("X-Node: b\n"), moved);
            assertTrue(moved.contains("Set-Cookie: node="), moved);
        } finally {
            for (FakeUpstream each : fakes) {
                each.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"path", "header:X-User", "cookie:user", "address"})
    void aHashKeepsAValueOnItsServer(String by) throws Exception {
        try (var a = FakeUpstream.responding(OK);
                var b = FakeUpstream.responding(OK);
                ProxyServer proxy =
                        proxy(s -> s.balance(Balance.HASH).hashBy(by), a.url(), b.url())) {
            var counts = new TreeSet<Integer>();
            for (int i = 0; i < 16; i++) {
                int before = a.requests.size();
                String request =
                        "GET /%d HTTP/1.1\nHost: a\nX-User: %d\nCookie: user=%d\n\n"
                                .formatted(i, i, i);
                for (int n = 0; n < 3; n++) {
                    proxy.ask(request);
                }
                counts.add(a.requests.size() - before);
            }
            assertTrue(
                    by.equals("address") ? counts.size() == 1 : counts.equals(Set.of(0, 3)),
                    counts.toString());
        }
    }

    @Test
    void aSocketThatWasIdleAndIsClosedIsNoFailure() throws Exception {
        try (var once =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send(OK);
                                });
                ProxyServer proxy = proxy(s -> {}, once.url());
                Socket _ = new Socket("127.0.0.1", once.port())) {
            for (int i = 0; i < 20; i++) {
                assertEquals("200", status(proxy.ask(GET)));
            }
            assertEquals(0, proxy.upstream.stats().servers().getFirst().failures());
        }
    }
}
