// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.OnEachTransport;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Every way in which a connection ends is told once, with its cause. */
@OnEachTransport
class EndsTest {
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

    /** Tells what happened while it was within {@code abort} or {@code finish}. */
    private static final class Nesting extends Probe {
        private final BiConsumer<Connection, String> action;
        private boolean within;
        volatile boolean nested;

        Nesting(BiConsumer<Connection, String> action) {
            this.action = action;
        }

        @Override
        public int received(Connection c, byte[] bytes, int from, int to) {
            super.received(c, bytes, from, to);
            within = true;
            try {
                action.accept(c, input());
            } finally {
                within = false;
            }
            return to;
        }

        @Override
        public void closed(Connection c, CloseCause cause) {
            nested |= within;
            super.closed(c, cause);
        }
    }

    private void endsOnce(Probe probe, CloseCause expected) throws Exception {
        assertEquals(expected, Rig.get(probe.closed));
        for (int i = 0; i < 5; i++) {
            Rig.settle(rig.loop());
        }
        assertEquals(1, probe.closes.get());
        Rig.until("it is forgotten", () -> rig.stats().connections() == 0);
    }

    @Test
    void abortInsideACall() throws Exception {
        var probe = new Nesting((c, input) -> c.abort());
        Peer peer = rig.connect(rig.listen(probe)).send("x");
        endsOnce(probe, CloseCause.ABORTED);
        assertFalse(probe.nested, "closed() comes later, not from within abort()");
        assertTrue(peer.over());
    }

    /** Code that waits for the last connection to go then has all that its protocol reports. */
    @Test
    void aConnectionCountsUntilItsProtocolHasReturnedFromClosed() throws Exception {
        var counted = new CompletableFuture<Integer>();
        var probe =
                new Probe() {
                    @Override
                    public void closed(Connection c, CloseCause cause) {
                        counted.complete(rig.stats().connections());
                        super.closed(c, cause);
                    }
                };
        Peer peer = rig.connect(rig.listen(probe));
        Rig.on(rig.loop(), probe.connection()::abort);
        endsOnce(probe, CloseCause.ABORTED);
        assertEquals(1, Rig.get(counted));
        assertTrue(peer.over());
    }

    /** It leaves the count even if its protocol fails. */
    @Test
    void aProtocolThatThrowsInClosedLeavesNoConnection() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public void closed(Connection c, CloseCause cause) {
                        super.closed(c, cause);
                        throw new IllegalStateException("thrown in closed");
                    }
                };
        rig.connect(rig.listen(probe));
        Rig.on(rig.loop(), probe.connection()::abort);
        endsOnce(probe, CloseCause.ABORTED);
    }

    @Test
    void abortFromATaskWithOutputUnderWay() throws Exception {
        var probe = new Probe();
        rig.connect(rig.listen(probe));
        Connection connection = probe.connection();
        var nested = new AtomicReference<Boolean>();
        Rig.on(rig.loop(), () -> connection.write(new byte[32 << 20], 0, 32 << 20));
        Rig.settle(rig.loop());
        Rig.on(
                rig.loop(),
                () -> {
                    connection.abort();
                    nested.set(probe.closed.isDone());
                });
        endsOnce(probe, CloseCause.ABORTED);
        assertFalse(nested.get());
        assertEquals(0, Rig.ask(rig.loop(), rig.loop().chunks::lent), "chunks come back");
    }

    @Test
    void abortTwiceAndFinishAfterwards() throws Exception {
        var probe =
                new Nesting(
                        (c, input) -> {
                            c.abort();
                            c.abort();
                            c.finish();
                        });
        rig.connect(rig.listen(probe)).send("x");
        endsOnce(probe, CloseCause.ABORTED);
    }

    @Test
    void finishThenAbort() throws Exception {
        var probe =
                new Nesting(
                        (c, input) -> {
                            c.finish();
                            c.abort();
                        });
        rig.connect(rig.listen(probe)).send("x");
        endsOnce(probe, CloseCause.ABORTED);
    }

    @Test
    void finishAndThePeerEnds() throws Exception {
        var probe = new Nesting((c, input) -> c.finish());
        Peer peer = rig.connect(rig.listen(probe)).send("x");
        assertTrue(peer.over());
        peer.close();
        endsOnce(probe, CloseCause.FINISHED);
        assertFalse(probe.nested);
    }

    @Test
    void finishWithoutLingering() throws Exception {
        var probe = new Nesting((c, input) -> c.finish(false));
        Peer peer = rig.connect(rig.listen(probe)).send("x");
        assertTrue(peer.over());
        endsOnce(probe, CloseCause.FINISHED);
        assertFalse(probe.nested);
    }

    @Test
    void thePeerEnds() throws Exception {
        var probe = new Probe();
        rig.connect(rig.listen(probe)).close();
        endsOnce(probe, CloseCause.FINISHED);
    }

    @Test
    void thePeerResets() throws Exception {
        var probe = new Probe();
        Peer peer = rig.connect(rig.listen(probe));
        probe.connection();
        peer.reset();
        endsOnce(probe, CloseCause.RESET);
    }

    @Test
    void thePeerResetsWhileWeSend() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public Protocol accept(Connection c) {
                        c.write(new byte[32 << 20], 0, 32 << 20);
                        return super.accept(c);
                    }
                };
        Peer peer = rig.connect(rig.listen(probe));
        peer.read(1000);
        peer.reset();
        endsOnce(probe, CloseCause.RESET);
        assertEquals(0, Rig.ask(rig.loop(), rig.loop().chunks::lent), "chunks come back");
    }

    @Test
    void theLoopStops() throws Exception {
        var probe = new Probe();
        Peer peer = rig.connect(rig.listen(probe));
        probe.connection();
        rig.loops().close();
        assertEquals(CloseCause.STOPPED, Rig.get(probe.closed));
        assertEquals(1, probe.closes.get());
        assertTrue(peer.over());
    }

    @Test
    void abortInTheAcceptor() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public Protocol accept(Connection c) {
                        c.abort();
                        return super.accept(c);
                    }
                };
        assertTrue(rig.connect(rig.listen(probe)).over());
        endsOnce(probe, CloseCause.ABORTED);
    }

    @Test
    void finishInTheAcceptor() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public Protocol accept(Connection c) {
                        write(c, "no");
                        c.finish(false);
                        return super.accept(c);
                    }
                };
        assertEquals("no", rig.connect(rig.listen(probe)).allText());
        endsOnce(probe, CloseCause.FINISHED);
    }

    // ---- what is thrown ends one connection, and no other

    private void throwsAlone(Probe broken, BiConsumer<Peer, Connection> provoke) throws Exception {
        Listener echo = rig.listen(c -> new Echo());
        Peer bystander = rig.connect(echo);
        bystander.send("before").text(6);
        Peer victim = rig.connect(rig.listen(broken));
        provoke.accept(victim, broken.connection());
        assertEquals(CloseCause.ABORTED, Rig.get(broken.closed));
        assertTrue(victim.over());
        assertEquals("after", bystander.send("after").text(5));
        assertEquals(1, broken.closes.get());
        assertEquals(1, rig.failures.size(), rig.failures::toString);
        assertTrue(rig.loops().all().getFirst().stats().connections() >= 1);
    }

    @Test
    void receivedThrows() throws Exception {
        throwsAlone(
                new Probe() {
                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        throw new StackOverflowError("as a protocol may");
                    }
                },
                (peer, connection) -> peer.send("x"));
    }

    @Test
    void receivedAnswersNonsense() throws Exception {
        throwsAlone(
                new Probe() {
                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        return to + 1;
                    }
                },
                (peer, connection) -> peer.send("x"));
    }

    @Test
    void receivedAnswersNegativeNonsense() throws Exception {
        throwsAlone(
                new Probe() {
                    @Override
                    public int received(Connection c, byte[] bytes, int from, int to) {
                        return -1;
                    }
                },
                (peer, connection) -> peer.send("x"));
    }

    @Test
    void endedThrows() throws Exception {
        throwsAlone(
                new Probe() {
                    @Override
                    public void ended(Connection c) {
                        throw new IllegalStateException("as a protocol may");
                    }
                },
                (peer, connection) -> peer.end());
    }

    @Test
    void expiredThrows() throws Exception {
        throwsAlone(
                new Probe() {
                    @Override
                    public void expired(Connection c) {
                        throw new IllegalStateException("as a protocol may");
                    }
                },
                (peer, connection) ->
                        Rig.on(
                                connection.loop(),
                                () -> connection.deadline(connection.loop().now() + 1)));
    }

    @Test
    void drainedThrows() throws Exception {
        throwsAlone(
                new Probe() {
                    @Override
                    public void drained(Connection c) {
                        throw new IllegalStateException("as a protocol may");
                    }
                },
                (peer, connection) -> {
                    Rig.on(
                            connection.loop(),
                            () -> {
                                connection.write(new byte[1 << 20], 0, 1 << 20);
                                assertTrue(connection.isCongested());
                            });
                    peer.read(1 << 20);
                });
    }

    @Test
    void closedThrows() throws Exception {
        var told = new CompletableFuture<CloseCause>();
        var probe =
                new Probe() {
                    @Override
                    public void closed(Connection c, CloseCause why) {
                        told.complete(why);
                        throw new IllegalStateException("as a protocol may");
                    }
                };
        rig.connect(rig.listen(probe)).close();
        assertEquals(CloseCause.FINISHED, Rig.get(told));
        Rig.until("it was told", () -> rig.failures.size() == 1);
        Rig.until("it is forgotten", () -> rig.stats().connections() == 0);
    }

    @Test
    void theAcceptorThrows() throws Exception {
        Listener listener =
                rig.listen(
                        c -> {
                            throw new IllegalStateException("as an acceptor may");
                        });
        assertTrue(rig.connect(listener).over());
        assertTrue(rig.connect(listener).over());
        Rig.until("it was told", () -> rig.failures.size() == 2);
        Rig.until("they are forgotten", () -> rig.stats().connections() == 0);
    }

    @Test
    @SuppressWarnings("NullAway")
    void theAcceptorAnswersNull() throws Exception {
        Listener listener = rig.listen(o -> o.slots(1, WhenFull.BACKLOG), c -> null);
        assertTrue(rig.connect(listener).over());
        assertTrue(rig.connect(listener).over(), "its slot was given back");
        Rig.until("it was told", () -> rig.failures.size() == 2);
        Rig.until("they are forgotten", () -> rig.stats().connections() == 0);
        assertEquals(0, rig.stats().parked());
    }

    // ---- addresses

    @Test
    void bothAddressesAreKnown() throws Exception {
        var probe = new Probe();
        Listener listener = rig.listen(probe);
        Peer peer = rig.connect(listener);
        Connection connection = probe.connection();
        assertEquals(peer.channel.getLocalAddress(), Rig.ask(rig.loop(), connection::remote));
        assertEquals(listener.address(), Rig.ask(rig.loop(), connection::local));
    }

    /** The place of a connection that is gone may be another's: it must not be asked for it. */
    @Test
    void aConnectionThatIsGoneDoesNotAnswerWithTheAddressOfAnother() throws Exception {
        var first = new Probe();
        var second = new Probe();
        Listener listener = rig.listen(c -> (first.opened.isDone() ? second : first).accept(c));
        rig.connect(listener).close();
        Rig.get(first.closed);
        Peer peer = rig.connect(listener);
        second.connection();
        Object remote = Rig.ask(rig.loop(), () -> first.connection().remote());
        assertFalse(remote.equals(peer.channel.getLocalAddress()), remote::toString);
    }

    @Test
    void resetIsReadAsAnErrorBehindWhatWasSent() throws Exception {
        var probe = new Nesting((c, input) -> c.write("half".getBytes(), 0, 4));
        Peer peer = rig.connect(rig.listen(probe)).send("x");
        assertEquals("half", peer.text(4));
        Connection connection = probe.connection();
        Rig.on(rig.loop(), connection::reset);
        endsOnce(probe, CloseCause.ABORTED);
        var error = assertThrows(UncheckedIOException.class, peer::readOnce);
        assertTrue(error.getMessage().contains("reset"), error.getMessage());
    }
}
