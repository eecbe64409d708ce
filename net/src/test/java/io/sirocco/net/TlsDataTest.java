// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.transport.Transport;
import io.sirocco.testkit.Certificates.Pair;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Over TLS a connection is what it is without: every byte, back-pressure, every end. */
@OnEachTransport
class TlsDataTest {
    private static final String[] VERSIONS = {"TLSv1.2", "TLSv1.3"};

    @Parameter TransportKind transport;
    private final Pair a = TlsFiles.get().pair("a", "EC", "a.test", "localhost");
    private final Tls tls = tls(s -> s.certificate(a.chain(), a.key()));
    private Rig rig;

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    /** Whose engines are tested: a module with others runs the same tests over them. */
    Optional<TlsEngines.Kind> engines() {
        return Optional.empty();
    }

    private Tls tls(Consumer<TlsSettings> configure) {
        return Tls.of(
                s -> {
                    configure.accept(s);
                    engines().ifPresent(s::engines);
                });
    }

    private Listener listen(Acceptor acceptor) throws IOException {
        return rig.listen(options -> options.tls(tls), acceptor);
    }

    /** Nothing of ours is left behind. */
    private void allComesBack() {
        Rig.until("it is gone", () -> rig.stats().connections() == 0);
        assertEquals(0, Rig.ask(rig.loop(), rig.loop().chunks::lent), "chunks come back");
    }

    // ---- bytes

    @Test
    void manyBytesBothWays() throws Exception {
        Listener listener = listen(c -> new Echo());
        byte[] bytes = Rig.pattern(8 << 20);
        for (String version : VERSIONS) {
            try (var peer = TlsPeer.to(listener, version)) {
                peer.shakeHands();
                Thread sender = peer.sending(bytes);
                assertArrayEquals(bytes, peer.read(bytes.length), version);
                sender.join();
            }
        }
        allComesBack();
    }

    @Test
    void recordsOfEverySize() throws Exception {
        Listener listener = listen(c -> new Echo());
        try (var peer = TlsPeer.to(listener)) {
            peer.shakeHands();
            for (int size :
                    new int[] {1, 2, 1000, 4096, 16319, 16320, 16321, 16383, 16384, 40000}) {
                byte[] bytes = Rig.pattern(size);
                assertArrayEquals(bytes, peer.send(bytes).read(size));
            }
        }
    }

    @Test
    void recordsCutAtEveryByte() throws Exception {
        try (var peer = TlsPeer.to(listen(c -> new Echo()))) {
            peer.shakeHands();
            byte[] text = "0123456789".getBytes();
            for (int cut = 1, length = 2; cut < length; cut++) {
                byte[] record = peer.record(ByteBuffer.wrap(text));
                length = record.length;
                peer.sendRaw(Arrays.copyOf(record, cut));
                Rig.settle(rig.loop());
                peer.sendRaw(Arrays.copyOfRange(record, cut, length));
                assertEquals("0123456789", peer.text(10), "cut at " + cut);
            }
        }
    }

    @Test
    void whatIsWrittenInATurnIsOneRecord() throws Exception {
        Acceptor three =
                c -> {
                    Probe.write(c, "one ");
                    c.writeStable(new byte[8000], 0, 8000);
                    Probe.write(c, "three");
                    return new Echo();
                };
        try (var peer = TlsPeer.to(listen(three), "TLSv1.2")) {
            peer.shakeHands();
            var network = ByteBuffer.wrap(peer.nextHeader());
            assertEquals(23, network.get(0), "application data");
            int length = network.getShort(3);
            assertTrue(length >= 8009 && length < 8009 + 32, "of " + length);
        }
    }

    @Test
    void aSlowReaderIsNotReadAhead() throws Exception {
        var opened = new CompletableFuture<Connection>();
        byte[] bytes = Rig.pattern(12 << 20);
        Acceptor echo =
                c -> {
                    opened.complete(c);
                    return new Echo();
                };
        Listener listener = listen(echo);
        try (var peer = TlsPeer.small(listener)) {
            peer.shakeHands();
            Thread sender = peer.sending(bytes);
            Connection connection = Rig.get(opened);
            Rig.until(
                    "it reads no more",
                    () ->
                            Rig.ask(rig.loop(), connection::bufferedInput)
                                    >= Connection.MAX_BUFFERED_INPUT);
            long unsent = Rig.ask(rig.loop(), connection::unsent);
            assertTrue(unsent < 8 << 20, () -> unsent + " unsent");
            peer.peer.widen();
            assertArrayEquals(bytes, peer.read(bytes.length));
            sender.join();
        }
        allComesBack();
    }

    @Test
    void suspendedInputIsKeptAndBounded() throws Exception {
        var probe = new Probe();
        Acceptor suspended =
                c -> {
                    c.suspend();
                    return probe.accept(c);
                };
        try (var peer = TlsPeer.to(listen(suspended))) {
            peer.shakeHands();
            byte[] bytes = Rig.pattern(12 << 20);
            Thread sender = peer.sending(bytes);
            Connection connection = probe.connection();
            Rig.until(
                    "it is full",
                    () ->
                            Rig.ask(rig.loop(), connection::bufferedInput)
                                    >= Connection.MAX_BUFFERED_INPUT);
            Rig.settle(rig.loop());
            assertTrue(
                    Rig.ask(rig.loop(), connection::bufferedInput)
                            <= Transport.MAX_RECEIVED_PER_TURN + Connection.MAX_BUFFERED_INPUT);
            assertEquals(0, probe.inputLength());
            Rig.on(rig.loop(), connection::resume);
            Rig.until("all is here", () -> probe.inputLength() == bytes.length);
            assertArrayEquals(bytes, probe.inputBytes());
            sender.join();
        }
    }

    @Test
    void bandwidthCountsWhatTravels() throws Exception {
        var bucket = RateLimiter.perSecond(1 << 20);
        Acceptor paced =
                c -> {
                    c.limitRates(java.util.List.of(), java.util.List.of(bucket));
                    c.writeStable(Rig.pattern(300_000), 0, 300_000);
                    c.finish();
                    return new Echo();
                };
        try (var peer = TlsPeer.to(listen(paced))) {
            assertArrayEquals(Rig.pattern(300_000), peer.shakeHands().read(300_000));
        }
    }

    // ---- ends

    @Test
    void finishSaysSo() throws Exception {
        for (String version : VERSIONS) {
            var probe = new Probe();
            Acceptor brief =
                    c -> {
                        Probe.write(c, "bye");
                        c.finish();
                        return probe.accept(c);
                    };
            try (var peer = TlsPeer.to(listen(brief), version)) {
                assertEquals("bye", peer.shakeHands().allText(), version);
                assertFalse(peer.wasCut(), version);
                assertTrue(peer.engine.isInboundDone());
                peer.closeNotify();
                peer.hangUp();
            }
            assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        }
        allComesBack();
    }

    @Test
    void abortDoesNot() throws Exception {
        var probe = new Probe();
        try (var peer = TlsPeer.to(listen(probe))) {
            peer.shakeHands();
            Connection connection = probe.connection();
            Rig.on(rig.loop(), connection::abort);
            assertEquals("", peer.allText());
            assertTrue(peer.wasCut());
        }
        assertEquals(CloseCause.ABORTED, Rig.get(probe.closed));
    }

    @Test
    void thePeerEndsInOrder() throws Exception {
        for (String version : VERSIONS) {
            var probe = new Probe();
            try (var peer = TlsPeer.to(listen(probe), version)) {
                peer.shakeHands().send("all").closeNotify();
                Rig.get(probe.ended);
                assertEquals("all", probe.input());
                assertEquals("", peer.allText());
                assertFalse(peer.wasCut(), version);
                peer.hangUp();
            }
            assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        }
    }

    @Test
    void aHalfClosedPeerIsStillAnswered() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public void ended(Connection c) {
                        write(c, "you said " + input());
                        c.finish();
                    }
                };
        try (var peer = TlsPeer.to(listen(probe), "TLSv1.3")) {
            peer.shakeHands().send("all").closeNotify();
            assertEquals("you said all", peer.allText());
            assertFalse(peer.wasCut());
        }
    }

    @Test
    void inTls12AnEndIsTheEnd() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public void ended(Connection c) {
                        write(c, "too late");
                    }
                };
        try (var peer = TlsPeer.to(listen(probe), "TLSv1.2")) {
            peer.shakeHands().closeNotify();
            assertEquals("", peer.allText());
            assertFalse(peer.wasCut());
        }
        assertEquals(CloseCause.TLS_FAILED, Rig.get(probe.closed));
        allComesBack();
    }

    // ---- our side ends first

    /** Ends its output as soon as it has input. */
    private static final class EndsOutput extends Probe {
        @Override
        public int received(Connection c, byte[] bytes, int from, int to) {
            boolean first = inputLength() == 0;
            super.received(c, bytes, from, to);
            if (first) {
                write(c, c.canHalfClose() ? "last" : "final");
                c.endOutput();
            }
            return to;
        }

        @Override
        public void ended(Connection c) {
            ended.complete(null); // it closes by itself
        }
    }

    @Test
    void ourEndIsAnAlertBehindWhichThePeerSendsOn() throws Exception {
        var probe = new EndsOutput();
        byte[] bytes = Rig.pattern(1 << 20);
        try (var peer = TlsPeer.to(listen(probe), "TLSv1.3")) {
            peer.shakeHands().send("a");
            assertEquals("last", peer.allText());
            assertFalse(peer.wasCut());
            peer.send(bytes).closeNotify();
            assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
            assertEquals(1 + bytes.length, probe.inputLength());
            assertTrue(probe.ended.isDone());
        }
        allComesBack();
    }

    @Test
    void aCutBehindOurEndIsNoEnd() throws Exception {
        var probe = new EndsOutput();
        try (var peer = TlsPeer.to(listen(probe), "TLSv1.3")) {
            peer.shakeHands().send("a");
            assertEquals("last", peer.allText());
            peer.send("b").peer.end();
            assertEquals(CloseCause.TRUNCATED, Rig.get(probe.closed));
            assertFalse(probe.ended.isDone());
        }
        allComesBack();
    }

    /** RFC 5246 7.2.1. */
    @Test
    void inTls12OurEndIsTheEndOfBoth() throws Exception {
        var probe = new EndsOutput();
        try (var peer = TlsPeer.to(listen(probe), "TLSv1.2")) {
            peer.shakeHands().send("a");
            assertEquals("final", peer.allText());
            assertFalse(peer.wasCut());
            assertFalse(Rig.ask(rig.loop(), probe.connection()::isOpen));
        }
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        allComesBack();
    }

    @Test
    void aPeerThatHasEndedReadsAsLongAsWeLike() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public void ended(Connection c) {
                        ended.complete(null);
                    }
                };
        try (var peer = TlsPeer.to(listen(probe), "TLSv1.3")) {
            peer.shakeHands().send("all").closeNotify();
            Rig.get(probe.ended);
            for (int i = 0; i < 3; i++) {
                Rig.settle(rig.loop());
                Rig.on(rig.loop(), () -> Probe.write(probe.connection(), "more"));
                assertEquals("more", peer.text(4));
            }
            assertEquals(0, Rig.ask(rig.loop(), probe.connection()::unsent));
            Rig.on(rig.loop(), probe.connection()::endOutput);
            assertEquals("", peer.allText());
            assertFalse(peer.wasCut());
        }
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        allComesBack();
    }

    @Test
    void aTruncatedStreamIsNoEnd() throws Exception {
        for (String version : VERSIONS) {
            var probe = new Probe();
            try (var peer = TlsPeer.to(listen(probe), version)) {
                peer.shakeHands().send("not all");
                peer.peer.end();
                assertEquals(CloseCause.TRUNCATED, Rig.get(probe.closed), version);
                assertFalse(probe.ended.isDone());
            }
        }
        allComesBack();
    }

    @Test
    void aTamperedRecord() throws Exception {
        for (String version : VERSIONS) {
            var probe = new Probe();
            try (var peer = TlsPeer.to(listen(probe), version)) {
                peer.shakeHands().send("first");
                byte[] record = peer.record(ByteBuffer.wrap("second".getBytes()));
                record[record.length - 1] ^= 1;
                peer.sendRaw(record);
                var failure =
                        org.junit.jupiter.api.Assertions.assertThrows(
                                javax.net.ssl.SSLException.class, () -> peer.read(1));
                assertTrue(failure.getMessage().contains("bad_record_mac"), failure::getMessage);
                peer.hangUp();
            }
            assertEquals(CloseCause.TLS_FAILED, Rig.get(probe.closed));
            assertEquals("first", probe.input());
        }
        allComesBack();
    }

    @Test
    void anOversizedRecord() throws Exception {
        var probe = new Probe();
        try (var peer = TlsPeer.to(listen(probe))) {
            peer.shakeHands().sendRaw(new byte[] {23, 3, 3, 0x41, 1, 0, 0});
            peer.peer.readAll();
            peer.hangUp();
        }
        assertEquals(CloseCause.TLS_FAILED, Rig.get(probe.closed));
    }

    @Test
    void renegotiationIsRefused() throws Exception {
        var probe = new Probe();
        try (var peer = TlsPeer.to(listen(probe), "TLSv1.2")) {
            peer.shakeHands().send("first");
            Rig.until("it is here", () -> probe.inputLength() == 5);
            peer.engine.beginHandshake();
            peer.sendRaw(peer.record(ByteBuffer.allocate(0)));
            peer.peer.readAll();
            peer.hangUp();
        }
        assertEquals(CloseCause.TLS_FAILED, Rig.get(probe.closed));
        allComesBack();
    }

    @Test
    void keysAreRenewed() throws Exception {
        try (var peer = TlsPeer.to(listen(c -> new Echo()), "TLSv1.3")) {
            peer.shakeHands();
            for (int i = 0; i < 5; i++) {
                peer.engine.beginHandshake(); // in TLS 1.3: a key update
                assertEquals("after it", peer.send("after it").text(8));
            }
        }
    }

    @Test
    void emptyRecordsWithoutEnd() throws Exception {
        var probe = new Probe();
        try (var peer = TlsPeer.to(listen(probe), "TLSv1.3")) {
            peer.shakeHands();
            for (int i = 0; i < 200; i++) {
                peer.engine.beginHandshake();
                byte[] update = peer.record(ByteBuffer.allocate(0));
                try {
                    peer.sendRaw(update);
                } catch (java.io.UncheckedIOException e) {
                    break; // it has heard enough
                }
            }
            while (!peer.peer.over()) {
                // it renews its keys, too, and then says why it ends
            }
        }
        assertEquals(CloseCause.TLS_FAILED, Rig.get(probe.closed));
        allComesBack();
    }

    @Test
    void aResetInTheMiddle() throws Exception {
        var probe = new Probe();
        Acceptor writes =
                c -> {
                    c.writeStable(new byte[8 << 20], 0, 8 << 20);
                    return probe.accept(c);
                };
        var peer = TlsPeer.to(listen(writes));
        peer.shakeHands();
        probe.connection();
        peer.peer.reset();
        assertEquals(CloseCause.RESET, Rig.get(probe.closed));
        allComesBack();
    }

    @Test
    void theLoopsStopInTheMiddle() throws Exception {
        var probe = new Probe();
        Loops loops = rig.start(s -> s.loops(1));
        Acceptor writes =
                c -> {
                    c.writeStable(new byte[8 << 20], 0, 8 << 20);
                    return probe.accept(c);
                };
        try (var peer = TlsPeer.to(loops.listen(Rig.anyPort(), o -> o.tls(tls), writes))) {
            peer.shakeHands();
            probe.connection();
            loops.close();
            assertEquals(CloseCause.STOPPED, Rig.get(probe.closed));
        }
    }

    @Test
    void withoutClientCertificatesNobodyIsAsked() throws Exception {
        var probe = new Probe();
        var peer =
                new TlsPeer(
                        rig.connect(listen(probe)),
                        TlsFiles.get().clientContext(Optional.of(TlsFiles.get().client("carol"))),
                        p -> {});
        peer.shakeHands();
        assertTrue(probe.connection().tls().orElseThrow().peerCertificates().isEmpty());
    }
}
