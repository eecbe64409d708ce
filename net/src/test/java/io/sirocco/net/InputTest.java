// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.transport.Transport;
import io.sirocco.testkit.OnEachTransport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What comes in, comes in whole, in order and bounded. */
@OnEachTransport
class InputTest {
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

    @Test
    void echoesEverySize() throws Exception {
        Listener listener = rig.listen(c -> new Echo());
        int[] sizes = {
            1, 2, 3, 255, 4095, 4096, 4097, 16383, 16384, 16385, 65535, 65536, 65537, 131072,
            131073, 1 << 20, 4 << 20
        };
        Peer peer = rig.connect(listener);
        for (int size : sizes) {
            byte[] sent = Rig.pattern(size);
            Thread sender = peer.sending(sent);
            assertArrayEquals(sent, peer.read(size), () -> size + " bytes");
            sender.join();
        }
    }

    @Test
    void echoesWhateverTheBoundaries() throws Exception {
        Listener listener = rig.listen(c -> new Echo());
        Peer peer = rig.connect(listener);
        byte[] sent = Rig.pattern(200_000);
        Thread sender =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    int step = 1;
                                    for (int at = 0; at < sent.length; ) {
                                        int to = Math.min(sent.length, at + step);
                                        peer.send(sent, at, to);
                                        at = to;
                                        step = step * 3 % 9973 + 1;
                                    }
                                });
        assertArrayEquals(sent, peer.read(sent.length));
        sender.join();
    }

    @Test
    void leftOverInputComesAgain() throws Exception {
        var lines = new ArrayList<String>();
        var done = new CompletableFuture<List<String>>();
        Listener listener =
                rig.listen(
                        c ->
                                new Protocol() {
                                    private String left = "";

                                    @Override
                                    public int received(
                                            Connection c, byte[] bytes, int from, int to) {
                                        var text =
                                                new String(
                                                        bytes,
                                                        from,
                                                        to - from,
                                                        StandardCharsets.ISO_8859_1);
                                        if (!text.startsWith(left) || c.bufferedInput() != 0) {
                                            done.completeExceptionally(
                                                    new AssertionError(left + " | " + text));
                                        }
                                        int used = text.lastIndexOf('\n') + 1;
                                        lines.addAll(text.substring(0, used).lines().toList());
                                        left = text.substring(used);
                                        if (lines.contains("end")) {
                                            done.complete(lines);
                                        }
                                        return from + used;
                                    }
                                });
        Peer peer = rig.connect(listener);
        var sent = new ArrayList<String>();
        for (int i = 0; i < 50; i++) {
            String line = "line " + "x".repeat(i * i) + i;
            sent.add(line);
            peer.send(line + (i % 3 == 0 ? "\n" : ""));
            if (i % 3 != 0) {
                peer.send("\n");
            }
        }
        sent.add("end");
        for (char c : "end\n".toCharArray()) {
            peer.send(String.valueOf(c));
        }
        assertEquals(sent, Rig.get(done));
    }

    @Test
    void theNextProtocolIsGivenWhatTheLastLeftOver() throws Exception {
        var next = new Probe();
        Listener listener =
                rig.listen(
                        c ->
                                (connection, bytes, from, to) -> {
                                    connection.protocol(next);
                                    return from + 4;
                                });
        Peer peer = rig.connect(listener);
        peer.send("get rest");
        Rig.until("the rest is delivered", () -> next.input().equals("rest"));
        peer.send(" and more");
        Rig.until("more is delivered", () -> next.input().equals("rest and more"));
    }

    @Test
    void aProtocolReplacedLaterIsGivenTheLeftOverInput() throws Exception {
        var opened = new CompletableFuture<Connection>();
        var next = new Probe();
        Listener listener =
                rig.listen(
                        c -> {
                            opened.complete(c);
                            return (connection, bytes, from, to) -> from;
                        });
        rig.connect(listener).send("kept");
        Connection connection = Rig.get(opened);
        Rig.until("it is kept", () -> Rig.ask(rig.loop(), connection::bufferedInput) == 4);
        Rig.on(rig.loop(), () -> connection.protocol(next));
        Rig.until("it is delivered", () -> next.input().equals("kept"));
    }

    @Test
    void aSuspendedConnectionKeepsLittleAndTheSenderIsPushedBack() throws Exception {
        var taken = new AtomicInteger();
        var inOrder = new AtomicBoolean(true);
        var probe =
                new Probe() {
                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        if (taken.get() == 0) {
                            c.suspend();
                        }
                        for (int i = from; i < to; i++) {
                            if (bytes[i] != Rig.patternAt(taken.getAndIncrement())) {
                                inOrder.set(false);
                            }
                        }
                        return to;
                    }
                };
        Listener listener = rig.listen(probe);
        Peer peer = rig.connect(listener);
        byte[] sent = Rig.pattern(24 << 20);
        Thread sender = peer.sending(sent);
        Connection connection = probe.connection();
        Loop loop = rig.loop();
        Rig.until(
                "its limit is reached",
                () -> Rig.ask(loop, connection::bufferedInput) >= Connection.MAX_BUFFERED_INPUT);
        Rig.settle(loop);
        long before = loop.stats().bytesIn();
        for (int i = 0; i < 50; i++) {
            Rig.settle(loop);
        }
        assertEquals(before, loop.stats().bytesIn(), "nothing is read any more");
        int held = Rig.ask(loop, connection::bufferedInput);
        int most = Connection.MAX_BUFFERED_INPUT + Transport.MAX_RECEIVED_PER_TURN;
        assertTrue(held < most, () -> "held " + held);
        assertTrue(sender.isAlive(), "the sender waits");

        Rig.on(loop, connection::resume);
        sender.join();
        Rig.until("all has arrived", () -> taken.get() == sent.length);
        assertTrue(inOrder.get());
    }

    @Test
    void suspendAndResumeWithinOneDeliveryPresentsTheRestAgain() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        super.received(c, bytes, from, from + 1);
                        c.suspend();
                        c.resume();
                        return from + 1;
                    }
                };
        Listener listener = rig.listen(probe);
        rig.connect(listener).send("one at a time");
        Rig.until("all is taken", () -> probe.input().equals("one at a time"));
    }

    /** Leaves all but {@code portion} bytes of each delivery to the next turn. */
    private static class Portions extends Probe {
        final int portion;
        int most; // bytes of a delivery

        Portions(int portion) {
            this.portion = portion;
        }

        @Override
        public int received(Connection c, byte[] bytes, int from, int to) {
            int n = Math.min(portion, to - from);
            most = Math.max(most, to - from);
            c.suspend();
            c.resume();
            super.received(c, bytes, from, from + n);
            return from + n;
        }
    }

    @Test
    void whatIsLeftToTheNextTurnIsBounded() throws Exception {
        var portions = new Portions(4 << 10);
        Listener listener = rig.listen(portions);
        byte[] sent = Rig.pattern(12 << 20);
        rig.connect(listener).sending(sent).join();
        Rig.until("all is taken", () -> portions.inputLength() == sent.length);
        assertArrayEquals(sent, portions.inputBytes());
        int limit = Connection.MAX_BUFFERED_INPUT + Transport.MAX_RECEIVED_PER_TURN;
        assertTrue(portions.most < limit, () -> "given " + portions.most);
    }

    @Test
    void whatIsLeftToTheNextTurnCanBeDiscardedWithAllThatFollows() throws Exception {
        var portions = new Portions(1);
        Listener listener = rig.listen(portions);
        Thread sender = rig.connect(listener).sending(Rig.pattern(12 << 20));
        Connection connection = portions.connection();
        int full = Connection.MAX_BUFFERED_INPUT;
        Rig.until("much is left", () -> Rig.ask(rig.loop(), connection::bufferedInput) >= full);
        Rig.on(rig.loop(), connection::discardInput);
        assertTrue(sender.join(Duration.ofSeconds(20)), "the sender could send everything");
    }

    /** Copies for each of many small portions would let a few connections hold up a loop. */
    @Test
    void whatIsLeftToTheNextTurnIsNotCopiedForEachPortion() throws Exception {
        int length = Connection.MAX_BUFFERED_INPUT;
        var before = new AtomicLong();
        var allocated = new AtomicLong();
        var portions =
                new Portions(32) {
                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        if (inputLength() == 0) {
                            before.set(Rig.allocatedBy(c.loop()));
                        }
                        int next = super.received(c, bytes, from, to);
                        if (inputLength() == length) {
                            allocated.set(Rig.allocatedBy(c.loop()) - before.get());
                        }
                        return next;
                    }
                };
        Listener listener = rig.listen(portions);
        byte[] sent = Rig.pattern(length);
        rig.connect(listener).sending(sent).join();
        Rig.until("all is taken", () -> allocated.get() > 0);
        assertArrayEquals(sent, portions.inputBytes());
        assertTrue(allocated.get() < 16 * length, () -> "allocated " + allocated);
    }

    @Test
    void resumedFromATaskItGoesOnWhereItStopped() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        int n = Math.min(1000, to - from);
                        super.received(c, bytes, from, from + n);
                        c.suspend();
                        c.loop().schedule(0, c::resume);
                        return from + n;
                    }
                };
        Listener listener = rig.listen(probe);
        byte[] sent = Rig.pattern(30_000);
        rig.connect(listener).send(sent);
        Rig.until("all is taken", () -> probe.inputLength() == sent.length);
        assertArrayEquals(sent, probe.inputBytes());
    }

    @Test
    void theEndIsToldBehindTheInputThatWasKeptBack() throws Exception {
        var order = new ArrayList<String>();
        var probe =
                new Probe() {
                    @Override
                    public Protocol accept(Connection c) {
                        c.suspend();
                        return super.accept(c);
                    }

                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        order.add(new String(bytes, from, to - from, StandardCharsets.US_ASCII));
                        return super.received(c, bytes, from, to);
                    }

                    @Override
                    public void ended(Connection c) {
                        order.add("end");
                        super.ended(c);
                    }
                };
        Listener listener = rig.listen(probe);
        Peer peer = rig.connect(listener).send("last words").end();
        Connection connection = probe.connection();
        Loop loop = rig.loop();
        Rig.until("they are kept", () -> Rig.ask(loop, connection::bufferedInput) == 10);
        for (int i = 0; i < 20; i++) {
            Rig.settle(loop);
        }
        assertFalse(probe.ended.isDone(), "the end waits behind them");
        assertFalse(Rig.ask(loop, connection::isInputEnded));
        Rig.on(loop, connection::resume);
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        assertEquals(List.of("last words", "end"), order);
        assertTrue(peer.over());
    }

    @Test
    void theEndIsToldAtOnceWhenNothingIsKeptBack() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public Protocol accept(Connection c) {
                        c.suspend();
                        return super.accept(c);
                    }
                };
        Listener listener = rig.listen(probe);
        rig.connect(listener).end();
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
    }

    @Test
    void thePeerMayEndItsSideAndStillBeAnswered() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public void ended(Connection c) {
                        c.loop()
                                .schedule(
                                        20,
                                        () -> {
                                            write(c, "answer to " + input());
                                            c.finish();
                                        });
                    }
                };
        Listener listener = rig.listen(probe);
        Peer peer = rig.connect(listener).send("question").end();
        assertEquals("answer to question", peer.allText());
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
    }

    @Test
    void nothingIsDeliveredAfterFinish() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        if (inputLength() == 0) {
                            c.write(new byte[8 << 20], 0, 8 << 20); // so that it takes a while
                            c.finish();
                        }
                        return super.received(c, bytes, from, to);
                    }
                };
        Listener listener = rig.listen(probe);
        Peer peer = rig.connect(listener).send("first");
        peer.read(1);
        peer.send("second");
        Rig.until("it came in", () -> rig.stats().bytesIn() == 11);
        assertEquals(8 << 20, peer.readAll().length + 1);
        peer.end();
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));
        assertEquals("first", probe.input());
    }
}
