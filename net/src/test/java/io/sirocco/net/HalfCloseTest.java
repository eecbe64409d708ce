// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Our side ends first, and the peer's goes on. Over TLS: {@link TlsDataTest}. */
@OnEachTransport
class HalfCloseTest {
    @Parameter TransportKind transport;
    private Rig rig;

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    /** Ends its output as soon as it has input, and notes whether the peer's end was open then. */
    private static class EndsOutput extends Probe {
        @Override
        public int received(Connection c, byte[] bytes, int from, int to) {
            boolean first = inputLength() == 0;
            super.received(c, bytes, from, to);
            if (first) {
                write(c, "last");
                c.endOutput();
            }
            return to;
        }

        @Override
        public void ended(Connection c) {
            ended.complete(null); // it closes by itself
        }
    }

    private void allComesBack() {
        Rig.until("it is gone", () -> rig.stats().connections() == 0);
        assertEquals(0, Rig.ask(rig.loop(), rig.loop().chunks::lent), "chunks come back");
        Rig.on(rig.loop(), rig.loop().chunks::reclaim);
        assertEquals(0, Rig.ask(rig.loop(), () -> rig.loop().memory().used()), "memory");
    }

    @Test
    void thePeerReadsTheEndAndSendsOn() throws Exception {
        var probe = new EndsOutput();
        Peer peer = rig.connect(rig.listen(probe)).send("a");
        assertEquals("last", peer.allText());
        peer.send("b");
        Rig.until("it has come", () -> probe.input().equals("ab"));
        assertTrue(Rig.ask(rig.loop(), probe.connection()::isOpen));
        assertFalse(probe.closed.isDone());
        peer.send("c").end();
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        assertEquals("abc", probe.input());
        assertTrue(probe.ended.isDone());
        allComesBack();
    }

    @Test
    void muchOutputLeavesBeforeTheEndAndMuchInputComesBehindIt() throws Exception {
        byte[] bytes = Rig.pattern(8 << 20);
        var probe =
                new EndsOutput() {
                    @Override
                    public int received(Connection c, byte[] in, int from, int to) {
                        if (inputLength() == 0) {
                            c.write(bytes, 0, bytes.length);
                        }
                        return super.received(c, in, from, to);
                    }
                };
        Peer peer = rig.connect(rig.listen(probe));
        Thread sender = peer.sending(bytes);
        byte[] all = peer.readAll();
        assertEquals(bytes.length + 4, all.length);
        assertArrayEquals(bytes, Arrays.copyOf(all, bytes.length));
        sender.join();
        peer.end();
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        assertArrayEquals(bytes, probe.inputBytes());
        allComesBack();
    }

    @Test
    void whatIsWrittenBehindItIsDiscarded() throws Exception {
        var probe =
                new EndsOutput() {
                    @Override
                    public int received(Connection c, byte[] in, int from, int to) {
                        super.received(c, in, from, to);
                        write(c, "more");
                        c.endOutput();
                        return to;
                    }
                };
        Peer peer = rig.connect(rig.listen(probe)).send("a");
        assertEquals("last", peer.allText());
        peer.send("b").end();
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        allComesBack();
    }

    @Test
    void behindThePeersEndItIsTheEndOfBoth() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public void ended(Connection c) {
                        write(c, "you said " + input());
                        c.endOutput();
                    }
                };
        Peer peer = rig.connect(rig.listen(probe)).send("a").end();
        assertEquals("you said a", peer.allText());
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        allComesBack();
    }

    /** The peer has ended, but a suspended protocol does not know it yet. */
    @Test
    void inputThatIsKeptBackIsStillDelivered() throws Exception {
        var probe = new EndsOutput();
        Peer peer = rig.connect(rig.listen(probe));
        Connection connection = probe.connection();
        Rig.on(rig.loop(), connection::suspend);
        peer.send("kept").end();
        Rig.until("it is kept", () -> Rig.ask(rig.loop(), () -> connection.bufferedInput() == 4));
        Rig.settle(rig.loop());
        Rig.on(rig.loop(), connection::endOutput);
        assertEquals("", peer.allText());
        assertFalse(probe.closed.isDone());
        Rig.on(rig.loop(), connection::resume);
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        assertEquals("kept", probe.input());
        allComesBack();
    }

    @Test
    void aSuspendedConnectionStaysCountedAndPushesBack() throws Exception {
        var probe = new EndsOutput();
        Peer peer = rig.connect(rig.listen(probe)).send("a");
        assertEquals("last", peer.allText());
        Connection connection = probe.connection();
        Rig.on(rig.loop(), connection::suspend);
        byte[] bytes = Rig.pattern(16 << 20);
        Thread sender = peer.sending(bytes);
        Rig.until(
                "it is full",
                () ->
                        Rig.ask(rig.loop(), connection::bufferedInput)
                                >= Connection.MAX_BUFFERED_INPUT);
        assertTrue(
                Rig.ask(rig.loop(), () -> rig.loop().memory().used())
                        >= Connection.MAX_BUFFERED_INPUT);
        Rig.on(rig.loop(), connection::resume);
        sender.join();
        peer.end();
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        assertEquals(bytes.length + 1, probe.inputLength());
        allComesBack();
    }

    @Test
    void aResetOfThePeerIsNoticed() throws Exception {
        var probe = new EndsOutput();
        Peer peer = rig.connect(rig.listen(probe)).send("a");
        assertEquals("last", peer.allText());
        peer.reset();
        assertEquals(CloseCause.RESET, Rig.get(probe.closed));
        assertFalse(probe.ended.isDone());
        allComesBack();
    }

    @Test
    void itsDeadlineIsThatOfTheProtocol() throws Exception {
        var clock = new ManualClock();
        rig.start(s -> s.loops(1).clock(clock));
        var expired = new CompletableFuture<Void>();
        var probe =
                new EndsOutput() {
                    @Override
                    public void expired(Connection c) {
                        expired.complete(null);
                        c.abort();
                    }
                };
        Peer peer = rig.connect(rig.listen(probe)).send("a");
        assertEquals("last", peer.allText());
        Rig.on(rig.loop(), () -> probe.connection().deadline(rig.loop().now() + 60_000));
        clock.advance(59_000);
        Rig.settle(rig.loop());
        assertFalse(expired.isDone());
        clock.advance(2_000);
        Rig.get(expired);
        assertEquals(CloseCause.ABORTED, Rig.get(probe.closed));
    }

    @Test
    void finishBehindItWaitsNoLongerThanAlways() throws Exception {
        var probe = new EndsOutput();
        Peer peer = rig.connect(rig.listen(probe)).send("a");
        assertEquals("last", peer.allText());
        Rig.on(rig.loop(), probe.connection()::finish);
        assertFalse(Rig.ask(rig.loop(), probe.connection()::isOpen));
        peer.end();
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        allComesBack();
    }

    @Test
    void bothSidesAreLoopsOfOurs() throws Exception {
        var server = new EndsOutput();
        var client = new EndsOutput();
        Listener listener = rig.listen(server);
        var connector =
                new Connector() {
                    @Override
                    public Protocol connected(Connection connection) {
                        return client.accept(connection);
                    }

                    @Override
                    public void failed(IOException why) {
                        client.opened.completeExceptionally(why);
                    }
                };
        Destination to = Destination.of(listener.address());
        Rig.on(rig.loop(), () -> rig.loop().connect(to, connector));
        Connection connection = client.connection();
        Rig.on(rig.loop(), () -> Probe.write(connection, "a"));
        assertEquals(CloseCause.FINISHED, Rig.get(server.closed));
        assertEquals(CloseCause.FINISHED, Rig.get(client.closed));
        assertEquals("alast", server.input());
        assertEquals("last", client.input());
        allComesBack();
    }
}
