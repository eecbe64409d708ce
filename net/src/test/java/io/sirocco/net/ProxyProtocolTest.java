// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.Certificates.Pair;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HexFormat;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** A listener behind a proxy that says for whom it connects, before TLS and all else. */
@OnEachTransport
class ProxyProtocolTest {
    private static final String LINE = "PROXY TCP4 192.0.2.7 192.0.2.1 51234 443\r\n";
    private static final String BINARY =
            new String(
                    HexFormat.of()
                            .parseHex(
                                    "0D0A0D0A000D0A515549540A2111000FC0000207C0000201C82201BB040000"),
                    ISO_8859_1);
    private static final SocketAddress CLIENT = new InetSocketAddress("192.0.2.7", 51234);
    private static final Predicate<SocketAddress> ALL = peer -> true;

    @Parameter TransportKind transport;
    private final Pair pair = TlsFiles.get().pair("a", "EC", "a.test", "localhost");
    private Rig rig;

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    /** Says who is there, and echoes. */
    private static Protocol teller(Connection connection) {
        String both =
                connection.remote() + " by " + (connection.peer() instanceof InetSocketAddress);
        Probe.write(connection, both + "\n");
        return new Echo();
    }

    private static final String TOLD = CLIENT + " by true\n";

    private Listener listen(Consumer<Listener.Options> more) throws IOException {
        return rig.listen(
                o -> {
                    o.proxyProtocol(ALL, 20_000);
                    more.accept(o);
                },
                ProxyProtocolTest::teller);
    }

    @Test
    void theClientIsTheOneThatTheProxyNames() throws Exception {
        Listener listener = listen(o -> {});
        for (String header : new String[] {LINE, BINARY}) {
            assertEquals(
                    TOLD + "hello",
                    rig.connect(listener).send(header + "hello").text(TOLD.length() + 5));
        }
    }

    @Test
    void cutAtEveryByte() throws Exception {
        Listener listener = listen(o -> {});
        for (String header : new String[] {LINE, BINARY}) {
            String all = header + "hello";
            for (int i = 1; i < all.length(); i++) {
                Peer peer = rig.connect(listener).send(all.substring(0, i));
                Rig.settle(rig.loop());
                peer.send(all.substring(i));
                assertEquals(TOLD + "hello", peer.text(TOLD.length() + 5), "cut at " + i);
                peer.close();
            }
        }
    }

    @Test
    void theHeaderComesBeforeTls() throws Exception {
        Tls tls = Tls.of(s -> s.certificate(pair.chain(), pair.key()));
        Listener listener = listen(o -> o.tls(tls));
        byte[] bytes = Rig.pattern(100_000);
        for (String header : new String[] {LINE, BINARY}) {
            for (int piece : new int[] {1, 7, Integer.MAX_VALUE}) {
                try (var peer = TlsPeer.to(listener)) {
                    peer.piece = piece;
                    peer.sendRaw(header.getBytes(ISO_8859_1));
                    peer.shakeHands();
                    peer.piece = Integer.MAX_VALUE;
                    assertEquals(TOLD, peer.text(TOLD.length()));
                    Thread sender = peer.sending(bytes);
                    assertArrayEquals(bytes, peer.read(bytes.length));
                    sender.join();
                }
            }
        }
    }

    /** The first record of the handshake in one packet with the header. */
    @Test
    void theHeaderAndTheHandshakeInOnePacket() throws Exception {
        Tls tls = Tls.of(s -> s.certificate(pair.chain(), pair.key()));
        Listener listener = listen(o -> o.tls(tls));
        try (var peer = TlsPeer.to(listener)) {
            peer.engine.beginHandshake();
            byte[] hello = peer.record(java.nio.ByteBuffer.allocate(0));
            byte[] header = BINARY.getBytes(ISO_8859_1);
            byte[] both = java.util.Arrays.copyOf(header, header.length + hello.length);
            System.arraycopy(hello, 0, both, header.length, hello.length);
            peer.sendRaw(both);
            peer.shakeHands();
            assertEquals(TOLD, peer.text(TOLD.length()));
            assertEquals(0, rig.stats().memoryUsed(), "an open connection that is idle");
        }
    }

    @Test
    void aConnectionWithoutAHeaderIsClosedWithoutAWord() throws Exception {
        Listener listener = listen(o -> {});
        assertTrue(rig.connect(listener).send("GET / HTTP/1.1\r\n\r\n").over());
        assertTrue(rig.connect(listener).send(LINE.substring(0, 20)).end().over());
        assertTrue(rig.connect(listener).send("PROXY TCP4 1.2.3 4.5.6.7 1 2\r\n").over());
        assertTrue(rig.connect(listener).send("PROXY " + "x".repeat(5_000)).over());
        assertEquals(TOLD, rig.connect(listener).send(LINE).text(TOLD.length()));
    }

    @Test
    void aHeaderOfAPeerThatIsNotTrustedIsNotEvenRead() throws Exception {
        Listener listener =
                rig.listen(o -> o.proxyProtocol(peer -> false, 20_000), ProxyProtocolTest::teller);
        Peer spoofer = rig.connect(listener);
        assertTrue(spoofer.over());
    }

    @Test
    void aHeaderThatDoesNotComeInTimeIsNotWaitedFor() throws Exception {
        Listener listener = rig.listen(o -> o.proxyProtocol(ALL, 50), ProxyProtocolTest::teller);
        assertTrue(rig.connect(listener).send(LINE.substring(0, 10)).over());
    }

    @Test
    void theHeadersTimeIsNotTheConnections() throws Exception {
        var clock = new ManualClock();
        rig.start(s -> s.loops(1).clock(clock));
        Listener listener = listen(o -> o.proxyProtocol(ALL, 1_000));
        Peer peer = rig.connect(listener).send(LINE);
        assertEquals(TOLD, peer.text(TOLD.length()));
        clock.advance(5_000);
        Rig.settle(rig.loop());
        assertEquals("still", peer.send("still").text(5));
    }

    @Test
    void theClientIsAdmittedAndNotTheProxy() throws Exception {
        Queue<String> told = new ConcurrentLinkedQueue<>();
        var admission =
                new Admission() {
                    @Override
                    public boolean admit(SocketAddress remote) {
                        told.add("came " + remote);
                        return remote.equals(CLIENT);
                    }

                    @Override
                    public void gone(SocketAddress remote) {
                        told.add("went " + remote);
                    }
                };
        Listener listener = listen(o -> o.admission(() -> admission));
        Peer peer = rig.connect(listener);
        assertEquals(TOLD, peer.send(LINE).text(TOLD.length()));
        peer.close();
        Rig.until("it is told", () -> told.size() == 2);
        assertEquals(java.util.List.of("came " + CLIENT, "went " + CLIENT), told.stream().toList());
        assertTrue(rig.connect(listener).send(LINE.replace("2.7", "2.8")).over());
    }

    @Test
    void aProxyThatSpeaksForItselfIsTheClient() throws Exception {
        Listener listener = listen(o -> {});
        Peer peer = rig.connect(listener).send("PROXY UNKNOWN\r\n");
        String told = peer.text(5);
        assertEquals("/127.", told);
        assertNotEquals(TOLD.substring(0, 5), told);
    }
}
