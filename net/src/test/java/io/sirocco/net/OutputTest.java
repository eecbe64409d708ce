// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.output.Chunks;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What is written goes out whole, in order, at once, and bounded. */
@OnEachTransport
class OutputTest {
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

    /** Writes {@code total} bytes of the pattern, and stops while the connection is congested. */
    private static final class Producer extends Probe {
        private final long total;
        private long written;
        private long turn;
        private int drainsOfTurn;
        volatile int mostDrainsOfOneTurn;

        Producer(long total) {
            this.total = total;
        }

        @Override
        public Protocol accept(Connection connection) {
            produce(connection);
            return super.accept(connection);
        }

        private void produce(Connection connection) {
            var piece = new byte[10_000];
            while (written < total && !connection.isCongested()) {
                int n = (int) Math.min(piece.length, total - written);
                for (int i = 0; i < n; i++) {
                    piece[i] = Rig.patternAt(written + i);
                }
                connection.write(piece, 0, n);
                written += n;
            }
            if (written == total) {
                connection.finish();
            }
        }

        @Override
        public void drained(Connection connection) {
            long now = connection.loop().stats().turns();
            drainsOfTurn = now == turn ? drainsOfTurn + 1 : 1;
            turn = now;
            mostDrainsOfOneTurn = Math.max(mostDrainsOfOneTurn, drainsOfTurn);
            super.drained(connection);
            produce(connection);
        }
    }

    @Test
    void aReaderThatStopsBoundsWhatIsUnsent() throws Exception {
        var producer = new Producer(12 << 20);
        Listener listener = rig.listen(producer);
        Peer peer = rig.connect(listener);
        Loop loop = rig.loop();
        Connection connection = producer.connection();
        long sent = -1;
        while (sent != loop.stats().bytesOut()) { // until the kernel takes no more
            sent = loop.stats().bytesOut();
            for (int i = 0; i < 20; i++) {
                Rig.settle(loop);
            }
        }
        assertTrue(sent < producer.total);
        long unsent = Rig.ask(loop, connection::unsent);
        assertTrue(unsent > 0);
        assertTrue(unsent <= Connection.HIGH_WATER + 10_000, () -> "unsent " + unsent);
        assertTrue(loop.stats().writeMemory() <= 512 << 10, () -> "" + loop.stats());
        int drains = producer.drains.get();
        Rig.settle(loop);
        assertEquals(drains, producer.drains.get(), "not drained while nothing moves");

        byte[] all = peer.readAll();
        assertEquals(producer.total, all.length);
        assertArrayEquals(Rig.pattern(all.length), all);
        peer.end();
        assertEquals(CloseCause.FINISHED, Rig.get(producer.closed));
    }

    /** Whoever asks learns of each piece that the kernel takes, down to the last. */
    @Test
    void tellsWhatIsLeftUntilNothingIs() throws Exception {
        var left = new java.util.concurrent.ConcurrentLinkedDeque<Long>();
        var probe =
                new Probe() {
                    @Override
                    public void sent(Connection connection) {
                        left.add(connection.unsent());
                    }
                };
        Listener listener = rig.listen(probe);
        Peer peer = rig.connect(listener);
        Connection connection = probe.connection();
        byte[] all = Rig.pattern(16 << 20); // more than the kernel takes at once
        Rig.on(rig.loop(), () -> connection.write(all, 0, 1000));
        assertEquals(1000, peer.read(1000).length);
        Rig.settle(rig.loop());
        assertTrue(left.isEmpty(), "nobody has asked");
        Rig.on(
                rig.loop(),
                () -> {
                    connection.notifySent();
                    connection.writeStable(all, 0, all.length);
                });
        assertArrayEquals(all, peer.read(all.length));
        Rig.until("nothing is left", () -> !left.isEmpty() && left.getLast() == 0);
        assertTrue(left.size() > 1, () -> "told " + left);
        long before = all.length;
        for (long now : left) {
            assertTrue(now <= before, () -> "" + left);
            before = now;
        }
    }

    /** A reader as fast as the writer does not keep the loop from everyone else. */
    @Test
    void aProducerHasItsTurnAndNotMore() throws Exception {
        var producer = new Producer(12 << 20);
        Listener listener = rig.listen(producer);
        Peer peer = rig.connect(listener);
        assertEquals(12 << 20, peer.readAll().length);
        int most = producer.mostDrainsOfOneTurn;
        assertTrue(most <= 2, () -> "drained " + most + " times in one turn");
    }

    @Test
    void theWritesOfOneTurnLeaveTogether() throws Exception {
        Listener listener =
                rig.listen(
                        c ->
                                (connection, bytes, from, to) -> {
                                    for (int i = 0; i < 100; i++) {
                                        connection.reserve(10).put((byte) 'x');
                                        Probe.write(connection, "123456789");
                                    }
                                    return to;
                                });
        Peer peer = rig.connect(listener);
        for (int i = 0; i < 20; i++) {
            peer.send("?");
            assertEquals(1000, peer.readOnce().length);
        }
    }

    @Test
    void stableArraysGoOutInOrderWithSmallWrites() throws Exception {
        byte[] large = Rig.pattern(10 << 20);
        var expected = new ByteArrayOutputStream();
        Listener listener =
                rig.listen(
                        c -> {
                            Probe.write(c, "<small>");
                            c.writeStable(large, 0, large.length);
                            Probe.write(c, "<middle>");
                            c.writeStable(large, 5, 10);
                            c.writeStable(large, 100_001, 200_002);
                            c.writeStable(large, 7, 7 + Chunks.SIZE);
                            c.reserve(3).put(new byte[] {1, 2, 3});
                            c.finish();
                            return new Probe();
                        });
        expected.writeBytes("<small>".getBytes());
        expected.writeBytes(large);
        expected.writeBytes("<middle>".getBytes());
        expected.write(large, 5, 5);
        expected.write(large, 100_001, 100_001);
        expected.write(large, 7, Chunks.SIZE);
        expected.writeBytes(new byte[] {1, 2, 3});
        Peer peer = rig.connect(listener);
        assertArrayEquals(expected.toByteArray(), peer.readAll());
        assertTrue(
                rig.loop().stats().writeMemory() <= 512 << 10,
                "ten megabytes cost a block of each size");
    }

    @Test
    void finishLosesNoByteThoughThePeerKeepsSending() throws Exception {
        byte[] answer = Rig.pattern(100_000);
        var probe =
                new Probe() {
                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        c.write(answer, 0, answer.length);
                        c.finish();
                        return to;
                    }
                };
        Listener listener = rig.listen(probe);
        Peer peer = rig.connect(listener);
        Thread sender = peer.sending(new byte[10 << 20]);
        assertArrayEquals(answer, peer.readAll());
        sender.join();
        peer.end();
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
    }

    @Test
    void aPeerThatNeverEndsIsClosedAfterTwoSeconds() throws Exception {
        var clock = new ManualClock();
        rig.start(s -> s.loops(1).clock(clock));
        var probe =
                new Probe() {
                    @Override
                    public Protocol accept(Connection c) {
                        write(c, "bye");
                        c.finish();
                        return super.accept(c);
                    }
                };
        Listener listener = rig.listen(probe);
        Peer peer = rig.connect(listener);
        assertEquals("bye", peer.allText());
        clock.advance(rig.loop(), 1_990);
        assertFalse(probe.closed.isDone());
        clock.advance(rig.loop(), 10 + 16);
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
    }

    @Test
    void finishWithoutLingeringClosesWhenAllHasLeft() throws Exception {
        byte[] answer = Rig.pattern(1 << 20);
        var probe =
                new Probe() {
                    @Override
                    public Protocol accept(Connection c) {
                        c.write(answer, 0, answer.length);
                        c.finish(false);
                        return super.accept(c);
                    }
                };
        Listener listener = rig.listen(probe);
        assertArrayEquals(answer, rig.connect(listener).readAll());
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed), "though the peer has not ended");
    }

    /** The kernel takes the last piece in part only: what it left must follow all the same. */
    @Test
    void finishWithoutLingeringLosesNothingWhenTheBufferIsFull() throws Exception {
        Loop loop = rig.loop();
        Listener measuring =
                rig.listen(
                        c -> {
                            c.writeStable(new byte[16 << 20], 0, 16 << 20);
                            return new Probe();
                        });
        rig.closes(Peer.small(measuring.address()));
        long taken = -1;
        while (taken != loop.stats().bytesOut() || taken <= 0) {
            taken = loop.stats().bytesOut();
            for (int i = 0; i < 20; i++) {
                Rig.settle(loop);
            }
        }
        int base = (int) (taken - (taken & Chunks.SIZE - 1));
        var sizes = new ArrayList<Integer>();
        for (int i = 1; i <= 16; i++) {
            sizes.add(base + i * 1024 - 1);
        }
        var size = sizes.iterator();
        Listener listener =
                rig.listen(
                        c -> {
                            byte[] bytes = Rig.pattern(size.next());
                            c.writeStable(bytes, 0, bytes.length);
                            c.finish(false);
                            return new Probe();
                        });
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            peers.add(rig.closes(Peer.small(listener.address())));
            int open = i + 2;
            Rig.until("it is accepted", () -> loop.stats().accepted() >= open);
            Rig.settle(loop);
        }
        for (int i = 0; i < sizes.size(); i++) {
            assertArrayEquals(Rig.pattern(sizes.get(i)), peers.get(i).readAll());
        }
    }

    @Test
    void roomIsBoundedAndMayBeLeftEmpty() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        c.reserve(100);
                        return super.received(c, bytes, from, to);
                    }
                };
        Listener listener = rig.listen(probe);
        Peer peer = rig.connect(listener).send("a");
        Connection connection = probe.connection();
        Loop loop = rig.loop();
        Rig.on(
                loop,
                () ->
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> connection.reserve(Chunks.SIZE + 1)));
        Rig.until("received", () -> probe.inputLength() == 1);
        Rig.on(loop, () -> Probe.write(connection, "still alive"));
        assertEquals("still alive", peer.text(11));
        assertEquals(0, Rig.ask(loop, connection::unsent));
    }

    @Test
    void writingToAConnectionThatIsGoneDoesNothing() throws Exception {
        var probe = new Probe();
        Listener listener = rig.listen(probe);
        rig.connect(listener).close();
        Connection connection = probe.connection();
        Rig.get(probe.closed);
        Loop loop = rig.loop();
        Rig.on(
                loop,
                () -> {
                    Probe.write(connection, "lost");
                    connection.writeStable(new byte[100_000], 0, 100_000);
                    connection.reserve(16_384).put(new byte[16_384]);
                    connection.suspend();
                    connection.resume();
                    connection.deadline(loop.now());
                    connection.finish();
                    connection.abort();
                    assertFalse(connection.isOpen());
                });
        Rig.settle(loop);
        assertEquals(0, Rig.ask(loop, connection::unsent));
        assertEquals(0, Rig.ask(loop, loop.chunks::lent));
        assertEquals(1, probe.closes.get());
    }
}
