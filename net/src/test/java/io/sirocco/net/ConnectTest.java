// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.net.uring.Uring;
import io.sirocco.testkit.FreePort;
import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Connections that a loop opens itself, to a listener on the same loop and to others. */
@OnEachTransport
@Timeout(60)
class ConnectTest {
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

    /** The client's side: what it was told. */
    private static final class Client extends Probe implements Connector {
        final CompletableFuture<IOException> failed = new CompletableFuture<>();
        private final String greeting;

        Client(String greeting) {
            this.greeting = greeting;
        }

        @Override
        public Protocol connected(Connection connection) {
            Probe.write(connection, greeting);
            return accept(connection);
        }

        @Override
        public void failed(IOException why) {
            failed.complete(why);
        }
    }

    private Client connect(Destination to) {
        var client = new Client("hello");
        Rig.on(rig.loop(), () -> rig.loop().connect(to, client));
        return client;
    }

    @Test
    void bytesGoBothWays() throws Exception {
        Listener listener = rig.listen(c -> new Echo());
        Client client = connect(Destination.of(listener.address()));
        Rig.until("the echo is back", () -> client.input().equals("hello"));
        assertEquals(1, rig.stats().connected());
        assertEquals(1, rig.stats().accepted());
        Connection connection = client.connection();
        assertEquals(listener.address(), Rig.ask(rig.loop(), connection::remote));
        var local = (InetSocketAddress) Rig.ask(rig.loop(), connection::local);
        assertTrue(local.getAddress().isLoopbackAddress() && local.getPort() > 0);
        Rig.on(rig.loop(), connection::finish);
        assertEquals(CloseCause.FINISHED, Rig.get(client.closed));
        Rig.until("both ends are gone", () -> rig.stats().connections() == 0);
    }

    @Test
    void fromAVirtualThreadThatTheLoopCarries() throws Exception {
        Listener listener = rig.listen(c -> new Echo());
        Loop loop = rig.loop();
        assumeTrue(loop.carriesVirtualThreads());
        for (int i = 1; i <= 3; i++) {
            var client = new Client("hello");
            var within = new CompletableFuture<Boolean>();
            loop.startVirtual(
                    () ->
                            within.complete(
                                    loop.runInLoop(
                                            () ->
                                                    loop.connect(
                                                            Destination.of(listener.address()),
                                                            client))));
            assertTrue(Rig.get(within));
            Rig.until("the echo is back", () -> client.input().equals("hello"));
            assertEquals(i, rig.stats().connected());
        }
        assertTrue(loop.failure().isEmpty());
    }

    @Test
    void aUnixDomainAddressToo() throws Exception {
        var address = UnixDomainSocketAddress.of(folder.resolve("s"));
        rig.loops().listen(address, c -> new Echo());
        Client client = connect(Destination.of(address));
        Rig.until("the echo is back", () -> client.input().equals("hello"));
    }

    @Test
    void theSourceAddressIsOurs() throws Exception {
        Set<SocketAddress> seen = ConcurrentHashMap.newKeySet();
        Listener listener =
                rig.listen(
                        c -> {
                            seen.add(c.remote());
                            return new Echo();
                        });
        for (int i = 2; i < 5; i++) {
            InetAddress source = InetAddress.ofLiteral("127.0.0." + i);
            Client client = connect(Destination.of(listener.address()).withSource(source));
            Rig.until("the echo is back", () -> client.input().equals("hello"));
            assertTrue(
                    seen.stream()
                            .anyMatch(a -> ((InetSocketAddress) a).getAddress().equals(source)));
        }
    }

    @Test
    void aSourceThatIsNotOursIsSaid() throws Exception {
        Listener listener = rig.listen(c -> new Echo());
        InetAddress foreign = InetAddress.ofLiteral("192.0.2.1"); // RFC 5737: nobody's
        Client client = connect(Destination.of(listener.address()).withSource(foreign));
        assertInstanceOf(ConnectException.class, Rig.get(client.failed));
    }

    @Test
    void aRefusalIsTold() throws Exception {
        IOException why = Rig.get(connect(Destination.of(FreePort.tcpAddress())).failed);
        assertInstanceOf(ConnectException.class, why);
        assertTrue(why.getMessage().contains("refused"), why::getMessage);
        assertEquals(0, rig.stats().connected());
    }

    @Test
    void anAddressThatDoesNotResolveIsTold() throws Exception {
        var nowhere = InetSocketAddress.createUnresolved("nowhere.invalid", 80);
        IOException why = Rig.get(connect(Destination.of(nowhere)).failed);
        assertInstanceOf(ConnectException.class, why);
    }

    /** A listener whose backlog is full drops what asks for a connection: that takes for ever. */
    @Test
    void whoDoesNotAnswerIsGivenUpInTime() throws Exception {
        try (var full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var waiting = fill(full);
            Destination to = Destination.of(full.getLocalSocketAddress()).withTimeout(50);
            IOException why = Rig.get(connect(to).failed);
            assertInstanceOf(SocketTimeoutException.class, why);
            assertTrue(why.getMessage().contains("50 ms"), why::getMessage);
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    @Test
    void aLoopThatStopsGivesUp() throws Exception {
        try (var full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var waiting = fill(full);
            Client client = connect(Destination.of(full.getLocalSocketAddress()));
            rig.loops().close();
            assertInstanceOf(LoopStoppedException.class, Rig.get(client.failed));
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    /** Fills the backlog of {@code server} with connections, which the caller closes. */
    static ArrayList<Socket> fill(ServerSocket server) {
        var waiting = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 64; i++) {
                var socket = new Socket();
                waiting.add(socket);
                socket.connect(server.getLocalSocketAddress(), 200);
            }
            throw new AssertionError("the backlog is never full");
        } catch (IOException e) {
            return waiting;
        }
    }

    @Test
    void aConnectorThatThrowsLosesItsConnectionOnly() throws Exception {
        var probe = new Probe();
        Listener listener = rig.listen(probe);
        var broken =
                new Connector() {
                    @Override
                    public Protocol connected(Connection connection) {
                        throw new IllegalStateException("on purpose");
                    }

                    @Override
                    public void failed(IOException why) {}
                };
        Rig.on(rig.loop(), () -> rig.loop().connect(Destination.of(listener.address()), broken));
        Rig.get(probe.closed);
        assertEquals("on purpose", rig.failures.element().getMessage());
    }

    /** Through more than one table of direct descriptors, which are made for it. */
    @Test
    void thousandsAtOnceAndAgain() throws Exception {
        System.setProperty(Uring.TABLE_SIZE, "512");
        try {
            rig.start(s -> s.loops(1));
        } finally {
            System.clearProperty(Uring.TABLE_SIZE);
        }
        Listener listener = rig.listen(c -> new Echo());
        int descriptors = Rig.openDescriptors();
        for (int round = 0; round < 2; round++) {
            var clients = new ConcurrentLinkedQueue<Client>();
            for (int i = 0; i < 10; i++) {
                Rig.on(
                        rig.loop(),
                        () -> {
                            for (int k = 0; k < 100; k++) {
                                var client = new Client("hello " + k);
                                clients.add(client);
                                rig.loop().connect(Destination.of(listener.address()), client);
                            }
                        });
            }
            for (Client client : clients) {
                Rig.until("an echo", () -> client.input().equals(client.greeting));
            }
            if (transport == TransportKind.IO_URING) {
                int more = Rig.openDescriptors() - descriptors;
                assertTrue(more < 30, () -> more + " more descriptors for 2000 ends");
            }
            Rig.on(rig.loop(), () -> clients.forEach(client -> client.connection().abort()));
            Rig.until("all are gone", () -> rig.stats().connections() == 0);
        }
        assertEquals(2_000, rig.stats().connected());
    }

    @Test
    void appointmentsAreKeptInOrderAndNotEarly() throws Exception {
        Loop loop = rig.loop();
        var kept = new ConcurrentLinkedQueue<String>();
        var done = new CompletableFuture<Void>();
        Rig.on(
                loop,
                () -> {
                    long now = loop.clock().nanos();
                    for (int i : new int[] {3, 1, 2}) {
                        long at = now + i * 300_000;
                        loop.scheduleAt(
                                at, () -> kept.add(i + (loop.nanos() >= at ? "" : " early")));
                    }
                    loop.scheduleAt(now + 1_500_000, () -> done.complete(null));
                });
        Rig.get(done);
        assertEquals("[1, 2, 3]", kept.toString());
    }

    @Test
    void anAppointmentMayMakeTheNextOne() throws Exception {
        Loop loop = rig.loop();
        var done = new CompletableFuture<Void>();
        var again =
                new Runnable() {
                    private int left = 100;

                    @Override
                    public void run() {
                        if (--left == 0) {
                            done.complete(null);
                        } else {
                            loop.scheduleAt(loop.nanos() - 1, this); // overdue: the next turn
                        }
                    }
                };
        Rig.on(loop, () -> loop.scheduleAt(loop.nanos(), again));
        Rig.get(done);
    }
}
