// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.openssl.OpenSsl;
import io.sirocco.testkit.Certificates.Pair;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/**
 * Memory of OpenSSL is not the garbage collector's: it must come back whenever a connection ends,
 * in whatever state. An engine holds no descriptor.
 */
@Tag("peers")
@OnEachTransport
class OpenSslLifeTest {
    private static final int MANY = 100; // at a time
    private static final int ROUNDS = 2;

    @Parameter TransportKind transport;
    private final Pair a = TlsFiles.get().pair("a", "EC", "a.test", "localhost");
    private final Tls tls =
            Tls.of(
                    s ->
                            s.certificate(a.chain(), a.key())
                                    .handshakeTimeout(Duration.ofSeconds(5))
                                    .engines(new OpenSsl()));
    private final ManualClock clock = new ManualClock();
    private Rig rig;
    private Listener listener;

    @BeforeEach
    void start() throws IOException {
        assertEquals(0, OpenSsl.alive(), "of the test before");
        rig = new Rig(transport);
        rig.start(s -> s.loops(1).clock(clock));
        listener = listen(c -> new Echo());
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    private Listener listen(Acceptor acceptor) throws IOException {
        return rig.listen(
                options -> options.tls(tls).plainTextResponse("TLS!".getBytes()), acceptor);
    }

    private interface Step {
        void on(TlsPeer peer) throws Exception;
    }

    /** Many connections at a time come so far, and end so. */
    private void many(Step comes, Step ends) throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            once(comes, ends);
        }
    }

    private void once(Step comes, Step ends) throws Exception {
        int before = Rig.openDescriptors();
        var peers = new ArrayList<TlsPeer>();
        for (int i = 0; i < MANY; i++) {
            TlsPeer peer = TlsPeer.to(listener);
            peers.add(peer);
            peer.peer.channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            comes.on(peer);
        }
        Rig.until("all have an engine", () -> OpenSsl.alive() == MANY);
        for (TlsPeer peer : peers) {
            ends.on(peer);
        }
        nothingIsLeft();
        for (TlsPeer peer : peers) {
            peer.close();
        }
        Rig.until("all descriptors are closed", () -> Rig.openDescriptors() <= before);
    }

    private void nothingIsLeft() {
        Rig.until("all are gone", () -> rig.stats().connections() == 0);
        Rig.until("all is freed", () -> OpenSsl.alive() == 0);
        assertEquals(0, Rig.ask(rig.loop(), rig.loop().chunks::lent), "chunks come back");
        assertTrue(rig.failures.isEmpty(), rig.failures::toString);
    }

    private static byte[] hello(TlsPeer peer) throws IOException {
        peer.engine.beginHandshake();
        return peer.record(ByteBuffer.allocate(0));
    }

    // ---- before the handshake is done

    @Test
    void silentAndReset() throws Exception {
        many(peer -> {}, peer -> peer.peer.reset());
    }

    @Test
    void silentAndClosed() throws Exception {
        many(peer -> {}, TlsPeer::close);
    }

    @Test
    void halfAHelloAndReset() throws Exception {
        many(
                peer -> {
                    byte[] hello = hello(peer);
                    peer.peer.send(hello, 0, hello.length / 2);
                },
                peer -> peer.peer.reset());
    }

    @Test
    void helloAndReset() throws Exception {
        many(
                peer -> {
                    peer.sendRaw(hello(peer));
                    peer.nextHeader(); // it was answered
                },
                peer -> peer.peer.reset());
    }

    @Test
    void helloAndEnd() throws Exception {
        many(peer -> peer.sendRaw(hello(peer)), peer -> peer.peer.end());
    }

    @Test
    void silentAndLate() throws Exception {
        many(
                peer -> peer.sendRaw(hello(peer)),
                peer -> {
                    clock.advance(7_000);
                    peer.peer.readAll();
                });
    }

    @Test
    void refused() throws Exception {
        many(
                peer -> {},
                peer -> {
                    peer.sendRaw(new byte[] {22, 3, 1, 0, 2, 1, 0, 9});
                    peer.peer.end().readAll();
                });
    }

    @Test
    void text() throws Exception {
        many(peer -> {}, peer -> peer.peer.send("GET / HTTP/1.1\r\n\r\n").end().readAll());
    }

    // ---- after it

    @Test
    void openAndReset() throws Exception {
        many(TlsPeer::shakeHands, peer -> peer.peer.reset());
    }

    @Test
    void openAndCut() throws Exception {
        many(TlsPeer::shakeHands, peer -> peer.peer.end());
    }

    @Test
    void openAndClosedInOrder() throws Exception {
        many(TlsPeer::shakeHands, peer -> peer.closeNotify().peer.end().readAll());
    }

    @Test
    void openAndTamperedWith() throws Exception {
        many(
                TlsPeer::shakeHands,
                peer -> {
                    peer.sendRaw(
                            new byte[] {
                                23, 3, 3, 0, 20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                16, 17, 18, 19, 20
                            });
                    peer.peer.end().readAll();
                });
    }

    @Test
    void openAndAborted() throws Exception {
        var connections = new ArrayList<Connection>(); // the loop's own
        listener =
                listen(
                        c -> {
                            connections.add(c);
                            return new Echo();
                        });
        Runnable abort =
                () -> {
                    connections.forEach(Connection::abort);
                    connections.clear();
                };
        many(
                peer -> assertEquals("x", peer.shakeHands().send("x").text(1)),
                peer -> Rig.on(rig.loop(), abort));
    }

    @Test
    void abortedWhileInputIsOpened() throws Exception {
        listener =
                listen(
                        c ->
                                (connection, bytes, from, to) -> {
                                    connection.abort();
                                    return to;
                                });
        many(TlsPeer::shakeHands, peer -> peer.send("x"));
    }

    @Test
    void abortedAsSoonAsItIsOpen() throws Exception {
        listener =
                listen(
                        c -> {
                            c.abort();
                            return new Echo();
                        });
        for (int i = 0; i < MANY; i++) {
            try (var peer = TlsPeer.to(listener)) {
                peer.sendRaw(hello(peer));
                peer.peer.readOnce();
            }
        }
        nothingIsLeft();
    }

    @Test
    void stopped() throws Exception {
        var peers = new ArrayList<TlsPeer>();
        for (int i = 0; i < MANY; i++) {
            TlsPeer peer = TlsPeer.to(listener);
            peers.add(peer);
            if (i % 2 == 0) {
                peer.shakeHands();
            } else {
                peer.sendRaw(hello(peer));
            }
        }
        Rig.until("all have an engine", () -> OpenSsl.alive() == MANY);
        rig.loops().close();
        Rig.until("all is freed", () -> OpenSsl.alive() == 0);
        for (TlsPeer peer : peers) {
            peer.close();
        }
    }

    // ---- what engines of a thread share

    @Test
    void connectionsThatShareALoopDoNotMix() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<String>>();
            for (int i = 0; i < 40; i++) {
                String version = i % 2 == 0 ? "TLSv1.2" : "TLSv1.3";
                String own = ("I am number " + i + ". ").repeat(3_000);
                int piece = 100 + 37 * i;
                Callable<String> client =
                        () -> {
                            try (var peer = TlsPeer.to(listener, version)) {
                                peer.piece = piece;
                                peer.shakeHands();
                                Thread sender =
                                        peer.sending(
                                                own.getBytes(
                                                        java.nio.charset.StandardCharsets
                                                                .ISO_8859_1));
                                String echo = peer.text(own.length());
                                sender.join();
                                return echo.equals(own) ? "" : echo;
                            }
                        };
                all.add(threads.submit(client));
            }
            var wrong = new ArrayList<String>();
            for (Future<String> each : all) {
                wrong.add(each.get());
            }
            assertEquals(List.of(""), wrong.stream().distinct().toList());
        }
        nothingIsLeft();
    }
}
