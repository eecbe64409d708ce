// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Addresses of every kind, and what happens at the door. */
@OnEachTransport
class ListenerTest {
    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Rig rig;

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    // ---- slots

    @Test
    void withoutASlotConnectionsWaitInTheBacklog() throws Exception {
        Listener listener = rig.listen(o -> o.slots(2, WhenFull.BACKLOG), c -> new Echo());
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < 8; i++) {
            peers.add(rig.connect(listener).send("x"));
        }
        Rig.until("two are served", () -> rig.stats().bytesOut() == 2);
        for (int i = 0; i < 20; i++) {
            Rig.settle(rig.loop());
        }
        assertEquals(2, rig.stats().accepted(), "the others are not accepted");
        assertEquals(0, rig.stats().parked());
        long before = rig.stats().turns();
        for (int i = 0; i < 8; i++) {
            assertEquals("x", peers.get(i).text(1));
            peers.get(i).close();
        }
        Rig.until("all are gone", () -> rig.stats().connections() == 0);
        assertEquals(8, rig.stats().accepted());
        assertTrue(rig.stats().turns() - before < 1000, "and nothing spins");
    }

    @Test
    void eightThatComeWhileTheLoopIsBusyFillNoMoreThanItsSlots() throws Exception {
        Listener listener = rig.listen(o -> o.slots(2, WhenFull.BACKLOG), c -> new Echo());
        var peers = new ArrayList<Peer>();
        Rig.on(
                rig.loop(),
                () -> {
                    try {
                        for (int i = 0; i < 8; i++) {
                            peers.add(rig.connect(listener));
                        }
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
        Rig.until("two are served", () -> rig.stats().connections() >= 2);
        for (int i = 0; i < 20; i++) {
            Rig.settle(rig.loop());
        }
        assertEquals(2, rig.stats().accepted());
        for (Peer peer : peers) {
            assertEquals("x", peer.send("x").text(1));
            peer.close();
        }
    }

    @Test
    void parkedConnectionsAreAcceptedUnreadAndServedLater() throws Exception {
        Listener listener =
                rig.listen(o -> o.slots(1, WhenFull.PARK).parking(2, 60_000), c -> new Echo());
        Peer first = rig.connect(listener).send("1");
        assertEquals("1", first.text(1));
        Peer second = rig.connect(listener).send("2");
        Peer third = rig.connect(listener).send("3");
        Rig.until("two are parked", () -> rig.stats().parked() == 2);
        Peer fourth = rig.connect(listener).send("4");
        for (int i = 0; i < 20; i++) {
            Rig.settle(rig.loop());
        }
        assertEquals(3, rig.stats().accepted(), "the fourth waits in the backlog");
        assertEquals(1, rig.stats().bytesIn(), "nothing is read of those parked");
        first.close();
        assertEquals("2", second.text(1));
        second.close();
        assertEquals("3", third.text(1));
        third.close();
        assertEquals("4", fourth.text(1));
        fourth.close();
        Rig.until("all are gone", () -> rig.stats().connections() == 0);
        assertEquals(0, rig.stats().parked());
    }

    /** Waits for its peer until that has sent a byte. */
    private static final class Waiting implements Protocol {
        private boolean served;

        @Override
        public int received(Connection connection, byte[] bytes, int from, int to) {
            served = true;
            connection.write(bytes, from, to);
            return to;
        }

        @Override
        public boolean replaced(Connection connection) {
            if (!served) connection.abort(CloseCause.TOO_MANY);
            return !served;
        }
    }

    @Test
    void aNewConnectionReplacesTheOldestThatWaitsForItsPeer() throws Exception {
        Listener listener = rig.listen(o -> o.slots(3, WhenFull.REPLACE), c -> new Waiting());
        Peer served = rig.connect(listener).send("1");
        assertEquals("1", served.text(1));
        Peer oldest = rig.connect(listener);
        Rig.until("it has a slot", () -> rig.stats().accepted() == 2);
        Peer younger = rig.connect(listener);
        Rig.until("so has this", () -> rig.stats().accepted() == 3);
        Peer last = rig.connect(listener).send("4");
        assertEquals("4", last.text(1));
        assertTrue(oldest.over());
        assertEquals("3", younger.send("3").text(1));
        assertEquals("2", served.send("2").text(1));
        Peer tooMany = rig.connect(listener).send("5");
        Rig.until("it is kept", () -> rig.stats().accepted() == 5);
        served.close();
        assertEquals("5", tooMany.text(1));
        for (Peer each : List.of(oldest, younger, last, tooMany)) each.close();
    }

    @Test
    void parkingHasItsDeadline() throws Exception {
        var clock = new ManualClock();
        rig.start(s -> s.loops(1).clock(clock));
        Listener listener =
                rig.listen(o -> o.slots(1, WhenFull.PARK).parking(10, 500), c -> new Echo());
        Peer first = rig.connect(listener).send("1");
        assertEquals("1", first.text(1));
        Peer second = rig.connect(listener).send("2");
        Rig.until("it is parked", () -> rig.stats().parked() == 1);
        clock.advance(rig.loop(), 499);
        assertEquals(1, rig.stats().parked());
        clock.advance(rig.loop(), 1 + 16);
        assertTrue(second.over());
        Rig.until("it is forgotten", () -> rig.stats().connections() == 1);
        assertEquals(0, rig.stats().parked());
        assertEquals("1", first.send("1").text(1));
        first.close();
        assertEquals("3", rig.connect(listener).send("3").text(1));
    }

    // ---- pace

    @Test
    void acceptsKeepThePace() throws Exception {
        var clock = new ManualClock();
        rig.start(s -> s.loops(1).clock(clock));
        Listener listener =
                rig.listen(o -> o.acceptRate(RateLimiter.perSecond(20)), c -> new Probe());
        for (int i = 0; i < 40; i++) {
            rig.connect(listener);
        }
        for (int i = 0; i < 100; i++) {
            clock.advance(rig.loop(), 10);
        }
        long accepted = rig.stats().accepted();
        assertTrue(accepted >= 18 && accepted <= 23, () -> accepted + " in a second");
        listener.options.acceptRate.rate(RateLimiter.UNLIMITED);
        clock.advance(rig.loop(), 200);
        Rig.until("all are accepted", () -> rig.stats().accepted() == 40);
    }

    // ---- addresses

    @Test
    void unixDomain() throws Exception {
        Path path = folder.resolve("socket");
        var address = UnixDomainSocketAddress.of(path);
        var probe = new Probe();
        Listener listener = rig.loops().listen(address, probe);
        assertEquals(address, listener.address());
        assertEquals(-1, listener.port());
        Peer peer = rig.connect(listener);
        Connection connection = probe.connection();
        SocketAddress remote = Rig.ask(rig.loop(), connection::remote);
        assertEquals("", assertInstanceOf(UnixDomainSocketAddress.class, remote).toString());
        assertEquals(address, connection.local());
        Rig.on(rig.loop(), () -> Probe.write(connection, "hello"));
        assertEquals("hello", peer.text(5));
        peer.end();
        assertEquals(CloseCause.FINISHED, Rig.get(probe.closed));

        IOException taken =
                assertThrows(IOException.class, () -> rig.loops().listen(address, c -> new Echo()));
        assertTrue(taken.getMessage().contains(path.toString()), taken::getMessage);
        assertTrue(Files.exists(path), "a refused listener removes no one's file");
        listener.close();
        assertFalse(Files.exists(path));
        Files.createFile(path);
        listener.close();
        assertTrue(Files.exists(path), "closing twice removes no one else's file");
    }

    @Test
    void theSocketOfAKilledProcessIsReplaced() throws Exception {
        var address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address).close();
        assertTrue(Files.exists(address.getPath()), "a close leaves the file, as a kill does");
        Listener listener = rig.loops().listen(address, c -> new Echo());
        assertEquals("x", rig.connect(listener).send("x").text(1));
    }

    @Test
    void onlyASocketThatNobodyListensOnIsReplaced() throws Exception {
        Path path = Files.writeString(folder.resolve("socket"), "a file");
        var address = UnixDomainSocketAddress.of(path);
        assertThrows(IOException.class, () -> rig.loops().listen(address, c -> new Echo()));
        assertEquals("a file", Files.readString(path));
        Files.delete(path);
        try (var other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(address, 1);
            assertThrows(IOException.class, () -> rig.loops().listen(address, c -> new Echo()));
            try (var client = SocketChannel.open(address)) {
                assertTrue(client.isConnected());
            }
        }
    }

    @Test
    void unixDomainFilesGoWithTheLoops() throws Exception {
        Path path = folder.resolve("socket");
        rig.loops().listen(UnixDomainSocketAddress.of(path), c -> new Echo());
        rig.loops().close();
        assertFalse(Files.exists(path));
    }

    @Test
    void aPathThatIsTooLongIsRefused() {
        Path path = folder.resolve("x".repeat(120));
        IOException e =
                assertThrows(
                        IOException.class,
                        () ->
                                rig.loops()
                                        .listen(UnixDomainSocketAddress.of(path), c -> new Echo()));
        assertTrue(e.getMessage().contains("x".repeat(100)), e::getMessage);
    }

    @Test
    void severalLoopsShareAUnixDomainAddress() throws Exception {
        Loops loops = rig.start(s -> s.loops(3));
        var address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        Listener listener = loops.listen(address, c -> new Echo());
        for (int i = 0; i < 30; i++) {
            assertEquals("x", rig.connect(listener).send("x").text(1));
        }
        for (Loop loop : loops.all()) {
            assertEquals(10, loop.stats().accepted());
        }
    }

    /** One that is full is passed over, and nothing is accepted when all are. */
    @Test
    void slotsOfAllLoopsAreUsedBehindASharedAddress() throws Exception {
        Loops loops = rig.start(s -> s.loops(2));
        var address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        Listener listener =
                loops.listen(address, o -> o.slots(3, WhenFull.BACKLOG), c -> new Echo());
        var peers = new ArrayList<Peer>();
        for (int i = 0; i < 9; i++) {
            peers.add(rig.connect(listener).send("x"));
        }
        Rig.until(
                "six are served",
                () -> loops.all().stream().mapToLong(l -> l.stats().bytesOut()).sum() == 6);
        for (int i = 0; i < 20; i++) {
            loops.all().forEach(Rig::settle);
        }
        for (Loop loop : loops.all()) {
            assertEquals(3, loop.stats().bytesOut());
            assertEquals(3, loop.stats().accepted());
        }
        for (int i = 0; i < 9; i++) {
            assertEquals("x", peers.get(i).text(1));
            peers.get(i).close();
        }
    }

    /** The loop that accepts for all keeps the pace for all. */
    @Test
    void theBucketOfAcceptsIsSharedByAllLoops() throws Exception {
        var clock = new ManualClock();
        Loops loops = rig.start(s -> s.loops(3).clock(clock));
        var address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        Listener listener =
                loops.listen(
                        address, o -> o.acceptRate(RateLimiter.perSecond(20)), c -> new Probe());
        for (int i = 0; i < 40; i++) {
            rig.connect(listener);
        }
        for (int i = 0; i < 100; i++) {
            clock.advance(10);
            loops.all().forEach(Rig::settle);
        }
        long accepted = loops.all().stream().mapToLong(l -> l.stats().accepted()).sum();
        assertTrue(accepted >= 17 && accepted <= 24, () -> accepted + " in a second");
    }

    @Test
    void ipv6() throws Exception {
        InetAddress loopback = InetAddress.ofLiteral("::1");
        try (var probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(loopback, 0));
        } catch (IOException e) {
            assumeTrue(false, "no IPv6 here");
        }
        var probe = new Probe();
        Listener listener = rig.loops().listen(new InetSocketAddress(loopback, 0), probe);
        Peer peer = rig.connect(listener);
        Connection connection = probe.connection();
        assertEquals(peer.channel.getLocalAddress(), Rig.ask(rig.loop(), connection::remote));
        assertEquals(loopback, ((InetSocketAddress) listener.address()).getAddress());
    }

    @Test
    void theIpv6WildcardTakesIpv4Too() throws Exception {
        var any = new InetSocketAddress(InetAddress.ofLiteral("::"), 0);
        var probe = new Probe();
        Listener listener;
        try {
            listener = rig.loops().listen(any, probe);
        } catch (IOException e) {
            assumeTrue(false, "no IPv6 here");
            return;
        }
        Peer peer = rig.closes(Peer.to(new InetSocketAddress("127.0.0.1", listener.port())));
        assertEquals(
                peer.channel.getLocalAddress(),
                Rig.ask(rig.loop(), () -> probe.connection().remote()));
    }

    @Test
    void theIpv4WildcardTakesIpv4Only() throws Exception {
        var any = new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 0);
        Listener listener = rig.loops().listen(any, c -> new Echo());
        InetAddress bound = ((InetSocketAddress) listener.address()).getAddress();
        assertEquals(any.getAddress(), bound);
        assertTrue(
                Peer.refused(new InetSocketAddress(InetAddress.ofLiteral("::1"), listener.port())));
        var local = new InetSocketAddress("127.0.0.1", listener.port());
        assertEquals("x", rig.closes(Peer.to(local)).send("x").text(1));
    }

    @Test
    void aNameThatIsNotResolvedIsRefused() throws Exception {
        var address = InetSocketAddress.createUnresolved("no.such.host", 80);
        for (int n = 1; n <= 2; n++) {
            int loops = n;
            Loops some = rig.start(s -> s.loops(loops));
            IOException e =
                    assertThrows(IOException.class, () -> some.listen(address, c -> new Echo()));
            assertTrue(e.getMessage().contains("no.such.host"), e::getMessage);
        }
    }

    @Test
    void whoConnectsWhileItBeginsToListenIsServed() throws Exception {
        connectWhileItBeginsToListen(10);
    }

    @Test
    @Tag("heavy")
    void whoConnectsWhileItBeginsToListenIsServedInManyRounds() throws Exception {
        connectWhileItBeginsToListen(100);
    }

    private void connectWhileItBeginsToListen(int rounds) throws Exception {
        Loops loops = rig.start(s -> s.loops(2));
        for (int i = 0; i < rounds; i++) {
            InetSocketAddress address = FreePort.tcpAddress();
            try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
                var served = new ArrayList<Future<Integer>>();
                for (int k = 0; k < 2; k++) {
                    served.add(clients.submit(() -> connectAsSoonAsItListens(address)));
                }
                Listener listener = loops.listen(address, c -> new Echo());
                for (Future<Integer> each : served) {
                    assertEquals('x', each.get());
                }
                listener.close();
            }
        }
    }

    private static int connectAsSoonAsItListens(InetSocketAddress address) throws IOException {
        while (true) {
            try (var socket = new Socket()) {
                try {
                    socket.connect(address);
                } catch (ConnectException e) {
                    continue; // not yet
                }
                socket.getOutputStream().write('x');
                return socket.getInputStream().read();
            }
        }
    }

    @Test
    void aPortInUseIsNamed() throws Exception {
        for (int n = 1; n <= 3; n += 2) {
            int loops = n;
            rig.start(s -> s.loops(loops));
            try (var other = new ServerSocket()) {
                other.bind(Rig.anyPort());
                int before = Rig.openDescriptors();
                var address = new InetSocketAddress("127.0.0.1", other.getLocalPort());
                for (int i = 0; i < 5; i++) {
                    IOException e =
                            assertThrows(
                                    IOException.class,
                                    () -> rig.loops().listen(address, c -> new Echo()));
                    assertTrue(
                            e.getMessage().contains("127.0.0.1:" + other.getLocalPort()),
                            e::getMessage);
                }
                rig.loops().all().forEach(Rig::settle);
                assertEquals(before, Rig.openDescriptors(), "nothing is left behind");
            }
            Listener own = rig.listen(c -> new Echo());
            assertThrows(
                    IOException.class, () -> rig.loops().listen(own.address(), c -> new Echo()));
            assertEquals("x", rig.connect(own).send("x").text(1));
        }
    }

    /** The second loop takes no more tasks, so it cannot bind: the first gives its socket back. */
    @Test
    void whatOneLoopHasBoundIsGivenBackWhenAnotherCannot() throws Exception {
        Loops loops = rig.start(s -> s.loops(2));
        Loop busy = loops.all().get(1);
        var release = new CountDownLatch(1);
        var held = new CompletableFuture<Void>();
        busy.execute(
                () -> {
                    held.complete(null);
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
        Rig.get(held);
        assertThrows(
                RejectedExecutionException.class,
                () -> {
                    while (true) {
                        busy.execute(() -> {});
                    }
                });
        int before = Rig.openDescriptors();
        assertThrows(
                RejectedExecutionException.class,
                () -> loops.listen(Rig.anyPort(), c -> new Echo()));
        Rig.settle(rig.loop());
        int after = Rig.openDescriptors(); // fewer when something else of this process ends
        assertTrue(after <= before, () -> after + " open descriptors, before it " + before);
        release.countDown();
        Rig.until("it takes tasks again", () -> takesTasks(busy));
        loops.all().forEach(Rig::settle);
        assertEquals("x", rig.connect(rig.listen(c -> new Echo())).send("x").text(1));
    }

    private static boolean takesTasks(Loop loop) {
        try {
            loop.execute(() -> {});
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    @Test
    void theSamePortAtOnce() throws Exception {
        listenAtTheSamePort(4);
    }

    @Test
    @Tag("heavy")
    void theSamePortFiftyTimesAtOnce() throws Exception {
        listenAtTheSamePort(25);
    }

    private void listenAtTheSamePort(int times) throws Exception {
        for (int loops = 1; loops <= 2; loops++) {
            int count = loops;
            SocketAddress address = null;
            for (int i = 0; i < times; i++) {
                Loops group = rig.start(s -> s.loops(count));
                Listener listener =
                        group.listen(address == null ? Rig.anyPort() : address, c -> new Echo());
                address = listener.address();
                try (Peer peer = Peer.to(address)) {
                    assertEquals("x", peer.send("x").text(1));
                    if (i % 2 == 0) {
                        listener.close();
                        group.listen(address, c -> new Echo());
                    }
                    group.close();
                    assertTrue(peer.over());
                }
            }
        }
    }

    @Test
    void closingAListenerKeepsItsConnections() throws Exception {
        Loops loops = rig.start(s -> s.loops(2));
        Listener listener = rig.listen(c -> new Echo());
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            peers.add(rig.connect(listener));
            peers.get(i).send("x").text(1);
        }
        listener.close();
        assertTrue(Peer.refused(listener.address()));
        for (Peer peer : peers) {
            assertEquals("still here", peer.send("still here").text(10));
        }
        listener.close();
        assertEquals(10, loops.all().stream().mapToInt(l -> l.stats().connections()).sum());
    }

    @Test
    void listenersThatComeAndGoLeaveNothing() throws Exception {
        Loops loops = rig.start(s -> s.loops(2));
        int waiting = waiting(loops);
        rig.listen(c -> new Echo()).close();
        int before = Rig.openDescriptors();
        Set<Connection> seen = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 100; i++) {
            try (Listener listener =
                            rig.listen(
                                    c -> {
                                        seen.add(c);
                                        return new Echo();
                                    });
                    Peer peer = Peer.to(listener.address())) {
                assertEquals("x", peer.send("x").text(1));
            }
        }
        assertEquals(100, seen.size());
        assertEquals(2, new HashSet<>(loops.all()).size());
        Rig.until("descriptors are back", () -> Rig.openDescriptors() <= before);
        Rig.until("nothing waits for the death of a loop", () -> waiting(loops) <= waiting);
    }

    private static int waiting(Loops loops) {
        return loops.all().stream()
                .mapToInt(loop -> loop.death.notified().getNumberOfDependents())
                .sum();
    }
}
