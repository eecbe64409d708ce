// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** UDP on a loop. */
@OnEachTransport
class DatagramsTest {
    @Parameter TransportKind transport;
    private Rig rig;
    private DatagramSocket peer;
    private final List<DatagramSocket> others = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        rig = new Rig(transport);
        peer = new DatagramSocket(Rig.anyPort());
        peer.setSoTimeout(10_000);
        peer.setReceiveBufferSize(1 << 20);
    }

    @AfterEach
    void stop() throws Exception {
        peer.close();
        others.forEach(DatagramSocket::close);
        rig.close();
    }

    private static final Datagrams.Receiver ECHO =
            (datagrams, bytes, length, from) -> {
                assertTrue(datagrams.loop().inLoop());
                assertTrue(send(datagrams, bytes, length, from));
            };

    private Datagrams echo() throws IOException {
        return rig.loops().datagrams(Rig.anyPort(), ECHO);
    }

    private Datagrams bind(Consumer<Datagrams.Options> options) throws IOException {
        return rig.loops().datagrams(Rig.anyPort(), options, ECHO);
    }

    private static boolean send(
            Datagrams datagrams, byte[] bytes, int length, InetSocketAddress to) {
        try {
            return datagrams.send(bytes, length, to);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static InetSocketAddress addressOf(DatagramSocket socket) {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private DatagramSocket anotherPeer() throws IOException {
        var another = new DatagramSocket(Rig.anyPort());
        another.setSoTimeout(10_000);
        another.setReceiveBufferSize(1 << 20);
        others.add(another);
        return another;
    }

    private void send(Datagrams to, byte[] bytes) throws IOException {
        peer.send(new DatagramPacket(bytes, bytes.length, to.address()));
    }

    private byte[] receive() throws IOException {
        return receive(peer);
    }

    private static byte[] receive(DatagramSocket at) throws IOException {
        var packet = new DatagramPacket(new byte[70_000], 70_000);
        at.receive(packet);
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    @Test
    void echoesEverySize() throws Exception {
        Datagrams datagrams = echo();
        for (int size : new int[] {0, 1, 2, 1472, 1473, 8192, 65_506, Datagrams.MAX_SIZE}) {
            byte[] sent = Rig.pattern(size);
            send(datagrams, sent);
            assertArrayEquals(sent, receive(), () -> size + " bytes");
        }
    }

    @Test
    void oneThatIsTooLongIsRefused() throws Exception {
        Datagrams datagrams = echo();
        var to = (InetSocketAddress) peer.getLocalSocketAddress();
        Rig.on(
                rig.loop(),
                () ->
                        assertThrows(
                                IOException.class,
                                () -> datagrams.send(new byte[65_508], 65_508, to)));
        send(datagrams, new byte[] {5});
        assertArrayEquals(new byte[] {5}, receive());
    }

    @Test
    void manyAreAllAnswered() throws Exception {
        Datagrams datagrams = echo();
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 60; i++) {
                send(datagrams, new byte[] {(byte) round, (byte) i});
            }
            for (int i = 0; i < 60; i++) {
                assertArrayEquals(new byte[] {(byte) round, (byte) i}, receive());
            }
        }
    }

    /** Each has the next one sent, so the socket is never empty: others have their turn. */
    @Test
    void anEndlessStreamOfThemDoesNotHoldTheLoop() throws Exception {
        var stop = new AtomicBoolean();
        var seen = new AtomicInteger();
        Datagrams datagrams =
                rig.loops()
                        .datagrams(
                                Rig.anyPort(),
                                (d, bytes, length, from) -> {
                                    seen.incrementAndGet();
                                    if (!stop.get()) {
                                        try {
                                            d.send(bytes, 1, d.address());
                                            d.send(bytes, 1, d.address());
                                        } catch (IOException e) {
                                            throw new AssertionError(e);
                                        }
                                    }
                                });
        send(datagrams, new byte[1]);
        Rig.until("many were seen", () -> seen.get() > 3_000);
        assertEquals("x", rig.connect(rig.listen(c -> new Echo())).send("x").text(1));
        stop.set(true);
        Rig.settle(rig.loop());
    }

    @Test
    void aReceiverThatThrowsGoesOn() throws Exception {
        var seen = new AtomicInteger();
        Datagrams datagrams =
                rig.loops()
                        .datagrams(
                                Rig.anyPort(),
                                (d, bytes, length, from) -> {
                                    seen.incrementAndGet();
                                    throw new IllegalStateException("as a receiver may");
                                });
        send(datagrams, new byte[1]);
        send(datagrams, new byte[1]);
        Rig.until("both were seen", () -> seen.get() == 2);
        Rig.until("both were told", () -> rig.failures.size() == 2);
    }

    @Test
    void aPeerThatIsGoneDoesNoHarm() throws Exception {
        Datagrams datagrams = echo();
        var nobody = new DatagramSocket(Rig.anyPort());
        var address = (InetSocketAddress) nobody.getLocalSocketAddress();
        nobody.close();
        Rig.on(
                rig.loop(),
                () -> {
                    for (int i = 0; i < 3; i++) {
                        try {
                            datagrams.send(new byte[1], 1, address);
                        } catch (IOException e) {
                            // the system may tell of an earlier one
                        }
                    }
                });
        send(datagrams, new byte[] {9});
        assertArrayEquals(new byte[] {9}, receive());
    }

    @Test
    void closingGivesTheAddressBack() throws Exception {
        Datagrams first = echo();
        InetSocketAddress address = first.address();
        IOException e =
                assertThrows(
                        IOException.class,
                        () -> rig.loops().datagrams(address, (d, bytes, length, from) -> {}));
        assertTrue(e.getMessage().contains("127.0.0.1:" + address.getPort()), e::getMessage);
        int before = Rig.openDescriptors();
        for (int i = 0; i < 50; i++) {
            first.close();
            first.close();
            Datagrams closed = first;
            assertFalse(Rig.ask(rig.loop(), () -> closed.send(new byte[1], 1, Rig.anyPort())));
            first =
                    rig.loops()
                            .datagrams(
                                    address,
                                    (d, bytes, length, from) -> {
                                        try {
                                            d.send(bytes, length, from);
                                        } catch (IOException io) {
                                            throw new AssertionError(io);
                                        }
                                    });
            send(first, new byte[] {(byte) i});
            assertArrayEquals(new byte[] {(byte) i}, receive());
        }
        assertEquals(before, Rig.openDescriptors());
    }

    /** A protocol may open a socket for each transfer. */
    @Test
    void oneThatIsClosedIsForgotten() throws Exception {
        var closed = new ArrayList<WeakReference<Datagrams>>();
        for (int i = 0; i < 20; i++) {
            Datagrams datagrams = echo();
            closed.add(new WeakReference<>(datagrams));
            datagrams.close();
        }
        Rig.until(
                "they are collected",
                () -> {
                    System.gc();
                    return closed.stream().filter(r -> r.get() != null).count() <= 1;
                });
    }

    @Test
    void closingFromTheReceiver() throws Exception {
        Datagrams datagrams =
                rig.loops().datagrams(Rig.anyPort(), (d, bytes, length, from) -> d.close());
        send(datagrams, new byte[1]);
        send(datagrams, new byte[1]);
        Rig.until("it is closed", () -> Rig.ask(rig.loop(), datagrams::closed));
        assertEquals("x", rig.connect(rig.listen(c -> new Echo())).send("x").text(1));
    }

    // ---- many at a time

    /** So many do not wait: some of them leave before the turn ends. */
    @Test
    void aThousandOfOneTurnArriveInOrder() throws Exception {
        Datagrams datagrams = echo();
        var peers = new ArrayList<DatagramSocket>();
        for (int i = 0; i < 10; i++) {
            peers.add(anotherPeer());
        }
        Rig.on(
                rig.loop(),
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        byte[] bytes = ByteBuffer.allocate(4).putInt(i).array();
                        assertTrue(send(datagrams, bytes, 4, addressOf(peers.get(i % 10))));
                    }
                });
        for (int i = 0; i < 1000; i++) {
            assertEquals(i, ByteBuffer.wrap(receive(peers.get(i % 10))).getInt());
        }
        assertEquals(0, datagrams.dropped());
    }

    /** A megabyte: more than a loop keeps. */
    @Test
    void longOnesOfOneTurnArrive() throws Exception {
        Datagrams datagrams = echo();
        var peers = new ArrayList<DatagramSocket>();
        for (int i = 0; i < 16; i++) {
            peers.add(anotherPeer());
        }
        Rig.on(
                rig.loop(),
                () -> {
                    for (int i = 0; i < 16; i++) {
                        byte[] bytes = Rig.pattern(60_000 + i);
                        assertTrue(send(datagrams, bytes, bytes.length, addressOf(peers.get(i))));
                    }
                });
        for (int i = 0; i < 16; i++) {
            assertArrayEquals(Rig.pattern(60_000 + i), receive(peers.get(i)));
        }
    }

    @Test
    void socketsThatSendByTurnsEachKeepTheirOrder() throws Exception {
        var sockets = List.of(echo(), echo(), echo());
        var peers = List.of(anotherPeer(), anotherPeer(), anotherPeer());
        Rig.on(
                rig.loop(),
                () -> {
                    for (int i = 0; i < 90; i++) {
                        var to = addressOf(peers.get(i % 3));
                        assertTrue(send(sockets.get(i % 3), new byte[] {(byte) i}, 1, to));
                    }
                });
        for (int i = 0; i < 90; i++) {
            var packet = new DatagramPacket(new byte[10], 10);
            peers.get(i % 3).receive(packet);
            assertEquals(i, packet.getData()[0]);
            assertEquals(sockets.get(i % 3).address(), packet.getSocketAddress());
        }
    }

    @Test
    void emptyOnesAreDatagrams() throws Exception {
        Datagrams datagrams = echo();
        for (int i = 0; i < 40; i++) {
            send(datagrams, new byte[i % 2]);
        }
        for (int i = 0; i < 40; i++) {
            assertEquals(i % 2, receive().length);
        }
    }

    /** The bytes are copied, so a receiver may use one array for all. */
    @Test
    void anArrayMayBeUsedAgainAtOnce() throws Exception {
        Datagrams datagrams = echo();
        Rig.on(
                rig.loop(),
                () -> {
                    var bytes = new byte[1];
                    for (byte i = 0; i < 10; i++) {
                        bytes[0] = i;
                        assertTrue(send(datagrams, bytes, 1, addressOf(peer)));
                    }
                });
        for (byte i = 0; i < 10; i++) {
            assertArrayEquals(new byte[] {i}, receive());
        }
    }

    /**
     * A socket that is never empty has a few hundred delivered, and then others have their turn.
     */
    @Test
    void aSocketTakesABoundedShareOfEachTurn() throws Exception {
        var stop = new AtomicBoolean();
        var seen = new AtomicInteger();
        var most = new AtomicInteger();
        var turn = new long[2];
        Datagrams datagrams =
                rig.loops()
                        .datagrams(
                                Rig.anyPort(),
                                (d, bytes, length, from) -> {
                                    long turns = d.loop().stats().turns();
                                    turn[1] = turns == turn[0] ? turn[1] + 1 : 1;
                                    turn[0] = turns;
                                    most.accumulateAndGet((int) turn[1], Math::max);
                                    seen.incrementAndGet();
                                    if (!stop.get()) {
                                        send(d, bytes, 1, d.address());
                                        send(d, bytes, 1, d.address());
                                    }
                                });
        send(datagrams, new byte[1]);
        Rig.until("many were seen", () -> seen.get() > 8_000);
        stop.set(true);
        Rig.settle(rig.loop());
        assertTrue(most.get() <= 512, () -> most.get() + " in one turn");
    }

    /** The next receiver of the same turn waits until the peer has the response of the first. */
    @Test
    void aResponseDoesNotWaitForTheEndOfALongTurn() throws Exception {
        var received = new CountDownLatch(1);
        Datagrams datagrams =
                rig.loops()
                        .datagrams(
                                Rig.anyPort(),
                                (d, bytes, length, from) -> {
                                    if (bytes[0] == 2) {
                                        try {
                                            received.await();
                                        } catch (InterruptedException e) {
                                            throw new AssertionError(e);
                                        }
                                        return;
                                    }
                                    send(d, bytes, length, from);
                                    long begun = System.nanoTime();
                                    while (System.nanoTime() - begun < 1_000_000) {
                                        Thread.onSpinWait();
                                    }
                                });
        var both = new CountDownLatch(1);
        rig.loop()
                .execute(
                        () -> {
                            try {
                                both.await();
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
        send(datagrams, new byte[] {1});
        send(datagrams, new byte[] {2});
        both.countDown();
        assertArrayEquals(new byte[] {1}, receive());
        received.countDown();
    }

    @Test
    void closingSendsWhatWaits() throws Exception {
        Datagrams datagrams = echo();
        Datagrams other = echo();
        Rig.on(
                rig.loop(),
                () -> {
                    for (byte i = 0; i < 20; i++) {
                        assertTrue(send(datagrams, new byte[] {i}, 1, addressOf(peer)));
                    }
                    datagrams.close();
                    assertFalse(send(datagrams, new byte[1], 1, addressOf(peer)));
                    assertTrue(send(other, new byte[] {99}, 1, addressOf(peer)));
                });
        for (byte i = 0; i < 20; i++) {
            assertArrayEquals(new byte[] {i}, receive());
        }
        assertArrayEquals(new byte[] {99}, receive());
    }

    @Test
    void stoppingTheLoopsSendsWhatWaits() throws Exception {
        Datagrams datagrams = echo();
        Loops loops = rig.loops();
        Rig.on(
                rig.loop(),
                () -> {
                    assertTrue(send(datagrams, new byte[] {7}, 1, addressOf(peer)));
                    loops.close();
                });
        assertArrayEquals(new byte[] {7}, receive());
    }

    // ---- errors

    @Test
    void oneThatTheSystemRefusesLosesNoOther() throws Exception {
        Datagrams datagrams = echo();
        var refused =
                List.of(
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                        new InetSocketAddress(InetAddress.ofLiteral("127.255.255.255"), 9),
                        new InetSocketAddress(InetAddress.ofLiteral("::1"), 9));
        Rig.on(
                rig.loop(),
                () -> {
                    byte number = 0;
                    for (InetSocketAddress each : refused) {
                        assertTrue(send(datagrams, new byte[] {number++}, 1, addressOf(peer)));
                        assertTrue(send(datagrams, new byte[1], 1, each));
                    }
                    assertTrue(send(datagrams, new byte[] {number}, 1, addressOf(peer)));
                });
        for (byte i = 0; i <= refused.size(); i++) {
            assertArrayEquals(new byte[] {i}, receive());
        }
        assertEquals(refused.size(), datagrams.dropped());
    }

    @Test
    void anAddressThatIsNotResolvedIsRefused() throws Exception {
        Datagrams datagrams = echo();
        var nowhere = InetSocketAddress.createUnresolved("nowhere.invalid", 9);
        Rig.on(
                rig.loop(),
                () ->
                        assertThrows(
                                UnknownHostException.class,
                                () -> datagrams.send(new byte[1], 1, nowhere)));
    }

    @Test
    void anUnreachablePortEndsNoReceiving() throws Exception {
        var seen = new AtomicInteger();
        Datagrams datagrams =
                rig.loops()
                        .datagrams(
                                Rig.anyPort(), (d, bytes, length, from) -> seen.incrementAndGet());
        Rig.reportUnreachablePeers(datagrams);
        var nobody = new DatagramSocket(Rig.anyPort());
        var closed = addressOf(nobody);
        nobody.close();
        for (int round = 1; round <= 20; round++) {
            Rig.on(rig.loop(), () -> assertTrue(send(datagrams, new byte[1], 1, closed)));
            for (int i = 0; i < 5; i++) {
                send(datagrams, new byte[1]);
            }
            int sent = 5 * round;
            Rig.until("all have arrived", () -> seen.get() == sent);
        }
    }

    // ---- options

    @Test
    void aBroadcastReachesASocketOfAllAddresses() throws Exception {
        var heard = new ArrayBlockingQueue<InetSocketAddress>(10);
        Datagrams all =
                rig.loops()
                        .datagrams(
                                new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 0),
                                (d, bytes, length, from) -> {
                                    heard.add(from);
                                    send(d, bytes, length, from);
                                });
        var to =
                new InetSocketAddress(
                        InetAddress.ofLiteral("127.255.255.255"), all.address().getPort());
        var answered = new ArrayBlockingQueue<InetSocketAddress>(10);
        Datagrams sender =
                rig.loops()
                        .datagrams(
                                Rig.anyPort(),
                                options -> options.broadcast(true),
                                (d, bytes, length, from) -> answered.add(from));
        assertTrue(Rig.ask(rig.loop(), () -> sender.send(new byte[] {1}, 1, to)));
        assertEquals(sender.address(), heard.poll(10, TimeUnit.SECONDS));
        assertEquals(
                new InetSocketAddress("127.0.0.1", all.address().getPort()),
                answered.poll(10, TimeUnit.SECONDS));
        assertEquals(0, sender.dropped());
    }

    @Test
    void broadcastsAreDroppedUnlessTheyAreAllowed() throws Exception {
        Datagrams datagrams = echo();
        var to = new InetSocketAddress(InetAddress.ofLiteral("127.255.255.255"), 9);
        assertTrue(Rig.ask(rig.loop(), () -> datagrams.send(new byte[1], 1, to)));
        Rig.settle(rig.loop());
        assertEquals(1, datagrams.dropped());
    }

    @Test
    void socketsShareAnAddressIfAllOfThemReuseIt() throws Exception {
        Datagrams first = bind(options -> options.reuseAddress(true));
        assertThrows(IOException.class, () -> rig.loops().datagrams(first.address(), ECHO));
        Datagrams second =
                rig.loops().datagrams(first.address(), options -> options.reuseAddress(true), ECHO);
        assertEquals(first.address(), second.address());
        send(first, new byte[] {3});
        assertArrayEquals(new byte[] {3}, receive());
    }

    @Test
    void ipv6() throws Exception {
        var loopback = new InetSocketAddress(InetAddress.ofLiteral("::1"), 0);
        Datagrams datagrams;
        try {
            datagrams = rig.loops().datagrams(loopback, ECHO);
        } catch (IOException e) {
            abort("no IPv6 here: " + e.getMessage());
            return;
        }
        try (var six = new DatagramSocket(loopback)) {
            six.setSoTimeout(10_000);
            for (byte i = 0; i < 3; i++) {
                six.send(new DatagramPacket(new byte[] {i}, 1, datagrams.address()));
                assertArrayEquals(new byte[] {i}, receive(six));
            }
        }
    }

    /** An IPv6 socket has another form for the address of the same peer than an IPv4 one. */
    @Test
    void aPeerOfSocketsOfBothFamilies() throws Exception {
        Datagrams four = echo();
        Datagrams both;
        try {
            both =
                    rig.loops()
                            .datagrams(new InetSocketAddress(InetAddress.ofLiteral("::"), 0), ECHO);
        } catch (IOException e) {
            abort("no IPv6 here: " + e.getMessage());
            return;
        }
        var loopback = InetAddress.ofLiteral("127.0.0.1");
        for (byte i = 0; i < 3; i++) {
            send(four, new byte[] {i});
            assertArrayEquals(new byte[] {i}, receive());
            var at = new InetSocketAddress(loopback, both.address().getPort());
            peer.send(new DatagramPacket(new byte[] {9}, 1, at));
            assertArrayEquals(new byte[] {9}, receive());
            assertTrue(Rig.ask(rig.loop(), () -> both.send(new byte[1], 1, addressOf(peer))));
            assertEquals(1, receive().length);
        }
    }
}
