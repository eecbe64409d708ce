// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.WebSocket;
import io.sirocco.http.WebSocketClient;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Upgrades, and the tunnels behind them. */
@OnEachTransport
class ProxyUpgradeTest {
    private static final String UPGRADE =
            """
            GET /chat HTTP/1.1
            Host: a
            Connection: keep-alive, Upgrade
            Upgrade: websocket
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
            Sec-WebSocket-Version: 13

            """;
    private static final String SWITCH =
            """
            HTTP/1.1 101 Switching Protocols
            Connection: Upgrade
            Upgrade: websocket
            Trailer: of-nothing
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=

            """;

    @Parameter TransportKind transport;

    private final ManualClock clock = ManualClock.belowZero();

    private ProxyServer proxy(String url) {
        return new ProxyServer(transport, Upstream.of(url));
    }

    private static String bare(String response) {
        return response.replaceAll("(?m)^(Date|Server): .*\n", "");
    }

    @Test
    void anUpgradeIsForwardedAndBytesPassBothWays() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send(SWITCH + "hello");
                                    peer.note(peer.read(9));
                                    peer.send(" again");
                                    peer.awaitEnd();
                                });
                ProxyServer proxy = proxy(fake.url());
                RawClient client = proxy.client().send(UPGRADE + "early")) {
            assertEquals(
                    """
                    GET /chat HTTP/1.1
                    Host: a
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
                    Sec-WebSocket-Version: 13
                    X-Forwarded-For: 127.0.0.1
                    X-Forwarded-Proto: http
                    X-Forwarded-Host: a
                    Via: 1.1 sirocco
                    Upgrade: websocket
                    Connection: Upgrade

                    """,
                    fake.next());
            assertEquals(
                    """
                    HTTP/1.1 101 Switching Protocols
                    Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=
                    Via: 1.1 sirocco
                    Connection: Upgrade
                    Upgrade: websocket

                    """,
                    bare(client.until("\n\n")));
            assertEquals("hello", client.until("hello"));
            client.send("late");
            assertEquals("earlylate", fake.next());
            assertEquals(" again", client.until(" again"));
            assertEquals("101 1", proxy.next());
            assertEquals(1, proxy.upstream.stats().servers().getFirst().tunnels());
            client.socket.shutdownOutput();
            assertEquals("played", fake.ends.take());
            assertEquals("<end>", client.end());
            proxy.awaitQuiet();
        }
    }

    @Test
    void anEndOfTheServerAndAResetArePassedOn() throws Exception {
        for (boolean reset : new boolean[] {false, true}) {
            try (var fake =
                            new FakeUpstream(
                                    peer -> {
                                        peer.request();
                                        peer.send(SWITCH + "last");
                                        if (reset) {
                                            peer.read(1);
                                            peer.reset();
                                        }
                                    });
                    ProxyServer proxy = proxy(fake.url());
                    RawClient client = proxy.client().send(UPGRADE)) {
                client.until("\n\n");
                client.until("last");
                if (reset) {
                    client.send("x");
                }
                assertEquals(reset ? "<reset>" : "<end>", client.end());
                client.socket.close();
                proxy.awaitQuiet();
            }
        }
    }

    @Test
    void aResetOfTheClientIsPassedOn() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send(SWITCH);
                                    peer.awaitEnd();
                                });
                ProxyServer proxy = proxy(fake.url());
                RawClient client = proxy.client().send(UPGRADE)) {
            client.until("\n\n");
            client.reset();
            assertTrue(fake.ends.take().contains("reset"));
            proxy.awaitQuiet();
        }
    }

    @Test
    void anyOtherResponseIsAnOrdinaryOne() throws Exception {
        try (var fake = FakeUpstream.responding("HTTP/1.1 403 No\nContent-Length: 3\n\nno!");
                ProxyServer proxy = proxy(fake.url());
                RawClient client = proxy.client()) {
            for (int i = 0; i < 2; i++) {
                String response = client.send(UPGRADE).response();
                assertTrue(response.startsWith("HTTP/1.1 403 Forbidden\n"), response);
                assertTrue(response.endsWith("\n\nno!"), response);
            }
            assertEquals(1, fake.accepted.get());
            proxy.awaitQuiet();
        }
    }

    /** RFC 9110 7.8; and h2c would bypass the routes. */
    @Test
    void otherProtocolsAndHttp10AreForwardedWithoutAnUpgrade() throws Exception {
        try (var fake = FakeUpstream.responding("HTTP/1.1 200 OK\nContent-Length: 2\n\nok");
                ProxyServer proxy = proxy(fake.url())) {
            for (String request :
                    new String[] {
                        UPGRADE.replace("websocket", "h2c"),
                        UPGRADE.replace("HTTP/1.1", "HTTP/1.0"),
                        UPGRADE.replace("keep-alive, Upgrade", "close")
                    }) {
                assertTrue(proxy.ask(request).startsWith("HTTP/1.1 200 OK\n"));
                assertFalse(fake.next().contains("Upgrade"));
            }
            proxy.ask(UPGRADE.replace("websocket", "h2c, WebSocket"));
            assertTrue(fake.next().contains("\nUpgrade: WebSocket\nConnection: Upgrade\n"));
        }
    }

    @Test
    void aTunnelInWhichNothingMovesIsClosed() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send(SWITCH);
                                    peer.note(peer.read(1));
                                    peer.awaitEnd();
                                });
                var proxy =
                        new ProxyServer(
                                transport,
                                Upstream.of(
                                        s -> s.tunnelIdleTimeout(Duration.ofMinutes(5)),
                                        fake.url()),
                                c -> c.clock(clock),
                                o -> {});
                RawClient client = proxy.client().send(UPGRADE)) {
            client.until("\n\n");
            fake.next();
            clock.advance(Duration.ofMinutes(4));
            client.send("x");
            assertEquals("x", fake.next());
            clock.advance(Duration.ofMinutes(4));
            assertTrue(fake.ends.isEmpty());
            clock.advance(Duration.ofMinutes(2));
            client.end();
            assertTrue(fake.ends.take() != null);
            proxy.awaitQuiet();
        }
    }

    /** A tunnel may be idle for days, and there may be a million. */
    @Test
    void anIdleTunnelRefersToNothingOfItsRequest() throws Exception {
        try (var fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send(SWITCH);
                                    peer.awaitEnd();
                                });
                ProxyServer proxy = proxy(fake.url());
                RawClient client = proxy.client().send(UPGRADE)) {
            client.until("\n\n");
            assertEquals("101 1", proxy.next());
            ProxyServer.await(
                    "the request to be collected",
                    () -> {
                        System.gc();
                        return proxy.last.get() == null;
                    });
        }
    }

    // ---- WebSockets of our own on both sides

    private Server echo(AtomicLong received, CountDownLatch go) {
        return Server.start(
                c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                r ->
                        r.get(
                                "/echo",
                                q ->
                                        Response.webSocket(
                                                socket -> {
                                                    go.await();
                                                    while (true) {
                                                        switch (socket.receive()) {
                                                            case WebSocket.Text(String text) ->
                                                                    socket.send(text);
                                                            case WebSocket.Binary(byte[] bytes) ->
                                                                    received.addAndGet(
                                                                            bytes.length);
                                                            default -> {
                                                                return;
                                                            }
                                                        }
                                                    }
                                                })));
    }

    @Test
    void aWebSocketPassesWithBackPressure() throws Exception {
        var received = new AtomicLong();
        var go = new CountDownLatch(1);
        BlockingQueue<String> texts = new LinkedBlockingQueue<>();
        try (Server behind = echo(received, go);
                ProxyServer proxy = proxy("http://127.0.0.1:" + behind.port());
                WebSocketClient client = WebSocketClient.start(c -> {})) {
            var sent = new AtomicLong();
            client.connect(
                            URI.create("ws://127.0.0.1:" + proxy.server.port() + "/echo"),
                            socket -> {
                                var piece = new byte[16 << 10];
                                Arrays.fill(piece, (byte) 7);
                                for (int i = 0; i < 2048; i++) {
                                    socket.send(piece);
                                    sent.addAndGet(piece.length);
                                }
                                socket.send("end");
                                if (socket.receive() instanceof WebSocket.Text(String text)) {
                                    texts.add(text);
                                }
                            })
                    .get(20, TimeUnit.SECONDS);
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
            assertTrue(sent.get() < 2048 << 14, "sent " + sent.get());
            go.countDown();
            assertEquals("end", texts.poll(30, TimeUnit.SECONDS));
            assertEquals(2048 << 14, received.get());
            proxy.awaitQuiet();
        }
    }
}
