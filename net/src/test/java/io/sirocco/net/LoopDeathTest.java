// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** A loop that ends by itself says so, and leaves nothing behind that looks alive. */
@OnEachTransport
class LoopDeathTest {
    @Parameter TransportKind transport;
    @TempDir Path folder;
    private Rig rig;
    private volatile Error fault;
    private volatile String dying = "-loop-0";

    /** The clock is asked in the midst of a turn, where no code of a protocol runs. */
    private final Clock clock =
            new Clock() {
                @Override
                public long nanos() {
                    if (fault != null && Thread.currentThread().getName().endsWith(dying)) {
                        throw fault;
                    }
                    return System.nanoTime();
                }

                @Override
                public long wallMillis() {
                    return System.currentTimeMillis();
                }

                @Override
                public void onLeap(Runnable wake) {}
            };

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    @Test
    void itsOwnerIsToldItsConnectionsEndAndItAcceptsNoMore() throws Exception {
        var died = new CompletableFuture<Throwable>();
        var observer =
                new Observer() {
                    @Override
                    public void loopDied(Loop loop, Throwable thrown) {
                        died.complete(thrown);
                    }
                };
        Loops loops = rig.start(s -> s.loops(1).clock(clock).observer(observer));
        var probe = new Probe();
        Listener listener = rig.listen(probe);
        Peer peer = rig.connect(listener).send("hello");
        Rig.until("it serves", () -> probe.inputLength() == 5);
        var error = new OutOfMemoryError("a test");
        fault = error;
        peer.send("!");
        assertSame(error, Rig.get(loops.failure()));
        assertSame(error, Rig.get(died));
        assertSame(error, rig.loop().failure().orElseThrow());
        assertEquals(CloseCause.STOPPED, Rig.get(probe.closed));
        assertTrue(peer.over());
        assertEquals(0, rig.stats().connections());
        assertEquals(0, rig.stats().memoryUsed());
        Rig.until("nothing listens", () -> Peer.refused(listener.address()));
        long began = System.nanoTime();
        listener.close();
        loops.close();
        assertTrue(System.nanoTime() - began < 5_000_000_000L, "stopping waits for nobody");
    }

    @Test
    void connectionsOnTheirWayToItEnd() throws Exception {
        dying = "-loop-1";
        Loops loops = rig.start(s -> s.loops(2).clock(clock));
        Loop first = loops.all().get(0);
        Loop second = loops.all().get(1);
        var begun = new AtomicInteger();
        var over = new AtomicInteger();
        Listener listener =
                loops.listen(
                        UnixDomainSocketAddress.of(folder.resolve("socket")), // one loop accepts
                        c -> {
                            if (c.loop() == first) {
                                return new Echo();
                            }
                            begun.incrementAndGet();
                            return new Probe() {
                                @Override
                                public void closed(Connection connection, CloseCause cause) {
                                    over.incrementAndGet();
                                }
                            };
                        });
        var go = new CompletableFuture<Void>();
        second.execute(
                () -> {
                    second.scheduleAt(Long.MAX_VALUE, () -> {}); // has await ask the clock
                    go.join();
                });
        var peers = new ArrayList<SocketChannel>();
        for (int i = 0; i < 4; i++) {
            peers.add(SocketChannel.open(listener.address()));
        }
        Rig.until("every other one stays", () -> first.stats().connections() == 2);
        Rig.settle(first);
        fault = new OutOfMemoryError("a test");
        go.complete(null);
        Rig.until("it has died", () -> second.failure().isPresent());
        Rig.until("they have ended", () -> over.get() == begun.get());
        assertEquals(0, second.stats().connections());
        for (SocketChannel peer : peers) {
            peer.close();
        }
    }

    /** The kernel would read memory that is another's by then, and send that. */
    @Test
    void whatWasReadyToLeaveLeavesBeforeItsMemoryIsFreed() throws Exception {
        byte[] content = Rig.pattern(10_000);
        OpenFile file = OpenFile.open(Files.write(folder.resolve("file"), content));
        assertTrue(file.load());
        rig.start(s -> s.loops(1).clock(clock));
        Listener listener =
                rig.listen(
                        _ ->
                                (connection, _, _, to) -> {
                                    connection.write(file, 0, content.length);
                                    Loop loop = connection.loop();
                                    loop.scheduleAt(
                                            Long.MAX_VALUE, () -> {}); // has await ask the clock
                                    fault = new OutOfMemoryError("a test");
                                    return to;
                                });
        Peer peer = rig.connect(listener).send("x");
        assertArrayEquals(content, peer.read(content.length));
        assertTrue(peer.over());
        Rig.until("nobody holds the file", () -> isReleased(file));
    }

    /** Has the loop die in its next turn. */
    private void kill(Loop loop) {
        fault = new OutOfMemoryError("a test");
        try {
            loop.execute(() -> {});
        } catch (RejectedExecutionException e) {
            // it was awake, and has died already
        }
    }

    private static boolean isReleased(OpenFile file) {
        if (!file.retain()) {
            return true;
        }
        file.release();
        return false;
    }

    /** The same, as soon as the peer makes room. */
    @Test
    void whatWaitsForRoomIsNotSentAfterItsMemoryIsFreed() throws Exception {
        int length = 16 << 20;
        OpenFile file = OpenFile.open(Files.write(folder.resolve("file"), new byte[length]));
        assertTrue(file.load());
        assertTrue(file.retain()); // it stays, so that what is read of it can be told
        var closing = new CompletableFuture<Void>();
        var read = new CompletableFuture<byte[]>();
        rig.start(s -> s.loops(1).clock(clock));
        var protocol =
                new Protocol() {
                    @Override
                    public int received(Connection connection, byte[] bytes, int from, int to) {
                        connection.write(file, 0, length);
                        return to;
                    }

                    @Override
                    public void closed(Connection connection, CloseCause cause) {
                        closing.complete(null);
                        Rig.get(read); // so there is room
                    }
                };
        Peer peer = rig.connect(rig.listen(_ -> protocol)).send("x");
        var taken = new AtomicLong();
        Rig.until(
                "the kernel takes no more",
                () -> {
                    Rig.settle(rig.loop());
                    long now = rig.stats().bytesOut();
                    return now > 0 && taken.getAndSet(now) == now;
                });
        kill(rig.loop());
        Rig.get(closing);
        int half = taken.intValue() / 2;
        read.complete(peer.read(half));
        assertEquals(taken.get(), half + peer.readAll().length);
        file.release();
        Rig.until("nobody holds the file", () -> isReleased(file)); // NIO closes the socket before
    }

    /** Its connector is called, whatever the transport was about to do. */
    @Test
    void aConnectionThatIsBeingOpenedFails() throws Exception {
        rig.start(s -> s.loops(1).clock(clock));
        try (var full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<Socket> waiting = ConnectTest.fill(full);
            int descriptors = Rig.openDescriptors();
            var failed = new CompletableFuture<IOException>();
            var connector =
                    new Connector() {
                        @Override
                        public Protocol connected(Connection connection) {
                            throw new AssertionError("the backlog is full");
                        }

                        @Override
                        public void failed(IOException why) {
                            failed.complete(why);
                        }
                    };
            Loop loop = rig.loop();
            Destination to = Destination.of(full.getLocalSocketAddress());
            Rig.on(loop, () -> loop.connect(to, connector));
            Rig.settle(loop);
            kill(loop);
            assertInstanceOf(LoopStoppedException.class, Rig.get(failed));
            Rig.get(rig.loops().failure());
            assertTrue(Rig.openDescriptors() <= descriptors, "its socket is closed");
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    @Test
    void anErrorInATaskIsToldAndTheLoopLives() throws Exception {
        var error = new OutOfMemoryError("a test");
        rig.loop()
                .execute(
                        () -> {
                            throw error;
                        });
        Rig.until("it is told", () -> rig.failures.contains(error));
        Rig.settle(rig.loop());
        assertTrue(rig.loop().failure().isEmpty());
    }
}
