// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Routes;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.cache.ResponseCache;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/**
 * A cache in front of the proxy: the server responds to each request with what the test offers, and
 * not before.
 */
@OnEachTransport
class ProxyCacheTest {
    @Parameter TransportKind transport;

    private final BlockingQueue<FakeUpstream.Script> replies = new LinkedBlockingQueue<>();
    private final ManualClock clock = ManualClock.belowZero();
    private final List<AutoCloseable> open = new ArrayList<>();
    private FakeUpstream fake;
    private ResponseCache cache;
    private ProxyServer proxy;

    @BeforeEach
    void open() throws IOException {
        fake =
                new FakeUpstream(
                        peer -> {
                            for (String head; !(head = peer.request()).isEmpty(); ) {
                                if (head.contains("Content-Length: 4")) {
                                    peer.note(peer.read(4));
                                }
                                replies.take().play(peer);
                            }
                        });
        cache = ResponseCache.create(options -> options.clock(clock));
        start(settings -> {}, options -> {});
    }

    private void start(Consumer<UpstreamSettings> settings, Consumer<ProxyOptions> options) {
        Upstream upstream = Upstream.of(settings, fake.url());
        start(
                upstream,
                routes ->
                        routes.any("/*", Proxy.to(upstream, options.andThen(o -> o.cache(cache)))));
    }

    private void start(Upstream upstream, Consumer<Routes> routes) {
        if (proxy != null) {
            proxy.close();
        }
        proxy = new ProxyServer(upstream, config -> config.transport(transport), routes);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        proxy.close();
        cache.close();
        fake.close();
    }

    private void reply(String headers, String body) {
        reply(200, headers, body);
    }

    private void reply(int status, String headers, String body) {
        reply(
                "HTTP/1.1 %d Fake\nServer: fake\n%sContent-Length: %d\n\n%s"
                        .formatted(
                                status,
                                headers.isEmpty() ? "" : headers + "\n",
                                body.length(),
                                body));
    }

    private void reply(String block) {
        replies.add(peer -> peer.send(block));
    }

    private RawClient client(String from) throws IOException {
        var client = new RawClient(proxy.server.port(), from);
        open.add(client);
        return client;
    }

    private static String request(String method, String target, String... headers) {
        var text = new StringBuilder(method + " " + target + " HTTP/1.1\nHost: a\n");
        for (String header : headers) {
            text.append(header).append('\n');
        }
        return text.append('\n').toString();
    }

    private String get(String target, String... headers) throws IOException {
        return proxy.ask(request("GET", target, headers));
    }

    /** Sends a request, which the proxy has seen when this returns. */
    private RawClient begin(int inProgress, String from, String target) throws IOException {
        RawClient client = client(from).send(request("GET", target));
        awaitInProgress(inProgress);
        return client;
    }

    private void awaitInProgress(int count) {
        ProxyServer.await(
                count + " requests in progress",
                () -> proxy.server.stats().stream().mapToLong(s -> s.inProgress()).sum() == count);
    }

    private static void assertHas(String response, String... parts) {
        for (String part : parts) {
            assertTrue(response.contains(part), () -> "no " + part + " in\n" + response);
        }
    }

    private void assertNoMoreRequests() {
        assertNull(fake.requests.peek());
    }

    // ---- hits and misses

    @Test
    void theSecondRequestIsAHit() throws Exception {
        reply("Cache-Control: max-age=60", "one");
        assertHas(
                get("/a?b=c"),
                "HTTP/1.1 200 OK\n",
                "Server: fake\n",
                "Via: 1.1 sirocco\n",
                "Cache-Status: sirocco; fwd=uri-miss; fwd-status=200; ttl=60; stored\n",
                "\n\none");
        assertEquals("200 1", proxy.next());
        assertHas(fake.next(), "GET /a?b=c HTTP/1.1\nHost: a\n", "X-Forwarded-For: 127.0.0.1\n");
        clock.advance(Duration.ofSeconds(7));
        String hit = get("/a?b=c");
        assertHas(
                hit,
                "HTTP/1.1 200 OK\n",
                "Server: fake\n",
                "Via: 1.1 sirocco\n",
                "Age: 7\n",
                "Cache-Status: sirocco; hit; ttl=53\n",
                "\n\none");
        assertEquals(hit.indexOf("Via:"), hit.lastIndexOf("Via:"));
        assertEquals("200 0", proxy.next());
        assertNoMoreRequests();
        assertEquals(1, proxy.upstream.stats().requests());
        proxy.awaitQuiet();
    }

    @Test
    void headIsServedFromAStoredGet() throws Exception {
        reply("Cache-Control: max-age=60", "one");
        get("/a");
        fake.next();
        try (RawClient client = client("127.0.0.1")) {
            String head = client.send(request("HEAD", "/a")).until("\n\n");
            assertHas(head, "Content-Length: 3\n", "; hit;");
        }
        assertNoMoreRequests();
    }

    @Test
    void aHeadRequestThatMissesIsForwarded() throws Exception {
        reply("HTTP/1.1 200 OK\nContent-Length: 12345\nCache-Control: max-age=60\n\n");
        try (RawClient client = client("127.0.0.1")) {
            String head = client.send(request("HEAD", "/a")).until("\n\n");
            assertHas(head, "Content-Length: 12345\n", "fwd=uri-miss; fwd-status=200\n");
        }
        assertHas(fake.next(), "HEAD /a HTTP/1.1\n");
        proxy.awaitQuiet();
    }

    @Test
    void rangesComeFromAWholeResponse() throws Exception {
        reply(206, "Content-Range: bytes 1-2/3\nCache-Control: max-age=60", "ne");
        assertHas(get("/a", "Range: bytes=1-2"), "206", "detail=RANGE\n", "\n\nne");
        assertHas(fake.next(), "Range: bytes=1-2\n");
        reply("Cache-Control: max-age=60\nETag: \"1\"", "one");
        get("/a");
        assertFalse(fake.next().contains("Range"));
        assertHas(get("/a", "Range: bytes=1-2"), "206", "Content-Range: bytes 1-2/3\n", "\n\nne");
        assertHas(get("/a", "If-None-Match: \"1\""), "304", "; hit;");
        assertNoMoreRequests();
    }

    @Test
    void aRequestWithABodyIsForwarded() throws Exception {
        reply("Cache-Control: max-age=60", "one");
        get("/a");
        fake.next();
        reply("", "two");
        assertHas(
                proxy.ask(request("GET", "/a", "Content-Length: 4") + "body"),
                "fwd=bypass",
                "\n\ntwo");
        assertHas(fake.next(), "Content-Length: 4\n");
        assertEquals("body", fake.next());
    }

    @Test
    void rulesOfTheProxyApply() throws Exception {
        start(
                settings -> {},
                options ->
                        options.strip("/shop")
                                .prefix("/v2")
                                .host(Proxy.HOST_OF_SERVER)
                                .requestHeader("X-Key", "secret")
                                .responseHeader("Server", ""));
        reply("Cache-Control: max-age=60", "one");
        get("/shop/a");
        assertHas(
                fake.next(),
                "GET /v2/a HTTP/1.1\nHost: 127.0.0.1:" + fake.port() + "\n",
                "X-Key: secret\n",
                "X-Forwarded-Host: a\n");
        String hit = get("/shop/a");
        assertHas(hit, "; hit;", "\n\none");
        assertFalse(hit.contains("fake"));
        assertHas(get("/shop/../a"), "HTTP/1.1 400");
        assertEquals(1, cache.purge("http://a/shop/a").toCompletableFuture().get());
    }

    /** However the same host is written. */
    @Test
    void anAbsoluteTargetHasTheUrlOfItsOriginForm() throws Exception {
        reply("Cache-Control: max-age=60", "one");
        assertHas(get("HTTP://A.Test:80/x?y"), "\n\none");
        fake.next();
        for (String form : new String[] {"http://a.test/x?y", "http://A.TEST:80/x?y"}) {
            assertHas(get(form), "; hit;", "\n\none");
        }
        assertHas(proxy.ask("GET /x?y HTTP/1.1\nHost: a.TEST\n\n"), "; hit;");
        assertNoMoreRequests();
        reply("Cache-Control: max-age=60", "two");
        assertHas(get("http://a.test//x?y"), "\n\ntwo");
        assertHas(fake.next(), "GET //x?y HTTP/1.1\nHost: a.test\n");
        assertEquals(1, cache.purge("http://A.test:80/x?y").toCompletableFuture().get());
    }

    /** RFC 9110 6.6.2 and 9.3.2: it has the headers of the body that it lacks. */
    @Test
    void aHeadOfAChunkedResponseHasNoBody() throws Exception {
        reply("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nTrailer: Sum\n\n");
        reply("Cache-Control: no-store", "two");
        try (RawClient client = proxy.client()) {
            String head = client.send(request("HEAD", "/a")).until("\n\n");
            assertHas(head, "HTTP/1.1 200");
            client.send(request("GET", "/b"));
            assertHas(client.until("two"), "HTTP/1.1 200");
        }
    }

    @Test
    void accessRulesComeBeforeTheCache() throws Exception {
        Upstream upstream = Upstream.of(fake.url());
        start(
                upstream,
                routes -> {
                    routes.filter(
                            (request, next) ->
                                    request.header("X-Key").isPresent()
                                            ? next.handle(request)
                                            : Response.empty(403));
                    routes.any("/*", Proxy.to(upstream, options -> options.cache(cache)));
                });
        reply("Cache-Control: max-age=60", "one");
        assertHas(get("/a", "X-Key: 1"), "\n\none");
        assertHas(get("/a"), "HTTP/1.1 403");
        assertHas(get("/a", "X-Key: 1"), "; hit;");
    }

    // ---- revalidation

    @Test
    void aStaleResponseIsRevalidated() throws Exception {
        reply("Cache-Control: max-age=60\nETag: \"1\"", "one");
        get("/a");
        fake.next();
        clock.advance(Duration.ofSeconds(61));
        reply("HTTP/1.1 304 Not Modified\nCache-Control: max-age=30\nETag: \"1\"\n\n");
        assertHas(
                get("/a", "If-None-Match: \"0\""),
                "HTTP/1.1 200 OK\n",
                "fwd=stale; fwd-status=304; ttl=30; stored\n",
                "\n\none");
        assertHas(fake.next(), "If-None-Match: \"1\"\n", "X-Forwarded-For: 127.0.0.1\n");
        assertHas(get("/a"), "; hit; ttl=30\n");
        proxy.awaitQuiet();
    }

    @Test
    void aStaleResponseIsServedWhileTheServerIsDown() throws Exception {
        reply("Cache-Control: max-age=1, stale-if-error=100", "one");
        get("/a");
        assertEquals("200 1", proxy.next());
        clock.advance(Duration.ofSeconds(2));
        fake.stop();
        assertHas(
                get("/a"),
                "HTTP/1.1 200 OK\n",
                "Age: 2\n",
                "Cache-Status: sirocco; fwd=stale; ttl=-1; detail=stale-if-error\n",
                "\n\none");
        assertHas(proxy.next(), "200 1 BAD_GATEWAY: ");
        assertHas(get("/b"), "HTTP/1.1 502 ", "Cache-Status: sirocco; fwd=uri-miss\n");
        assertHas(proxy.next(), "502 1 BAD_GATEWAY: ");
        clock.advance(Duration.ofSeconds(200));
        assertHas(get("/a"), "HTTP/1.1 502 ", "Cache-Status: sirocco; fwd=stale\n");
        proxy.awaitQuiet();
    }

    @Test
    void aStaleResponseIsServedForA502OfTheServer() throws Exception {
        reply("Cache-Control: max-age=1, stale-if-error=100", "one");
        get("/a");
        clock.advance(Duration.ofSeconds(2));
        reply(502, "", "no");
        assertHas(get("/a"), "200 OK", "fwd-status=502;", "detail=stale-if-error\n", "\n\none");
        proxy.awaitQuiet();
    }

    @Test
    void aStaleResponseIsServedForAMalformedResponse() throws Exception {
        reply("Cache-Control: max-age=1, stale-if-error=100", "one");
        get("/a");
        clock.advance(Duration.ofSeconds(2));
        reply("HTTP/1.1 2000 What\n\n");
        assertHas(get("/a"), "200 OK", "detail=stale-if-error\n", "\n\none");
        proxy.awaitQuiet();
    }

    @Test
    void aLimitOfTheUpstreamCountsAsAnError() throws Exception {
        start(settings -> settings.maxRequests(1), options -> {});
        reply("Cache-Control: max-age=1, stale-if-error=100", "one");
        get("/a");
        clock.advance(Duration.ofSeconds(2));
        fake.next();
        RawClient first = begin(1, "127.0.0.1", "/slow");
        fake.next();
        assertHas(get("/a"), "200 OK", "detail=stale-if-error\n", "\n\none");
        assertHas(get("/b"), "503 Service Unavailable", "Retry-After: 1\n");
        reply("", "slow");
        assertHas(first.response(), "\n\nslow");
        proxy.awaitQuiet();
    }

    @Test
    void aRevalidationInTheBackgroundOutlivesItsClient() throws Exception {
        reply("Cache-Control: max-age=1, stale-while-revalidate=100", "old");
        get("/a");
        proxy.next();
        fake.next();
        clock.advance(Duration.ofSeconds(2));
        try (RawClient client = client("127.0.0.5")) {
            client.send(request("GET", "/a", "X-Of-Client: 5", "Cookie: c=5"));
            assertHas(
                    client.response(), "; hit; ttl=-1; detail=stale-while-revalidate\n", "\n\nold");
        }
        assertEquals("200 0", proxy.next());
        assertHas(
                fake.next(),
                "GET /a HTTP/1.1\nHost: a\n",
                "X-Of-Client: 5\n",
                "Cookie: c=5\n",
                "X-Forwarded-For: 127.0.0.5\nX-Forwarded-Proto: http\nX-Forwarded-Host: a\n",
                "Via: 1.1 sirocco\n");
        reply("Cache-Control: max-age=60", "new");
        ProxyServer.await("a revalidation", () -> cache.stats().stored() == 2);
        assertHas(get("/a"), "; hit; ttl=60\n", "\n\nnew");
        proxy.awaitQuiet();
    }

    @Test
    void aFailureInTheBackgroundLeavesTheStaleResponse() throws Exception {
        reply("Cache-Control: max-age=1, stale-while-revalidate=100", "old");
        get("/a");
        clock.advance(Duration.ofSeconds(2));
        fake.stop();
        for (int i = 1; i <= 5; i++) { // more than it takes to eject the server
            assertHas(get("/a"), "detail=stale-while-revalidate\n", "\n\nold");
            int failures = i;
            ProxyServer.await(
                    "failure " + i,
                    () -> proxy.upstream.stats().servers().getFirst().failures() == failures);
            proxy.awaitQuiet();
        }
        proxy.awaitQuiet();
    }

    // ---- many clients

    @Test
    void oneRequestServesManyClients() throws Exception {
        var clients = new ArrayList<RawClient>();
        for (int i = 1; i <= 10; i++) {
            clients.add(begin(i, "127.0.0." + i, "/a"));
        }
        String sent = fake.next();
        assertHas(sent, "X-Forwarded-For: 127.0.0.1\n");
        reply("Cache-Control: max-age=60", "one");
        int collapsed = 0;
        for (RawClient each : clients) {
            String response = each.response();
            assertHas(response, "HTTP/1.1 200 OK\n", "\n\none");
            assertFalse(response.contains("127.0.0."));
            collapsed += response.contains("; collapsed") ? 1 : 0;
        }
        assertEquals(9, collapsed);
        assertNoMoreRequests();
        assertEquals(1, proxy.upstream.stats().requests());
        proxy.awaitQuiet();
    }

    @Test
    void anErrorIsForAllThatWait() throws Exception {
        var clients = new ArrayList<RawClient>();
        for (int i = 1; i <= 4; i++) {
            clients.add(begin(i, "127.0.0." + i, "/a"));
        }
        fake.next();
        replies.add(peer -> peer.send("HTTP/1.1 nonsense\n\n"));
        for (RawClient each : clients) {
            assertHas(each.response(), "HTTP/1.1 502 ", "fwd=uri-miss");
        }
        assertEquals(1, proxy.upstream.stats().requests());
        proxy.awaitQuiet();
    }

    @Test
    void theClientThatLeavesDoesNotEndTheRequestForOthers() throws Exception {
        RawClient first = begin(1, "127.0.0.1", "/a");
        RawClient second = begin(2, "127.0.0.2", "/a");
        fake.next();
        first.reset();
        awaitInProgress(1);
        reply("Cache-Control: max-age=60", "one");
        assertHas(second.response(), "; collapsed", "\n\none");
        assertHas(get("/a"), "; hit;", "\n\none");
        assertNoMoreRequests();
        assertEquals(1, fake.accepted.get());
        proxy.awaitQuiet();
    }

    @Test
    void aClientThatLeavesWithinTheBodyDoesNotEndIt() throws Exception {
        replies.add(
                peer -> {
                    peer.send("HTTP/1.1 200 OK\nCache-Control: max-age=60\n");
                    peer.send("Content-Length: 6\n\nhal");
                    replies.take().play(peer);
                });
        RawClient first = begin(1, "127.0.0.1", "/a");
        first.until("\n\nhal");
        RawClient second = begin(2, "127.0.0.2", "/a");
        second.until("\n\nhal");
        first.reset();
        awaitInProgress(1);
        second.reset();
        awaitInProgress(0);
        fake.next();
        reply("ves");
        ProxyServer.await("the rest", () -> cache.stats().stored() == 1);
        assertHas(get("/a"), "; hit;", "\n\nhalves");
        assertNoMoreRequests();
        proxy.awaitQuiet();
    }

    /** {@code printf ... | nc -N}: what is stored, and what is not. */
    @Test
    void aClientThatHasEndedItsSideGetsItsResponse() throws Exception {
        for (String control : new String[] {"max-age=60", "no-store"}) {
            for (String method : new String[] {"GET", "POST"}) {
                RawClient client = client("127.0.0.1").send(request(method, "/" + control));
                fake.next();
                client.socket.shutdownOutput();
                var behind = client("127.0.0.1"); // on the same loop: the end was seen before it
                behind.send(request("OPTIONS", "/", "Max-Forwards: 0"));
                behind.response();
                reply("Cache-Control: " + control, "last");
                assertTrue(client.end().endsWith("\n\nlast<end>"), method + " " + control);
            }
        }
        proxy.awaitQuiet();
    }

    @Test
    void theRequestIsCancelledWhenAllClientsHaveLeft() throws Exception {
        RawClient first = begin(1, "127.0.0.1", "/a");
        RawClient second = begin(2, "127.0.0.2", "/a");
        fake.next();
        replies.add(FakeUpstream.Peer::awaitEnd);
        first.reset();
        awaitInProgress(1);
        second.reset();
        assertEquals("played", fake.ends.take());
        proxy.awaitQuiet();
        reply("Cache-Control: max-age=60", "one");
        assertHas(get("/a"), "fwd=uri-miss", "\n\none");
    }

    // ---- what is not stored

    @Test
    void variantsAreKeptApart() throws Exception {
        String headers = "Cache-Control: max-age=60\nVary: Accept-Language";
        reply(headers, "hallo");
        assertHas(get("/a", "Accept-Language: de"), "\n\nhallo");
        reply(headers, "hello");
        assertHas(get("/a", "Accept-Language: en"), "fwd=vary-miss", "\n\nhello");
        assertHas(get("/a", "Accept-Language: de"), "; hit;", "\n\nhallo");
        assertHas(get("/a", "Accept-Language: en"), "; hit;", "\n\nhello");
    }

    @Test
    void responsesToCredentialsAreNotStored() throws Exception {
        reply("Cache-Control: max-age=60", "mine");
        assertHas(get("/a", "Authorization: Basic eDp5"), "detail=AUTHORIZATION\n", "\n\nmine");
        assertHas(fake.next(), "Authorization: Basic eDp5\n");
        reply("Cache-Control: max-age=60", "yours");
        assertHas(get("/a"), "fwd=uri-miss", "\n\nyours");
        fake.next();
        reply("Cache-Control: public, max-age=60", "all");
        get("/b", "Authorization: Basic eDp5");
        assertHas(get("/b"), "; hit;", "\n\nall");
    }

    @Test
    void cookiesAreNotStored() throws Exception {
        reply("Cache-Control: max-age=60\nSet-Cookie: id=1", "one");
        assertHas(get("/a"), "Set-Cookie: id=1\n", "detail=SET_COOKIE\n", "\n\none");
        reply("Cache-Control: max-age=60", "two");
        String second = get("/a");
        assertHas(second, "\n\ntwo");
        assertFalse(second.contains("Set-Cookie"));
    }

    @Test
    void aStickyCookieIsNotStored() throws Exception {
        start(settings -> settings.stickyCookie("node"), options -> {});
        reply("Cache-Control: max-age=60", "one");
        assertFalse(get("/a").contains("node="));
        assertFalse(get("/a").contains("node="));
        reply("Cache-Control: private", "mine");
        assertHas(get("/b"), "Set-Cookie: node=", "detail=PRIVATE\n");
        reply("Cache-Control: max-age=60\nSet-Cookie: id=1", "mine");
        assertHas(get("/c"), "Set-Cookie: node=", "Set-Cookie: id=1\n", "detail=SET_COOKIE\n");
        reply("", "posted");
        assertHas(proxy.ask(request("POST", "/a", "Content-Length: 0")), "Set-Cookie: node=");
    }

    /** Each client gets its own header, also with a response that was stored for another one. */
    @Test
    void headersOfTheRequestAreNotStored() throws Exception {
        start(s -> {}, o -> o.responseHeader("X-Agent", r -> r.header("User-Agent").orElse("")));
        reply("Cache-Control: max-age=60\nX-Agent: server", "one");
        String first = proxy.ask(request("GET", "/a", "User-Agent: first"));
        assertHas(first, "\nX-Agent: first\n", "; stored\n", "\n\none");
        String second = proxy.ask(request("GET", "/a", "User-Agent: second"));
        assertHas(second, "\nX-Agent: second\n", "sirocco; hit", "\n\none");
        assertFalse(proxy.ask(request("GET", "/a")).contains("X-Agent"));
    }

    /** The cache does not see the value that the server has seen. */
    @Test
    void aResponseThatVariesByAHeaderOfTheProxyIsNotStored() throws Exception {
        start(s -> {}, o -> o.requestHeader("X-User", r -> r.query("user").orElse("")));
        for (String user : List.of("ann", "bob")) {
            reply("Cache-Control: max-age=60\nVary: Accept, x-user", "for " + user);
            String response = get("/a?user=" + user);
            assertHas(response, "detail=VARY_FORWARDED\n", "\n\nfor " + user);
            assertHas(fake.next(), "X-User: " + user + "\n");
        }
        reply("Cache-Control: max-age=60\nETag: \"1\"", "for all");
        assertHas(get("/b"), "; stored\n");
        fake.next();
        clock.advance(Duration.ofSeconds(61));
        reply(304, "ETag: \"1\"\nVary: X-User", "");
        assertHas(get("/b"), "\n\nfor all");
        fake.next();
        reply("Cache-Control: max-age=60", "again");
        assertHas(get("/b"), "fwd=uri-miss", "\n\nagain");
    }

    @Test
    void aResponseThatVariesByTheAddressIsNotStored() throws Exception {
        for (String vary : List.of("X-Forwarded-For", "Forwarded")) {
            for (int i = 2; i < 4; i++) {
                reply("Cache-Control: max-age=60\nVary: " + vary, "for " + i);
                try (RawClient client = client("127.0.0." + i)) {
                    client.send(request("GET", "/" + vary));
                    assertHas(client.response(), "detail=VARY_FORWARDED\n", "\n\nfor " + i);
                }
                assertHas(fake.next(), "X-Forwarded-For: 127.0.0." + i + "\n");
            }
        }
    }

    @Test
    void schemesAndHostsAreKeptApart() throws Exception {
        reply("Cache-Control: max-age=60", "of a");
        assertHas(get("/a"), "\n\nof a");
        assertHas(fake.next(), "X-Forwarded-Host: a\n");
        reply("Cache-Control: max-age=60", "of b");
        assertHas(proxy.ask("GET /a HTTP/1.1\nHost: b\n\n"), "fwd=uri-miss", "\n\nof b");
        assertHas(fake.next(), "X-Forwarded-Host: b\n");
        assertHas(
                get("/a", "X-Forwarded-Host: b", "X-Forwarded-Proto: https"), "; hit;", "\n\nof a");
    }

    /** The server does not receive such a header, so its response is not one for that value. */
    @Test
    void aHeaderThatConnectionNamesDoesNotChooseAVariant() throws Exception {
        reply("Cache-Control: max-age=60\nVary: Accept-Language", "default");
        assertHas(
                get("/a", "Accept-Language: de", "Connection: Accept-Language"),
                "fwd=bypass",
                "\n\ndefault");
        assertFalse(fake.next().contains("Accept-Language"));
        reply("Cache-Control: max-age=60\nVary: Accept-Language", "hallo");
        assertHas(get("/a", "Accept-Language: de"), "fwd=uri-miss", "\n\nhallo");
    }

    @Test
    void aTruncatedBodyIsNeitherStoredNorTakenForWhole() throws Exception {
        String fixed = "HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 9\n\nhalf";
        String chunked =
                "HTTP/1.1 200 OK\nCache-Control: max-age=60\nTransfer-Encoding: chunked\n\n"
                        + "4\nhalf\n";
        for (String part : List.of(fixed, chunked)) {
            RawClient first = begin(1, "127.0.0.1", "/a");
            RawClient second = begin(2, "127.0.0.2", "/a");
            fake.next();
            replies.add(
                    peer -> {
                        peer.send(part);
                        peer.reset();
                    });
            for (RawClient each : List.of(first, second)) {
                String received = each.end();
                assertFalse(received.contains("\n0\n"), received);
                assertTrue(received.endsWith("<reset>"), received);
            }
            assertEquals(0, cache.stats().stored());
            reply("", "whole");
            assertHas(get("/a"), "fwd=uri-miss", "\n\nwhole");
            fake.next();
            proxy.awaitQuiet();
            clock.advance(Duration.ofSeconds(20)); // nothing is known of the URL any more
        }
    }

    // ---- invalidation

    @Test
    void aPostInvalidates() throws Exception {
        reply("Cache-Control: max-age=60", "one");
        get("/a");
        fake.next();
        assertHas(get("/a"), "; hit;");
        reply(201, "", "made");
        assertHas(
                proxy.ask(request("POST", "/a", "Content-Length: 4") + "body"),
                "201",
                "Cache-Status: sirocco; fwd=method; fwd-status=201\n",
                "\n\nmade");
        assertHas(fake.next(), "POST /a HTTP/1.1\n", "Content-Length: 4\n");
        assertEquals("body", fake.next());
        reply("Cache-Control: max-age=60", "two");
        assertHas(get("/a"), "fwd=uri-miss", "\n\ntwo");
    }

    @Test
    void aPostThatFailsDoesNot() throws Exception {
        reply("Cache-Control: max-age=60", "one");
        get("/a");
        replies.add(FakeUpstream.Peer::reset);
        assertHas(proxy.ask(request("POST", "/a", "Content-Length: 0")), "HTTP/1.1 502 ");
        assertHas(get("/a"), "; hit;");
    }

    @Test
    void purge() throws Exception {
        reply("Cache-Control: max-age=60\nCache-Tag: t", "one");
        get("/a");
        assertEquals(1, cache.purge("http://a/a").toCompletableFuture().get());
        reply("Cache-Control: max-age=60\nCache-Tag: t", "two");
        assertHas(get("/a"), "fwd=uri-miss", "\n\ntwo");
        assertEquals(1, cache.purgeTag("t").toCompletableFuture().get());
        reply("Cache-Control: max-age=60", "three");
        assertHas(get("/a"), "fwd=uri-miss", "\n\nthree");
    }

    // ---- what only the proxy does

    @Test
    void anUpgradePassesTheCache() throws Exception {
        replies.add(
                peer -> {
                    peer.send(
                            "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\n"
                                    + "Connection: Upgrade\n\n");
                    peer.out.write(peer.in.read());
                    peer.awaitEnd();
                });
        RawClient client = client("127.0.0.1");
        client.send(request("GET", "/a", "Upgrade: websocket", "Connection: Upgrade"));
        assertHas(client.until("\n\n"), "HTTP/1.1 101 ");
        client.send("x").until("x");
        client.close();
        proxy.awaitQuiet();
    }

    @Test
    void interimResponsesReachTheClientWhoseRequestIsForwarded() throws Exception {
        replies.add(
                peer -> {
                    peer.send("HTTP/1.1 103 Early Hints\nLink: </s.css>\n\n");
                    replies.take().play(peer);
                });
        RawClient first = begin(1, "127.0.0.1", "/a");
        RawClient second = begin(2, "127.0.0.2", "/a");
        assertHas(first.until("\n\n"), "HTTP/1.1 103 ", "Link: </s.css>\n");
        reply("Cache-Control: max-age=60", "one");
        assertHas(first.response(), "HTTP/1.1 200 OK\n", "\n\none");
        assertHas(second.response(), "HTTP/1.1 200 OK\n", "\n\none");
    }

    @Test
    void aStreamIsRelayedWhileItArrives() throws Exception {
        reply("HTTP/1.1 200 OK\nCache-Control: no-store\nTransfer-Encoding: chunked\n\n");
        RawClient client = begin(1, "127.0.0.1", "/a");
        assertHas(client.until("\n\n"), "Cache-Status: ", "detail=NO_STORE\n");
        client.reset();
        assertHas(fake.next(), "GET /a ");
        proxy.awaitQuiet();
    }

    @Test
    void aResponseThatAFilterReplacesIsClosed() throws Exception {
        Upstream upstream = Upstream.of(fake.url());
        start(
                upstream,
                routes -> {
                    routes.filter(
                            (request, next) ->
                                    next.handle(request).map(response -> Response.empty(404)));
                    routes.any("/*", Proxy.to(upstream, options -> options.cache(cache)));
                });
        String endless = "HTTP/1.1 200 OK\nCache-Control: no-store\nContent-Length: 9\n\nhalf";
        for (String method : List.of("GET", "DELETE")) {
            replies.add(
                    peer -> {
                        peer.send(endless);
                        peer.awaitEnd();
                    });
            assertHas(proxy.ask(request(method, "/a")), "HTTP/1.1 404 ");
            assertEquals("played", fake.ends.take());
            proxy.awaitQuiet();
        }
    }

    @Test
    void eventStreamsAreNotSharedByADefault() throws Exception {
        ResponseCache lasting = cache.withRules(r -> r.defaultTtl(200, Duration.ofMinutes(1)));
        for (String type : List.of("text/event-stream", "TEXT/Event-Stream; charset=utf-8")) {
            Upstream upstream = Upstream.of(fake.url());
            start(upstream, routes -> routes.any("/*", Proxy.to(upstream, o -> o.cache(lasting))));
            String path = "/events" + type.length();
            reply("Content-Type: " + type, "one");
            assertHas(get(path), "\n\none");
            reply("Content-Type: " + type, "two");
            assertHas(get(path), "\n\ntwo");
            reply("Cache-Control: max-age=60\nContent-Type: " + type, "three");
            assertHas(get(path), "\n\nthree");
            assertHas(get(path), "; hit;", "\n\nthree");
        }
    }

    @Test
    void theHeadersOfAStorableResponseDoNotWaitForItsBody() throws Exception {
        var seen = new CountDownLatch(1);
        replies.add(
                peer -> {
                    peer.send("HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 3\n\n");
                    seen.await();
                    peer.send("one");
                });
        RawClient client = client("127.0.0.1");
        client.send(request("GET", "/slow"));
        assertHas(client.until("\n\n"), "HTTP/1.1 200");
        seen.countDown();
        assertEquals("one", client.read(3));
    }

    /** The origin sends no {@code Date}, and the 304 comes in the second of the response. */
    @Test
    void aValidationInTheSameSecondCounts() throws Exception {
        clock.advance(Duration.ofMillis(700 - clock.wallMillis() % 1000));
        reply("ETag: \"1\"\nCache-Control: max-age=0", "one");
        get("/a");
        clock.advance(Duration.ofMillis(100));
        reply(304, "ETag: \"1\"\nCache-Control: max-age=60", "");
        assertHas(get("/a"), "\n\none");
        assertHas(get("/a"), "; hit;", "\n\none");
    }
}
