// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Tls;
import io.sirocco.net.TlsClient;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** One side of a tunnel ends, and the other goes on. */
@OnEachTransport
class TunnelHalfCloseTest {
    private static final String UPGRADE =
            "GET / HTTP/1.1\nHost: localhost\nConnection: Upgrade\nUpgrade: websocket\n\n";
    private static final String SWITCH =
            "HTTP/1.1 101 Switching Protocols\nConnection: Upgrade\nUpgrade: websocket\n\n";
    private static final int MUCH = 8 << 20;
    private static final byte[] BYTES = new byte[MUCH];

    static {
        new Random(1).nextBytes(BYTES);
    }

    @Parameter TransportKind transport;
    @TempDir static Path folder; // its certificate is made once

    private final ManualClock clock = ManualClock.belowZero();
    private Tls tls;
    private TlsClient trusting;
    private SSLContext context; // of the test's sockets

    @BeforeEach
    void certificate() throws Exception {
        tls = Tls.of(s -> s.selfSigned(folder));
        trusting = TlsClient.trusting(folder.resolve("localhost.pem"));
        char[] password = "sirocco".toCharArray();
        KeyStore store = KeyStore.getInstance(folder.resolve("localhost.p12").toFile(), password);
        store.setCertificateEntry("authority", store.getCertificate(store.aliases().nextElement()));
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
    }

    /** The layers below a tunnel: TLS to the client, to the server, or neither; empty for none. */
    private record Layers(String client, String server) {}

    private static final Layers PLAIN = new Layers("", "");
    private static final Layers[] ALL = {
        PLAIN,
        new Layers("TLSv1.3", ""),
        new Layers("", "TLSv1.3"),
        new Layers("TLSv1.3", "TLSv1.3")
    };

    private FakeUpstream fake(Layers layers, FakeUpstream.Script script) throws IOException {
        return layers.server.isEmpty()
                ? new FakeUpstream(script)
                : new FakeUpstream(secure(layers.server), script);
    }

    private ServerSocket secure(String version) throws IOException {
        var listener =
                (SSLServerSocket)
                        context.getServerSocketFactory()
                                .createServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
        listener.setEnabledProtocols(new String[] {version});
        return listener;
    }

    private ProxyServer proxy(Layers layers, FakeUpstream fake) {
        return proxy(layers, fake, s -> {});
    }

    private ProxyServer proxy(
            Layers layers, FakeUpstream fake, Consumer<UpstreamSettings> settings) {
        Upstream upstream =
                layers.server.isEmpty()
                        ? Upstream.of(settings, fake.url())
                        : Upstream.of(
                                settings.andThen(s -> s.tls(trusting).serverName("localhost")),
                                "https://127.0.0.1:" + fake.port());
        return layers.client.isEmpty()
                ? new ProxyServer(transport, upstream, c -> c.clock(clock), o -> {})
                : new ProxyServer(tls, upstream, c -> c.transport(transport).clock(clock));
    }

    private RawClient client(Layers layers, ProxyServer proxy) throws IOException {
        if (layers.client.isEmpty()) {
            return proxy.client();
        }
        var socket = (SSLSocket) context.getSocketFactory().createSocket();
        socket.setEnabledProtocols(new String[] {layers.client});
        return new RawClient(socket, proxy.server.port(), "127.0.0.1");
    }

    private static void within(CountDownLatch latch) throws InterruptedException {
        assertTrue(latch.await(20, TimeUnit.SECONDS));
    }

    @Test
    void theClientEndsAndReadsTheRest() throws Exception {
        for (Layers layers : ALL) {
            try (FakeUpstream fake =
                            fake(
                                    layers,
                                    peer -> {
                                        peer.request();
                                        peer.send(SWITCH);
                                        peer.note(peer.rest());
                                        peer.send("after ");
                                        peer.out.write(BYTES);
                                    });
                    ProxyServer proxy = proxy(layers, fake);
                    RawClient client = client(layers, proxy).send(UPGRADE)) {
                client.until("\n\n");
                fake.next();
                client.send("question");
                client.socket.shutdownOutput();
                assertEquals("question", fake.next(), layers::toString);
                client.until("after ");
                assertArrayEquals(BYTES, client.socket.getInputStream().readAllBytes());
                assertEquals("played", fake.ends.take());
                proxy.awaitQuiet();
            }
        }
    }

    @Test
    void theServerEndsAndReadsTheRest() throws Exception {
        for (Layers layers : ALL) {
            var read = new CountDownLatch(1);
            try (FakeUpstream fake =
                            fake(
                                    layers,
                                    peer -> {
                                        peer.request();
                                        peer.send(SWITCH + "all");
                                        peer.socket.shutdownOutput();
                                        within(read);
                                        assertArrayEquals(BYTES, peer.in.readNBytes(MUCH));
                                        peer.note(peer.rest());
                                    });
                    ProxyServer proxy = proxy(layers, fake);
                    RawClient client = client(layers, proxy).send(UPGRADE)) {
                client.until("\n\n");
                assertEquals("all<end>", client.end(), layers::toString);
                fake.next();
                read.countDown();
                client.socket.getOutputStream().write(BYTES);
                client.send("and more");
                client.socket.shutdownOutput();
                assertEquals("and more", fake.next());
                assertEquals("played", fake.ends.take());
                proxy.awaitQuiet();
            }
        }
    }

    /** {@code printf ... | nc -N}: its end is there before the response. */
    @Test
    void aClientThatHasEndedBeforeTheTunnelReadsAllOfIt() throws Exception {
        for (Layers layers : ALL) {
            var go = new CountDownLatch(1);
            try (FakeUpstream fake =
                            fake(
                                    layers,
                                    peer -> {
                                        peer.request();
                                        within(go);
                                        peer.send(SWITCH);
                                        peer.note(peer.rest());
                                        peer.send("answer");
                                    });
                    ProxyServer proxy = proxy(layers, fake);
                    RawClient client = client(layers, proxy).send(UPGRADE + "early")) {
                client.socket.shutdownOutput();
                fake.next();
                go.countDown();
                client.until("\n\n");
                assertEquals("early", fake.next(), layers::toString);
                assertEquals("answer<end>", client.end());
                proxy.awaitQuiet();
            }
        }
    }

    @Test
    void bothMayEndAtOnce() throws Exception {
        for (Layers layers : ALL) {
            try (FakeUpstream fake =
                            fake(
                                    layers,
                                    peer -> {
                                        peer.request();
                                        peer.send(SWITCH + "all");
                                        peer.socket.shutdownOutput();
                                        peer.note(peer.rest());
                                    });
                    ProxyServer proxy = proxy(layers, fake);
                    RawClient client = client(layers, proxy).send(UPGRADE + "early")) {
                client.socket.shutdownOutput();
                client.until("\n\n");
                assertEquals("all<end>", client.end(), layers::toString);
                fake.next();
                assertEquals("early", fake.next());
                proxy.awaitQuiet();
            }
        }
    }

    /** RFC 5246 7.2.1: a peer that has ended takes no more. */
    @Test
    void tls12EndsBothSides() throws Exception {
        for (Layers layers : new Layers[] {new Layers("TLSv1.2", ""), new Layers("", "TLSv1.2")}) {
            try (FakeUpstream fake =
                            fake(
                                    layers,
                                    peer -> {
                                        peer.request();
                                        peer.send(SWITCH);
                                        peer.note(peer.rest());
                                    });
                    ProxyServer proxy = proxy(layers, fake);
                    RawClient client = client(layers, proxy).send(UPGRADE)) {
                client.until("\n\n");
                fake.next();
                client.send("last");
                client.socket.shutdownOutput();
                assertEquals("last", fake.next(), layers::toString);
                fake.ends.take();
                proxy.awaitQuiet();
            }
        }
    }

    /** The side that goes on is reset: that is no end of what it has sent. */
    @Test
    void aResetOfTheSideThatGoesOnIsPassedOn() throws Exception {
        var go = new CountDownLatch(1);
        try (FakeUpstream fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send(SWITCH);
                                    peer.note(peer.rest());
                                    peer.send("part");
                                    within(go);
                                    peer.reset();
                                });
                ProxyServer proxy = proxy(PLAIN, fake);
                RawClient client = proxy.client().send(UPGRADE)) {
            client.until("\n\n");
            client.socket.shutdownOutput();
            client.until("part");
            go.countDown();
            assertEquals("<reset>", client.end());
            proxy.awaitQuiet();
        }
    }

    /** The side that has ended does not read any more: the other side learns it when it sends. */
    @Test
    void aResetOfTheSideThatHasEndedStopsTheOther() throws Exception {
        try (FakeUpstream fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send(SWITCH);
                                    peer.note(peer.rest());
                                    while (true) {
                                        peer.out.write(BYTES, 0, 64 << 10);
                                    }
                                });
                ProxyServer proxy = proxy(PLAIN, fake);
                RawClient client = proxy.client().send(UPGRADE)) {
            client.until("\n\n");
            fake.next();
            client.socket.shutdownOutput();
            assertEquals("", fake.next());
            client.reset();
            assertNotEquals("played", fake.ends.take());
            proxy.awaitQuiet();
        }
    }

    /** A clean end would say that the server has sent everything. */
    @Test
    void aHalfClosedTunnelInWhichNothingMovesIsReset() throws Exception {
        var go = new CountDownLatch(1);
        var over = new CountDownLatch(1);
        try (FakeUpstream fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send(SWITCH);
                                    peer.note(peer.rest());
                                    within(go);
                                    peer.send("x");
                                    within(over);
                                });
                ProxyServer proxy =
                        proxy(PLAIN, fake, s -> s.tunnelHalfClosedTimeout(Duration.ofSeconds(30)));
                RawClient client = proxy.client().send(UPGRADE)) {
            client.until("\n\n");
            fake.next();
            client.socket.shutdownOutput();
            assertEquals("", fake.next());
            clock.advance(Duration.ofSeconds(29));
            go.countDown();
            client.until("x");
            clock.advance(Duration.ofSeconds(29));
            assertEquals(1, proxy.upstream.stats().servers().getFirst().tunnels());
            clock.advance(Duration.ofSeconds(2));
            assertEquals("<reset>", client.end());
            over.countDown();
            proxy.awaitQuiet();
        }
    }

    /** A reader that is slow holds the sender back, and the tunnel holds little for it. */
    @Test
    void aHalfClosedTunnelHasBackPressure() throws Exception {
        var sent = new AtomicLong();
        int total = 64 << 20;
        try (FakeUpstream fake =
                        new FakeUpstream(
                                peer -> {
                                    peer.request();
                                    peer.send(SWITCH);
                                    peer.note(peer.rest());
                                    var piece = new byte[64 << 10];
                                    for (int i = 0; i < total; i += piece.length) {
                                        peer.out.write(piece);
                                        sent.addAndGet(piece.length);
                                    }
                                });
                ProxyServer proxy = proxy(PLAIN, fake);
                RawClient client = proxy.client().send(UPGRADE)) {
            client.until("\n\n");
            fake.next();
            client.socket.shutdownOutput();
            fake.next();
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
            assertTrue(sent.get() < total, "sent " + sent.get());
            long held = proxy.server.stats().getFirst().net().memoryUsed();
            assertTrue(held > 0 && held < 8 << 20, "holds " + held);
            long read = client.socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            assertEquals(total, read);
            proxy.awaitQuiet();
        }
    }
}
