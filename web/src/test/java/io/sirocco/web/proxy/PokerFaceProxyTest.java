// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import io.sirocco.web.files.FileServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What PokerFace promised of its proxy, and the defects of that by their numbers. */
@OnEachTransport
class PokerFaceProxyTest {
    private static final String GET = "GET /a HTTP/1.1\nHost: shop.test\n\n";
    private static final String OK = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok";

    @Parameter TransportKind transport;
    @TempDir Path folder;

    private ProxyServer proxy(FakeUpstream fake) {
        return new ProxyServer(transport, Upstream.of(fake.url()));
    }

    // ---- rows of the acceptance table

    @ParameterizedTest
    @CsvSource({
        "/, everything /",
        "/public, everything /public",
        "/public/foo/bar.html, public /public/foo/bar.html",
        "/public/foo.html, exact /public/foo.html",
        "/public/foo.html/x, public /public/foo.html/x",
        "/private/bar/foo.html, private /corp/bar/foo.html",
        "/private/bar/foo.html?x=/private/, private /corp/bar/foo.html?x=/private/",
        "/Public/x, everything /Public/x",
        "/publicity, everything /publicity",
    })
    void theMostSpecificPatternWins(String target, String expected) throws Exception {
        try (var everything = responder("everything");
                var open = responder("public");
                var exact = responder("exact");
                var closed = responder("private");
                Upstream one = Upstream.of(everything.url());
                Upstream two = Upstream.of(open.url());
                Upstream three = Upstream.of(exact.url());
                Upstream four = Upstream.of(closed.url());
                var proxy =
                        new ProxyServer(
                                one,
                                c -> c.transport(transport),
                                routes ->
                                        routes.any("/*", Proxy.to(one))
                                                .any("/public/*", Proxy.to(two))
                                                .any("/public/foo.html", Proxy.to(three))
                                                .any(
                                                        "/private/*",
                                                        Proxy.to(
                                                                four,
                                                                o ->
                                                                        o.strip("/private")
                                                                                .prefix(
                                                                                        "/corp"))))) {
            String response = proxy.ask("GET " + target + " HTTP/1.1\nHost: a\n\n");
            assertTrue(response.endsWith("\n\n" + expected), response);
        }
    }

    /** Responds with its name and the target. */
    private static FakeUpstream responder(String name) throws IOException {
        return new FakeUpstream(
                peer -> {
                    for (String head; !(head = peer.request()).isEmpty(); ) {
                        String body = name + " " + head.split(" ")[1];
                        peer.send(
                                "HTTP/1.1 200 OK\nContent-Length: "
                                        + body.length()
                                        + "\n\n"
                                        + body);
                    }
                });
    }

    /** A copy of what a server has is served in its place by a route, as long as that exists. */
    @Test
    void aRouteToAFileGoesBeforeTheServer() throws Exception {
        Files.writeString(folder.resolve("a"), "copy");
        try (var fake = FakeUpstream.responding(OK);
                FileServer files = FileServer.of(folder);
                Upstream upstream = Upstream.of(fake.url());
                var proxy =
                        new ProxyServer(
                                upstream,
                                c -> c.transport(transport),
                                routes ->
                                        routes.get("/a", q -> files.serve(q, "/a"))
                                                .any("/*", Proxy.to(upstream)))) {
            assertTrue(proxy.ask(GET.replace("/a", "/b")).endsWith("\n\nok"));
            fake.stop();
            String copy = proxy.ask(GET);
            assertTrue(copy.endsWith("\n\ncopy"), copy);
            proxy.server.reload(
                    c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                    routes -> routes.any("/*", Proxy.to(upstream)));
            assertTrue(proxy.ask(GET).startsWith("HTTP/1.1 502 "));
        }
    }

    @Test
    void aFileThatExistsGoesBeforeTheServer() throws Exception {
        Path copy = Files.writeString(folder.resolve("a"), "copy");
        try (var fake = FakeUpstream.responding(OK);
                FileServer files = FileServer.of(folder, o -> o.cacheCheck(Duration.ZERO));
                Upstream upstream = Upstream.of(fake.url());
                var proxy =
                        new ProxyServer(
                                upstream,
                                c -> c.transport(transport),
                                routes -> routes.any("/*", files.orElse(Proxy.to(upstream))))) {
            assertTrue(proxy.ask(GET).endsWith("\n\ncopy"));
            assertTrue(proxy.ask(GET.replace("/a", "/b")).endsWith("\n\nok"));
            assertTrue(proxy.ask(GET.replace("GET", "DELETE")).endsWith("\n\nok"));
            fake.stop();
            assertTrue(proxy.ask(GET).endsWith("\n\ncopy"));
            Files.delete(copy);
            assertTrue(proxy.ask(GET).startsWith("HTTP/1.1 502 "));
        }
    }

    // ---- defects

    /** Settings of the servers were read under another name, and had no effect. */
    @Test
    void d6TimeoutsOfTheServersHaveAnEffect() throws Exception {
        var clock = ManualClock.belowZero();
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.awaitEnd();
                                });
                var proxy =
                        new ProxyServer(
                                transport,
                                Upstream.of(
                                        s -> s.responseTimeout(Duration.ofSeconds(1)), fake.url()),
                                c -> c.clock(clock),
                                o -> {});
                RawClient client = proxy.client().send(GET)) {
            fake.next();
            clock.advance(Duration.ofMillis(1200));
            assertTrue(client.response().startsWith("HTTP/1.1 504 "));
        }
    }

    @Test
    void d6LimitsOfConnectionsHaveAnEffect() throws Exception {
        var first = new CountDownLatch(1);
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    while (!peer.request().isEmpty()) {
                                        first.await();
                                        peer.send(OK);
                                    }
                                });
                var proxy =
                        new ProxyServer(
                                transport, Upstream.of(s -> s.maxConnections(1), fake.url()));
                RawClient one = proxy.client().send(GET);
                RawClient two = proxy.client()) {
            fake.next();
            two.send(GET);
            ProxyServer.await("a request that waits", () -> proxy.upstream.stats().waiting() == 1);
            assertTrue(fake.requests.isEmpty());
            first.countDown();
            assertTrue(one.response().endsWith("ok"));
            assertTrue(two.response().endsWith("ok"));
            assertEquals(1, fake.accepted.get());
        }
    }

    /** Each request with a body once had this, and waited three seconds for a response to it. */
    @Test
    void d20NoExpectationIsAdded() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.note(peer.read(4)); // nobody has said 100
                                    peer.send(OK);
                                });
                var proxy = proxy(fake)) {
            String response = proxy.ask("POST / HTTP/1.1\nHost: a\nContent-Length: 4\n\nbody");
            assertTrue(response.endsWith("ok"), response);
            assertFalse(fake.next().toLowerCase().contains("expect"));
            assertEquals("body", fake.next());
        }
    }

    /** It was looked up, on the thread of all connections. */
    @Test
    void d20AnAddressIsNotTurnedIntoAName() throws Exception {
        try (var fake = FakeUpstream.responding(OK);
                var proxy =
                        new ProxyServer(
                                transport,
                                Upstream.of(fake.url()),
                                c -> {},
                                o -> o.host(Proxy.HOST_OF_SERVER))) {
            proxy.ask(GET);
            assertTrue(fake.next().contains("\nHost: 127.0.0.1:" + fake.port() + "\n"));
        }
    }

    /** The client once got the part, and waited for ever. */
    @Test
    void d21ATruncatedResponseResetsTheConnection() throws Exception {
        var received = new CountDownLatch(1);
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send("HTTP/1.1 200 OK\nContent-Length: 10\n\npart");
                                    received.await();
                                });
                var proxy = proxy(fake);
                RawClient client = proxy.client().send(GET)) {
            client.until("part");
            received.countDown();
            assertEquals("<reset>", client.end());
        }
    }

    /** The buffer of a client that had left once went to another while it was written to. */
    @Test
    void d21AClientThatLeavesTakesNothingFromOthers() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    String head = peer.request();
                                    if (head.startsWith("GET /a ")) {
                                        peer.send("HTTP/1.1 200 OK\nContent-Length: 10\n\npart");
                                        peer.awaitEnd();
                                    } else {
                                        peer.send(OK);
                                    }
                                });
                var proxy = proxy(fake)) {
            for (int i = 0; i < 20; i++) {
                try (RawClient client = proxy.client().send(GET)) {
                    client.until("part");
                    client.reset();
                }
                String other = proxy.ask(GET.replace("/a", "/b"));
                assertTrue(other.endsWith("\n\nok"), other);
            }
            for (int i = 0; i < 40; i++) {
                assertEquals("played", fake.ends.take());
            }
            proxy.awaitQuiet();
        }
    }
}
