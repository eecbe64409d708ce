// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.Certificates.Pair;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** What all connections of a loop hold together is bounded, and comes back whatever their end. */
@OnEachTransport
class MemoryShortTest {
    private static final int BUDGET = 1 << 20;

    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Rig rig;
    private final Queue<CloseCause> causes = new ConcurrentLinkedQueue<>();
    private final ManualClock clock = new ManualClock();

    @BeforeEach
    void start() throws Exception {
        rig = new Rig(transport);
        rig.start(s -> s.loops(1).memory(BUDGET));
    }

    /** Has another loop, whose clock stands still. */
    private void startByClock(long memory) throws IOException {
        rig.start(s -> s.loops(1).memory(memory).clock(clock));
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    /** Uses nothing before a line ends, and answers it. */
    private class Lines implements Protocol {
        @Override
        public int received(Connection connection, byte[] bytes, int from, int to) {
            for (int i = to; i > from; i--) {
                if (bytes[i - 1] == '\n') {
                    Probe.write(connection, "ok\n");
                    return i;
                }
            }
            return from;
        }

        @Override
        public void closed(Connection connection, CloseCause cause) {
            causes.add(cause);
        }
    }

    private void usedReturnsTo0() {
        Rig.until(
                "memory comes back: " + rig.stats(),
                () -> {
                    clock.advance(2_100); // until write memory that was not needed is given back
                    return rig.stats().memoryUsed() == 0;
                });
    }

    @Test
    void aFloodOfUnfinishedInputDisplacesItself() throws Exception {
        Listener listener = rig.listen(c -> new Lines());
        var flood = new ArrayList<Peer>();
        for (int i = 0; i < 200; i++) {
            flood.add(rig.connect(listener).send(new byte[15_000]));
            if (i % 10 == 9) {
                assertEquals("ok\n", rig.connect(listener).send("honest\n").text(3));
            }
        }
        Rig.until(
                "all have been read",
                () -> rig.stats().bytesIn() == 200 * 15_000 + 20 * "honest\n".length());
        assertTrue(rig.stats().memoryUsed() <= BUDGET, rig.stats()::toString);
        assertTrue(rig.stats().memoryRefused() >= 130, rig.stats()::toString);
        Rig.until("the oldest are closed", () -> causes.contains(CloseCause.MEMORY_SHORT));
        assertTrue(flood.getFirst().over(), "the first to come is the first to go");
        assertEquals("ok\n", flood.getLast().send("end\n").text(3), "the last one may end");
        for (Peer peer : flood) {
            peer.close();
        }
        usedReturnsTo0();
    }

    @Test
    void aPeerThatSendsOnSteadilyIsNotTheFirstToGo() throws Exception {
        var all = new AtomicInteger();
        Listener listener =
                rig.listen(
                        c ->
                                new Protocol() {
                                    private long stored;

                                    @Override
                                    public int received(
                                            Connection c, byte[] bytes, int from, int to) {
                                        stored = Math.min(50_000, stored + to - from);
                                        if (c.reserveMemory(stored)) {
                                            all.addAndGet(to - from);
                                        }
                                        return to;
                                    }
                                });
        Peer steady = rig.connect(listener);
        for (int i = 0; i < 60; i++) {
            steady.send(new byte[70_000]);
            rig.connect(listener).send(new byte[30_000]);
            int soFar = (i + 1) * 100_000;
            Rig.until("all were read: " + all, () -> all.get() == soFar);
        }
        int sent = 60 * 100_000;
        assertTrue(rig.stats().memoryRefused() > 20, rig.stats()::toString);
        assertTrue(steady.channel.isOpen());
        Rig.until("most are gone", () -> rig.stats().connections() < 40);
        steady.send(new byte[100]);
        Rig.until("it is served", () -> all.get() == sent + 100);
    }

    @Test
    void whatIsUsedReturnsTo0WhateverTheEnd() throws Exception {
        var opened = new ConcurrentLinkedQueue<Connection>();
        Listener listener =
                rig.listen(
                        c -> {
                            opened.add(c);
                            c.reserveMemory(1000);
                            return new Lines();
                        });
        byte[] text = new byte[10_000];
        rig.connect(listener).send(text).end().readAll();
        rig.connect(listener).send(text).close();
        Peer reset = rig.connect(listener).send(text);
        Rig.until("held", () -> rig.stats().memoryUsed() > 10_000);
        reset.reset();
        usedReturnsTo0();
        List<Consumer<Connection>> ends =
                List.of(
                        Connection::abort,
                        Connection::reset,
                        Connection::finish,
                        c -> c.finish(false),
                        c -> c.reserveMemory(0),
                        c -> c.protocol((c2, bytes, from, to) -> to),
                        c ->
                                c.protocol(
                                        (c2, bytes, from, to) -> {
                                            throw new IllegalStateException("a fault");
                                        }));
        for (var end : ends) {
            opened.clear();
            Peer peer = rig.connect(listener).send(text);
            Rig.until("held", () -> rig.stats().memoryUsed() > 10_000);
            Rig.on(rig.loop(), () -> end.accept(opened.peek()));
            peer.close();
            usedReturnsTo0();
        }
        rig.connect(listener).send(text);
        Rig.until("held", () -> rig.stats().memoryUsed() > 10_000);
        Loop loop = rig.loop();
        rig.loops().close();
        assertEquals(0, loop.memory().used());
    }

    @Test
    void inputThatIsKeptBackCounts() throws Exception {
        var opened = new CompletableFuture<Connection>();
        Listener listener =
                rig.listen(
                        c -> {
                            c.suspend();
                            opened.complete(c);
                            return new Lines();
                        });
        rig.connect(listener).send(new byte[40_000]);
        Rig.until("held", () -> rig.stats().memoryUsed() >= 40_000);
        Rig.on(rig.loop(), () -> Rig.get(opened).protocol((c, bytes, from, to) -> to));
        Rig.on(rig.loop(), () -> Rig.get(opened).resume());
        usedReturnsTo0();
    }

    @Test
    void whoTakesNoOutputIsClosedWhenItIsBeyondTheLimit() throws Exception {
        Listener listener =
                rig.listen(
                        c ->
                                new Lines() {
                                    @Override
                                    public int received(
                                            Connection c, byte[] bytes, int from, int to) {
                                        c.writeStable(new byte[1 << 20], 0, 1 << 20);
                                        return to;
                                    }
                                });
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < 8; i++) {
            peers.add(rig.closes(Peer.small(listener.address())).send("more\n"));
        }
        Rig.until("they are closed", () -> causes.contains(CloseCause.MEMORY_SHORT));
        Rig.until("it is enough", () -> rig.stats().memoryUsed() <= BUDGET);
        assertEquals(1 << 20, rig.connect(listener).send("honest\n").read(1 << 20).length);
        for (Peer peer : peers) {
            peer.close();
        }
        usedReturnsTo0();
    }

    /** Otherwise their output alone would have whole requests of others refused. */
    @Test
    void connectionsHoldLessOutputTheLessMemoryIsLeft() throws Exception {
        rig.close();
        rig = new Rig(transport);
        rig.start(s -> s.loops(1).memory(8 * BUDGET)); // it is counted in blocks of 256 KiB
        var all = new ConcurrentLinkedQueue<Connection>();
        Listener listener =
                rig.listen(
                        c -> {
                            all.add(c);
                            return new Lines();
                        });
        for (int i = 0; i < 330; i++) {
            rig.closes(Peer.small(listener.address()));
        }
        Rig.until("all are there", () -> all.size() == 330);
        var exhausted = new CompletableFuture<Boolean>();
        rig.loop()
                .execute(
                        () -> {
                            for (Connection c : all) {
                                while (!c.isCongested()) {
                                    c.write(new byte[4 << 10], 0, 4 << 10);
                                }
                            }
                            exhausted.complete(rig.loop().memory().exhausted());
                        });
        assertFalse(Rig.get(exhausted));
    }

    /** Starts {@code writes} for a client that reads nothing, and returns it when it is full. */
    private Peer full(Consumer<Connection> writes) throws Exception {
        Listener listener =
                rig.listen(
                        c ->
                                new Lines() {
                                    @Override
                                    public int received(
                                            Connection c, byte[] bytes, int from, int to) {
                                        writes.accept(c);
                                        return to;
                                    }
                                });
        Peer peer = rig.closes(Peer.small(listener.address())).send("more\n");
        long sent = -1;
        while (sent <= 0 || sent != rig.stats().bytesOut()) {
            sent = rig.stats().bytesOut();
            for (int i = 0; i < 20; i++) {
                Rig.settle(rig.loop());
            }
        }
        return peer;
    }

    /** Returns when the loop has looked at least three times for output that nobody takes. */
    private void someLooks() {
        for (int i = 0; i < 40; i++) {
            clock.advance(rig.loop(), 30);
        }
    }

    @Test
    void theLargestStalledOutputIsClosedAndNoMoreThanNeeded() throws Exception {
        startByClock(BUDGET);
        int length = 16 << 20;
        byte[] shared = new byte[length];
        Path path = Files.write(folder.resolve("file"), new byte[length]);
        Peer sharing = full(c -> c.writeShared(shared, 0, length));
        Peer downloading =
                full(
                        c -> {
                            try {
                                c.write(OpenFile.open(path), 0, length);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        Peer stalled = full(c -> c.writeStable(new byte[1_000_000], 0, 1_000_000));
        Rig.on(rig.loop(), () -> rig.loop().memory().add(BUDGET - 400_000));
        someLooks();
        Rig.until("it is closed", () -> causes.contains(CloseCause.MEMORY_SHORT));
        Rig.until("it is enough", () -> rig.stats().memoryUsed() <= BUDGET);
        someLooks();
        assertEquals(length, sharing.widen().read(length).length);
        assertEquals(length, downloading.widen().read(length).length);
        assertEquals(1, causes.size(), causes::toString);
        rig.loop().execute(() -> rig.loop().memory().release(BUDGET - 400_000));
        stalled.close();
    }

    @Test
    void outputThatCostsNothingOrWaitsForBandwidthIsNotClosed() throws Exception {
        startByClock(BUDGET);
        int length = 16 << 20;
        Path path = Files.write(folder.resolve("file"), new byte[length]);
        boolean kernelSends = transport == TransportKind.IO_URING;
        Peer downloading =
                full(
                        c -> {
                            try {
                                c.write(OpenFile.open(path), 0, kernelSends ? length : 1_000);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        var limiter = RateLimiter.perSecond(30_000);
        limiter.spend(60_000, clock.nanos()); // nothing may leave for two seconds
        Peer paced =
                full(
                        c -> {
                            c.limitRates(List.of(), List.of(limiter));
                            c.writeStable(new byte[60_000], 0, 60_000);
                        });
        long sent = rig.stats().bytesOut();
        Rig.on(rig.loop(), () -> rig.loop().memory().add(2 * BUDGET));
        someLooks();
        assertEquals(sent, rig.stats().bytesOut(), "it has not waited for bandwidth");
        limiter.rate(RateLimiter.UNLIMITED);
        clock.advance(rig.loop(), 200);
        assertEquals(60_000, paced.read(60_000).length);
        int all = kernelSends ? length : 1_000;
        assertEquals(all, downloading.widen().read(all).length);
        assertTrue(causes.isEmpty(), causes::toString);
        rig.loop().execute(() -> rig.loop().memory().release(2 * BUDGET));
    }

    @Test
    void anArrayThatLivesOnAnyhowDoesNotCount() throws Exception {
        byte[] shared = new byte[8 << 20];
        Listener listener =
                rig.listen(
                        c ->
                                (connection, bytes, from, to) -> {
                                    connection.writeShared(shared, 0, shared.length);
                                    return to;
                                });
        Peer slow = rig.closes(Peer.small(listener.address())).send("more\n");
        Rig.until("it is on its way", () -> rig.stats().bytesOut() > 0);
        assertTrue(rig.stats().memoryUsed() < 100_000, rig.stats()::toString);
        assertEquals(shared.length, slow.widen().read(shared.length).length);
    }

    @Test
    void anArrayThatWaitsForManyCountsOnce() throws Exception {
        startByClock(BUDGET);
        byte[] all = new byte[BUDGET / 2];
        Listener listener =
                rig.listen(
                        c ->
                                (connection, bytes, from, to) -> {
                                    connection.writeStable(all, 0, all.length);
                                    return to;
                                });
        var slow = new ArrayList<Peer>();
        for (int i = 0; i < 6; i++) {
            slow.add(rig.closes(Peer.small(listener.address())).send("more"));
        }
        Rig.until("all have asked", () -> rig.stats().bytesIn() == 6 * 4);
        someLooks();
        Rig.until("it counts", () -> rig.stats().memoryUsed() >= all.length);
        long used = rig.stats().memoryUsed();
        assertTrue(used <= BUDGET, () -> used + " bytes");
        for (Peer peer : slow) {
            assertEquals(all.length, peer.widen().read(all.length).length);
        }
        usedReturnsTo0();
    }

    @Test
    void writeMemoryShrinksAgain() throws Exception {
        byte[] text = new byte[100_000];
        startByClock(64 << 20);
        Listener listener = rig.listen(listenerOf(text));
        var peers = new ArrayList<Peer>();
        while (rig.stats().writeMemory() <= 4 << 20) {
            assertTrue(peers.size() < 240, "it does not grow");
            peers.add(rig.closes(Peer.small(listener.address())).send("more"));
            int asked = peers.size() * "more".length();
            Rig.until("all have asked", () -> rig.stats().bytesIn() == asked);
        }
        long most = rig.stats().writeMemory();
        assertTrue(rig.stats().memoryUsed() > most - (1 << 20), rig.stats()::toString);
        for (Peer peer : peers) {
            peer.close();
        }
        Rig.until("all are gone", () -> rig.stats().connections() == 0);
        usedReturnsTo0();
        assertTrue(rig.stats().writeMemory() <= 512 << 10, rig.stats()::toString);
        assertEquals(100_000, rig.connect(listener).send("again").read(100_000).length);
    }

    private static Acceptor listenerOf(byte[] text) {
        return c ->
                (connection, bytes, from, to) -> {
                    for (int i = 0; i < 20; i++) {
                        connection.write(text, 0, text.length);
                    }
                    return to;
                };
    }

    /** It is refused its input, responds, and is served again when there is room. */
    @Test
    void aConnectionThatIsRefusedInputStillCountsWhatItStores() throws Exception {
        var opened = new CompletableFuture<Connection>();
        var refused = new CompletableFuture<Void>();
        Lines lines =
                new Lines() {
                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        c.protocol(this); // what is left over is to come again
                        return super.received(c, bytes, from, to);
                    }

                    @Override
                    public boolean memoryShort(Connection c) {
                        refused.complete(null);
                        return true;
                    }
                };
        Listener listener =
                rig.listen(
                        c -> {
                            c.reserveMemory(30_000);
                            opened.complete(c);
                            return lines;
                        });
        Peer peer = rig.connect(listener);
        Rig.get(opened);
        MemoryBudget memory = rig.loop().memory();
        Rig.on(rig.loop(), () -> memory.add(BUDGET));
        peer.send(new byte[10_000]);
        Rig.get(refused);
        Rig.on(rig.loop(), () -> memory.release(BUDGET));
        assertTrue(memory.used() >= 30_000, () -> memory.used() + " bytes");
        Rig.on(
                rig.loop(),
                () -> {
                    opened.join().suspend();
                    opened.join().resume();
                });
        assertEquals("ok\n", peer.send("again\n").text(3));
        peer.close();
        usedReturnsTo0();
    }

    @Test
    void aSlowClientGivesWayAlthoughAThousandOthersWaitForUs() throws Exception {
        Listener busy =
                rig.listen(
                        c -> {
                            c.reserveMemory(100);
                            return new Lines() {
                                @Override
                                public boolean memoryShort(Connection connection) {
                                    return false;
                                }
                            };
                        });
        for (int i = 1; i <= 1_000; i++) {
            rig.connect(busy);
        }
        Rig.until("all are open", () -> rig.stats().connections() == 1_000);
        Peer slow = rig.connect(rig.listen(c -> new Lines())).send(new byte[50_000]);
        Rig.until("all was read", () -> rig.stats().bytesIn() == 50_000);
        MemoryBudget memory = rig.loop().memory();
        long rest = Rig.ask(rig.loop(), () -> BUDGET - memory.used()); // between two events
        assertTrue(Rig.ask(rig.loop(), () -> memory.reserve(rest)));
        assertTrue(Rig.ask(rig.loop(), () -> memory.reserve(40_000)));
        assertTrue(slow.over());
        assertFalse(Rig.ask(rig.loop(), () -> memory.reserve(40_000)));
        assertEquals(1_000, rig.stats().connections());
        Rig.on(rig.loop(), () -> memory.release(rest + 40_000));
    }

    /** For what its protocol stores, and for input that it leaves over. */
    @Test
    void aConnectionThatIsEndedWhileOthersMakeRoomForItHoldsNothing() throws Exception {
        byte[] text = new byte[50_000];
        List<Protocol> askers =
                List.of(
                        (c, bytes, from, to) -> {
                            assertFalse(c.reserveMemory(text.length));
                            return to;
                        },
                        (c, bytes, from, to) -> from);
        for (Protocol asker : askers) {
            var opened = new ConcurrentLinkedQueue<Connection>();
            Listener victims =
                    rig.listen(
                            c -> {
                                c.reserveMemory(100_000);
                                return new Lines() {
                                    @Override
                                    public boolean memoryShort(Connection connection) {
                                        opened.remove().abort();
                                        connection.abort();
                                        return true;
                                    }
                                };
                            });
            Peer victim = rig.connect(victims);
            Rig.until("it stores", () -> rig.stats().memoryUsed() > 100_000);
            int others = BUDGET - 101_000;
            Rig.on(rig.loop(), () -> rig.loop().memory().add(others));
            Listener listener =
                    rig.listen(
                            c -> {
                                opened.add(c);
                                return asker;
                            });
            Peer peer = rig.connect(listener).send(text);
            assertTrue(peer.over());
            assertTrue(victim.over());
            Rig.on(rig.loop(), () -> rig.loop().memory().release(others));
            usedReturnsTo0();
            assertTrue(rig.failures.isEmpty(), rig.failures::toString);
        }
    }

    @Test
    void unfinishedHandshakesOfTls() throws Exception {
        startByClock(BUDGET);
        Pair pair = TlsFiles.get().pair("a", "EC", "a.test", "localhost");
        Tls tls = Tls.of(s -> s.certificate(pair.chain(), pair.key()));
        Listener listener = rig.listen(options -> options.tls(tls), c -> new Lines());
        byte[] start = new byte[2_000]; // of a record with 16 KiB
        System.arraycopy(new byte[] {22, 3, 1, 0x40, 0}, 0, start, 0, 5);
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < 100; i++) {
            peers.add(rig.connect(listener).send(start));
        }
        Rig.until("all were read", () -> rig.stats().bytesIn() == 100 * 2_000);
        assertTrue(rig.stats().memoryRefused() >= 30, rig.stats()::toString);
        assertTrue(rig.stats().memoryUsed() <= BUDGET, rig.stats()::toString);
        assertTrue(peers.getFirst().over());
        for (Peer peer : peers) {
            peer.close();
        }
        usedReturnsTo0();
    }

    @Test
    void connectionsBeyondTheMostAreClosedAtOnceAndCounted() throws Exception {
        rig.start(s -> s.loops(1).connections(3));
        Listener listener = rig.listen(c -> new Lines());
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < 3; i++) {
            Peer peer = rig.connect(listener);
            assertEquals("ok\n", peer.send("in\n").text(3));
            peers.add(peer);
        }
        assertTrue(rig.connect(listener).over());
        Rig.until("counted", () -> rig.stats().connectionsRefused() == 1);
        peers.getFirst().close();
        Rig.until("gone", () -> rig.stats().connections() == 2);
        assertEquals("ok\n", rig.connect(listener).send("in\n").text(3));
        assertFalse(causes.contains(CloseCause.TOO_MANY));
    }

    @Test
    void anErrorWhileOneConnectionIsServedEndsThatOneAlone() throws Exception {
        Listener listener =
                rig.listen(
                        c ->
                                new Lines() {
                                    @Override
                                    public int received(
                                            Connection c, byte[] bytes, int from, int to) {
                                        if (bytes[from] == '!') {
                                            throw new OutOfMemoryError("a test");
                                        }
                                        return super.received(c, bytes, from, to);
                                    }
                                });
        Peer well = rig.connect(listener);
        assertTrue(rig.connect(listener).send("!\n").over());
        assertEquals("ok\n", well.send("in\n").text(3));
        assertTrue(rig.loop().failure().isEmpty());
    }
}
