// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.OnEachTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What one connection receives is sent to another one from where it is. */
@OnEachTransport
class RelayTest {
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

    /** Passes all input on to {@code target}, no faster than that takes it. */
    private static final class Relay implements Protocol {
        private Connection source;
        private Connection target;

        @Override
        public int relay(Connection connection, ReceivedBytes input) {
            if (target == null) {
                return 0;
            }
            input.writeTo(target, input.length());
            if (target.isCongested()) {
                connection.suspend();
            }
            return input.length();
        }

        @Override
        public int received(Connection connection, byte[] bytes, int from, int to) {
            target.write(bytes, from, to); // it was kept while this was suspended
            return to;
        }

        /** The protocol of the target, which only wakes the source. */
        Protocol back() {
            return new Protocol() {
                @Override
                public int received(Connection connection, byte[] bytes, int from, int to) {
                    return to;
                }

                @Override
                public void drained(Connection connection) {
                    source.resume();
                }

                @Override
                public void closed(Connection connection, CloseCause cause) {
                    source.abort();
                }
            };
        }
    }

    /** Two peers: what the first one sends, the other one gets. */
    private record Pair(Peer from, Peer to) {}

    /** Accepts connections in pairs: the target, and then its source. */
    private final class Pairs implements Acceptor {
        private final ConcurrentLinkedQueue<Relay> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicInteger accepted = new AtomicInteger();
        private final List<Connection> targets = new ArrayList<>();
        private final Listener listener;
        private volatile List<RateLimiter> limits = List.of(); // of the targets to come

        Pairs() throws Exception {
            listener = rig.listen(this);
        }

        @Override
        public Protocol accept(Connection connection) {
            accepted.incrementAndGet();
            Relay relay = waiting.poll();
            if (relay != null) {
                relay.source = connection;
                return relay;
            }
            relay = new Relay();
            relay.target = connection;
            targets.add(connection);
            if (!limits.isEmpty()) {
                connection.limitRates(List.of(), limits);
            }
            waiting.add(relay);
            return relay.back();
        }

        /** Returns when none of the targets takes more. */
        void untilStuck() {
            Rig.until(
                    "all are stuck",
                    () ->
                            Rig.ask(
                                    rig.loop(),
                                    () -> targets.stream().allMatch(t -> t.unsent() > 0)));
        }

        Pair connect() throws Exception {
            int before = accepted.get();
            Peer to = rig.closes(Peer.small(listener.address()));
            Rig.until("accepted", () -> accepted.get() == before + 1);
            Peer from = rig.connect(listener);
            Rig.until("accepted", () -> accepted.get() == before + 2);
            return new Pair(from, to);
        }
    }

    @Test
    void everySizeArrivesAsItWasSent() throws Exception {
        var pairs = new Pairs();
        Pair pair = pairs.connect();
        for (int size : new int[] {1, 100, 4095, 4096, 65535, 65536, 65537, 1 << 20, 5 << 20}) {
            byte[] sent = Rig.pattern(size);
            Thread sender = pair.from.sending(sent);
            if (size == 5 << 20) { // more than the kernel keeps
                pairs.untilStuck();
                pair.to.widen();
            }
            assertArrayEquals(sent, pair.to.read(size), () -> size + " bytes");
            sender.join();
        }
        assertTrue(rig.failures.isEmpty(), rig.failures::toString);
    }

    @Test
    void theTargetMayHaveTls() throws Exception {
        var pair = TlsFiles.get().pair("a", "EC", "a.test", "localhost");
        Tls tls = Tls.of(s -> s.certificate(pair.chain(), pair.key()));
        var pairs = new Pairs();
        Listener secure = rig.listen(options -> options.tls(tls), pairs);
        byte[] sent = Rig.pattern(3 << 20);
        try (var to = TlsPeer.to(secure)) {
            to.shakeHands();
            Rig.until("accepted", () -> pairs.accepted.get() == 1);
            Peer from = rig.connect(pairs.listener);
            Thread sender = from.sending(sent);
            assertArrayEquals(sent, to.read(sent.length));
            sender.join();
        }
    }

    @Test
    void theTargetMayHaveARateLimit() throws Exception {
        var pairs = new Pairs();
        pairs.limits = List.of(RateLimiter.perSecond(2_000_000));
        Pair pair = pairs.connect();
        byte[] sent = Rig.pattern(400_000);
        Thread sender = pair.from.sending(sent);
        assertArrayEquals(sent, pair.to.read(sent.length));
        sender.join();
    }

    /** More of them than there are buffers: those for receiving must not run out. */
    @Test
    void whoReadsNothingKeepsNoOtherFromReceiving() throws Exception {
        var pairs = new Pairs();
        byte[] sent = Rig.pattern(4 << 20); // the kernel keeps up to 3
        List<Pair> stuck = new ArrayList<>();
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < 70; i++) {
            Pair pair = pairs.connect();
            stuck.add(pair);
            senders.add(pair.from.sending(sent));
        }
        pairs.untilStuck();
        Peer echoed = rig.connect(rig.listen(c -> new Echo()));
        for (int i = 0; i < 5; i++) {
            byte[] part = Rig.pattern(300_000 + i);
            Thread sender = echoed.sending(part);
            assertArrayEquals(part, echoed.read(part.length));
            sender.join();
        }
        for (int i : new int[] {0, 1, 69}) {
            assertArrayEquals(sent, stuck.get(i).to.widen().read(sent.length));
            senders.get(i).join();
        }
        assertTrue(rig.failures.isEmpty(), rig.failures::toString);
    }

    /** Buffers come back when what refers to them is never sent. */
    @Test
    void whoDisconnectsLeavesNoBufferBehind() throws Exception {
        var pairs = new Pairs();
        byte[] sent = Rig.pattern(4 << 20);
        for (int i = 0; i < 80; i++) {
            Pair pair = pairs.connect();
            Thread sender = pair.from.sending(sent);
            pair.to.read(10_000);
            pair.to.reset();
            sender.join();
        }
        Pair last = pairs.connect();
        Thread sender = last.from.sending(sent);
        assertArrayEquals(sent, last.to.widen().read(sent.length));
        sender.join();
    }

    /** The rest goes to {@code received}, in pieces of the size that the protocol wants. */
    @Test
    void whatIsNotRelayedIsReceived() throws Exception {
        var most = new AtomicInteger();
        Listener listener =
                rig.listen(
                        c ->
                                new Protocol() {
                                    private boolean turn;

                                    @Override
                                    public int relay(Connection connection, ReceivedBytes input) {
                                        turn = !turn;
                                        int n = turn ? Math.min(input.length(), 6_000) : 0;
                                        if (n > 0) {
                                            input.writeTo(connection, n);
                                        }
                                        return n;
                                    }

                                    @Override
                                    public int mostReceived() {
                                        return 1_000;
                                    }

                                    @Override
                                    public int received(
                                            Connection connection, byte[] bytes, int from, int to) {
                                        most.accumulateAndGet(to - from, Math::max);
                                        connection.write(bytes, from, to);
                                        return to;
                                    }
                                });
        Peer peer = rig.connect(listener);
        byte[] sent = Rig.pattern(2 << 20);
        Thread sender = peer.sending(sent);
        assertArrayEquals(sent, peer.read(sent.length));
        sender.join();
        assertEquals(1_000, most.get());
    }
}
