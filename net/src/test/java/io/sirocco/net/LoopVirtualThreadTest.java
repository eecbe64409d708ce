// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.testkit.OnEachTransport;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Virtual threads carried by a loop, and the watchdog over whoever holds it. */
@OnEachTransport
class LoopVirtualThreadTest {
    @Parameter TransportKind transport;
    private Rig rig;

    @BeforeEach
    void start() {
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        if (rig != null) {
            rig.close();
        }
    }

    /** They inherit its scheduler: each must go its own way, and all must come back. */
    @Test
    void virtualThreadsThatItStartsAreNotMistakenForIt() throws Exception {
        Loop loop = rig.loop();
        var sum = new CompletableFuture<Integer>();
        loop.execute(
                () ->
                        loop.startVirtual(
                                () -> {
                                    var parts = new ArrayList<CompletableFuture<Integer>>();
                                    for (int i = 0; i < 100; i++) {
                                        int n = i;
                                        var part = new CompletableFuture<Integer>();
                                        parts.add(part);
                                        Thread.ofVirtual()
                                                .start(
                                                        () -> {
                                                            Thread.yield();
                                                            part.complete(
                                                                    loop.inLoop() ? -1000 : n);
                                                        });
                                    }
                                    int all = 0;
                                    for (var part : parts) {
                                        all += part.join();
                                    }
                                    sum.complete(loop.inLoop() ? all : -1);
                                }));
        assertEquals(99 * 100 / 2, sum.get(10, TimeUnit.SECONDS));
    }

    @Test
    void itRunsOnTheLoopBeforeAndAfterItBlocks() throws Exception {
        Loop loop = rig.loop();
        var places = new CompletableFuture<List<Boolean>>();
        try (var server = new ServerSocket(0)) {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try (Socket socket = server.accept()) {
                                    socket.getInputStream().read();
                                    socket.getOutputStream().write(7);
                                } catch (Exception e) {
                                    places.completeExceptionally(e);
                                }
                            });
            loop.startVirtual(
                    () -> {
                        try {
                            var in = new ArrayList<Boolean>();
                            in.add(loop.inLoop());
                            Thread.sleep(10);
                            in.add(loop.inLoop());
                            LockSupport.parkNanos(1_000_000);
                            in.add(loop.inLoop());
                            Thread.yield();
                            in.add(loop.inLoop());
                            try (var socket = new Socket()) {
                                socket.connect(
                                        new InetSocketAddress("127.0.0.1", server.getLocalPort()));
                                in.add(loop.inLoop());
                                socket.getOutputStream().write(1);
                                in.add(socket.getInputStream().read() == 7);
                                in.add(loop.inLoop());
                            }
                            in.add(Thread.currentThread().isVirtual());
                            places.complete(in);
                        } catch (Throwable e) {
                            places.completeExceptionally(e);
                        }
                    });
            assertFalse(Rig.get(places).contains(false), () -> places.join().toString());
        }
    }

    @Test
    void startedOnTheLoopItHasRunUntilItBlocks() {
        Loop loop = rig.loop();
        Rig.on(
                loop,
                () -> {
                    var steps = new ArrayList<String>();
                    var acceptor = new CountDownLatch(1);
                    Thread thread =
                            loop.startVirtual(
                                    () -> {
                                        steps.add("ran");
                                        try {
                                            acceptor.await();
                                        } catch (InterruptedException e) {
                                            steps.add("interrupted");
                                        }
                                    });
                    assertEquals(List.of("ran"), steps);
                    assertTrue(thread.isAlive());
                    acceptor.countDown();
                    assertTrue(loop.inLoop());
                    assertFalse(thread.isInterrupted());
                });
    }

    @Test
    void oneThatEndsAtOnceHasEnded() {
        Loop loop = rig.loop();
        Rig.on(loop, () -> assertFalse(loop.startVirtual(() -> {}).isAlive()));
    }

    @Test
    void aThousandSleepAtOnce() throws Exception {
        Loop loop = rig.loop();
        var done = new CountDownLatch(1000);
        var strays = new AtomicInteger();
        long from = System.nanoTime();
        Rig.on(
                loop,
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        loop.startVirtual(
                                () -> {
                                    try {
                                        Thread.sleep(100);
                                    } catch (InterruptedException e) {
                                        strays.incrementAndGet();
                                    }
                                    if (!loop.inLoop()) {
                                        strays.incrementAndGet();
                                    }
                                    done.countDown();
                                });
                    }
                });
        assertTrue(done.await(20, TimeUnit.SECONDS));
        assertTrue(System.nanoTime() - from < 10_000_000_000L, "at once, not one by one");
        assertEquals(0, strays.get());
    }

    @Test
    void itMayWriteToAConnectionAcrossItsSleep() throws Exception {
        Listener listener =
                rig.listen(
                        c ->
                                (connection, bytes, from, to) -> {
                                    connection.suspend();
                                    connection
                                            .loop()
                                            .startVirtual(
                                                    () -> {
                                                        Probe.write(connection, "slow ");
                                                        LockSupport.parkNanos(5_000_000);
                                                        Probe.write(connection, "answer");
                                                        connection.resume();
                                                    });
                                    return to;
                                });
        Peer peer = rig.connect(listener);
        assertEquals("slow answer", peer.send("1").text(11));
        assertEquals("slow answer", peer.send("2").text(11));
    }

    @Test
    void oneThatThrowsEndsAlone() {
        Loop loop = rig.loop();
        var thrown = new CompletableFuture<Throwable>();
        loop.startVirtual(
                () -> {
                    Thread.currentThread()
                            .setUncaughtExceptionHandler((thread, e) -> thrown.complete(e));
                    throw new IllegalStateException("as a handler may");
                });
        assertEquals("as a handler may", Rig.get(thrown).getMessage());
        Rig.settle(loop);
    }

    @Test
    void thoseAliveWhenTheLoopsCloseComeToAnEnd() throws Exception {
        Loop loop = rig.loop();
        var threads = new CopyOnWriteArrayList<Thread>();
        var ended = new CountDownLatch(20);
        Rig.on(
                loop,
                () -> {
                    for (int i = 0; i < 20; i++) {
                        int number = i;
                        threads.add(
                                loop.startVirtual(
                                        () -> {
                                            try {
                                                Thread.sleep(50 + number);
                                                Thread.yield();
                                                Thread.sleep(1);
                                            } catch (InterruptedException e) {
                                                return;
                                            }
                                            ended.countDown();
                                        }));
                    }
                });
        rig.loops().close();
        assertTrue(ended.await(10, TimeUnit.SECONDS));
        for (Thread thread : threads) {
            assertTrue(thread.join(java.time.Duration.ofSeconds(10)));
        }
    }

    /** A thread that never stops yielding does not keep its loop from ending. */
    @Test
    void oneThatSpinsDoesNotHoldUpTheEnd() throws Exception {
        Loop loop = rig.loop();
        var stop = new CountDownLatch(1);
        Thread thread =
                loop.startVirtual(
                        () -> {
                            while (stop.getCount() > 0) {
                                Thread.yield();
                            }
                        });
        long from = System.nanoTime();
        rig.loops().close();
        assertTrue(System.nanoTime() - from < 5_000_000_000L);
        stop.countDown();
        assertTrue(thread.join(java.time.Duration.ofSeconds(10)));
    }

    /** One that outlives its loop is told so instead of waiting for ever. */
    @Test
    void oneThatOutlivesItsLoopMayStillCloseThings() throws Exception {
        Loops loops = rig.loops();
        Listener listener = rig.listen(c -> new Echo());
        Datagrams datagrams = loops.datagrams(Rig.anyPort(), (d, bytes, length, from) -> {});
        var result = new CompletableFuture<Boolean>();
        Thread thread =
                rig.loop()
                        .startVirtual(
                                () -> {
                                    loops.close();
                                    listener.close();
                                    datagrams.close();
                                    try {
                                        result.complete(
                                                datagrams.send(new byte[1], 1, Rig.anyPort()));
                                    } catch (Throwable e) {
                                        result.completeExceptionally(e);
                                    }
                                });
        assertFalse(Rig.get(result));
        assertTrue(thread.join(java.time.Duration.ofSeconds(10)));
    }

    // ---- the watchdog

    private record Held(Loop loop, long millis, List<String> methods) {}

    private final class Watching implements Observer {
        private final List<Held> seen = new CopyOnWriteArrayList<>();

        @Override
        public void loopBlocked(Loop loop, long millis, StackTraceElement[] stack) {
            seen.add(
                    new Held(
                            loop,
                            millis,
                            Arrays.stream(stack).map(StackTraceElement::getMethodName).toList()));
        }
    }

    private static void spinUntilSeen(Watching watching, int count) {
        long end = System.nanoTime() + 10_000_000_000L;
        while (watching.seen.size() < count && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        long more = System.nanoTime() + 100_000_000; // it is reported once only
        while (System.nanoTime() < more) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whoeverSpinsIsReportedOnceWithItsStack() throws Exception {
        var watching = new Watching();
        rig.start(s -> s.loops(2).longTurnMillis(40).observer(watching));
        Loop loop = rig.loop();
        Rig.on(loop, () -> spinUntilSeen(watching, 1));
        assertEquals(1, watching.seen.size());
        Held task = watching.seen.getFirst();
        assertEquals(loop, task.loop());
        assertTrue(task.millis() >= 40);
        assertTrue(task.methods().contains("spinUntilSeen"), task::toString);
        assertTrue(task.methods().contains("runTask"), task::toString);

        Thread thread = loop.startVirtual(() -> spinUntilSeen(watching, 2));
        assertTrue(thread.join(java.time.Duration.ofSeconds(15)));
        assertEquals(2, watching.seen.size());
        Held virtual = watching.seen.getLast();
        assertTrue(virtual.methods().contains("spinUntilSeen"), virtual::toString);
        assertFalse(virtual.methods().contains("turn"), "its own stack, not the carrier's");
    }

    @Test
    void whoeverParksIsNotReported() throws Exception {
        var watching = new Watching();
        rig.start(s -> s.loops(1).longTurnMillis(40).observer(watching));
        Thread thread = rig.loop().startVirtual(() -> LockSupport.parkNanos(200_000_000));
        assertTrue(thread.join(java.time.Duration.ofSeconds(10)));
        assertEquals(List.of(), watching.seen);
    }
}
