// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.OnEachTransport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Tasks from elsewhere, the end of loops, and groups of them. */
@OnEachTransport
class LoopTest {
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
    void aMillionTasksOfFourThreadsRunInTheOrderOfEachThread() throws Exception {
        Loop loop = rig.loop();
        var next = new int[4];
        var wrong = new AtomicInteger();
        var done = new CountDownLatch(4);
        var threads = new ArrayList<Thread>();
        for (int t = 0; t < 4; t++) {
            int thread = t;
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < 250_000; i++) {
                                            int number = i;
                                            loop.execute(
                                                    () -> {
                                                        if (next[thread]++ != number) {
                                                            wrong.incrementAndGet();
                                                        }
                                                    });
                                        }
                                        loop.execute(done::countDown);
                                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertTrue(done.await(20, TimeUnit.SECONDS));
        assertEquals(0, wrong.get());
        Rig.on(loop, () -> assertEquals(1_000_000, next[0] + next[1] + next[2] + next[3]));
    }

    @Test
    void tooManyWaitingTasksAreRefused() {
        Loop loop = rig.loop();
        var release = new CountDownLatch(1);
        var held = new CompletableFuture<Void>();
        loop.execute(
                () -> {
                    held.complete(null);
                    await(release);
                });
        Rig.get(held);
        Runnable nothing = () -> {};
        assertThrows(
                RejectedExecutionException.class,
                () -> {
                    while (true) {
                        loop.execute(nothing);
                    }
                });
        release.countDown();
        Rig.until(
                "there is room again",
                () -> {
                    try {
                        loop.execute(nothing);
                        return true;
                    } catch (RejectedExecutionException e) {
                        return false;
                    }
                });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void tasksThatThrowHarmNoOne() {
        Loop loop = rig.loop();
        loop.execute(
                () -> {
                    throw new AssertionError("as a task may");
                });
        Rig.settle(loop);
        assertEquals(1, rig.failures.size());
    }

    @Test
    void anObserverThatThrowsHarmsNoOne() throws Exception {
        rig.start(
                s ->
                        s.loops(1)
                                .observer(
                                        new Observer() {
                                            @Override
                                            public void callbackFailed(
                                                    Loop loop, Throwable thrown) {
                                                throw new AssertionError(
                                                        "as an observer should not");
                                            }

                                            @Override
                                            public void acceptFailed(Loop loop, String reason) {
                                                throw new AssertionError(
                                                        "as an observer should not");
                                            }
                                        }));
        Loop loop = rig.loop();
        loop.execute(
                () -> {
                    throw new IllegalStateException("as a task may");
                });
        Listener listener = rig.listen(c -> new Echo());
        LoopAcceptor acceptor = listener.acceptors().getFirst();
        loop.execute(() -> acceptor.failed("a test"));
        assertEquals("x", rig.connect(listener).send("x").text(1));
    }

    @Test
    void afterTheEndTasksAreRejected() {
        Loops loops = rig.loops();
        Loop loop = rig.loop();
        loops.close();
        assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
        loops.close();
        assertThrows(Exception.class, () -> loops.listen(Rig.anyPort(), c -> new Echo()));
    }

    @Test
    void tasksHandedOverBeforeTheEndRun() {
        Loop loop = rig.loop();
        var ran = new AtomicInteger();
        var release = new CountDownLatch(1);
        loop.execute(() -> await(release));
        for (int i = 0; i < 1000; i++) {
            loop.execute(ran::incrementAndGet);
        }
        release.countDown();
        rig.loops().close();
        assertEquals(1000, ran.get());
    }

    /** Whoever closes a listener while the loops end must not touch what they gave back. */
    @Test
    void listenersMayCloseWhileTheLoopsDo() throws Exception {
        closeListenersWhileTheLoopsDo(6);
    }

    @Test
    @Tag("heavy")
    void listenersMayCloseWhileTheLoopsDoOverAndOver() throws Exception {
        closeListenersWhileTheLoopsDo(60);
    }

    private void closeListenersWhileTheLoopsDo(int rounds) throws Exception {
        for (int i = 0; i < rounds; i++) {
            Loops loops = rig.start(s -> s.loops(1));
            Loop loop = loops.all().getFirst();
            var listeners = new ArrayList<Listener>();
            for (int n = 0; n < 4; n++) {
                listeners.add(rig.listen(c -> new Echo()));
            }
            Datagrams datagrams = loops.datagrams(Rig.anyPort(), (d, bytes, length, from) -> {});
            var closers = new ArrayList<Thread>();
            for (Listener listener : listeners) {
                closers.add(Thread.ofPlatform().start(listener::close));
            }
            closers.add(Thread.ofPlatform().start(datagrams::close));
            closers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            while (true) {
                                                loop.execute(() -> {});
                                            }
                                        } catch (RejectedExecutionException e) {
                                            // it has ended
                                        }
                                    }));
            loops.close();
            for (Thread closer : closers) {
                closer.join();
            }
        }
    }

    @Test
    void aLoopMayAskForWhatOthersAskItFor() throws Exception {
        Loops loops = rig.start(s -> s.loops(2));
        Loop loop = loops.all().getFirst();
        var answer =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                Listener listener = loops.listen(Rig.anyPort(), c -> new Echo());
                                Datagrams datagrams =
                                        loops.datagrams(
                                                Rig.anyPort(), (d, bytes, length, from) -> {});
                                datagrams.close();
                                listener.close();
                                return true;
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        },
                        loop);
        assertTrue(Rig.get(answer));
    }

    @Test
    void aLoopMayCloseItsGroup() throws Exception {
        Loops loops =
                rig.start(s -> s.loops(2).name("closes-itself")); // no other test has threads of
        // this name
        var done = new CompletableFuture<Long>();
        long from = System.nanoTime();
        loops.all()
                .get(1)
                .execute(
                        () -> {
                            loops.close();
                            done.complete(System.nanoTime() - from);
                        });
        assertTrue(Rig.get(done) < 5_000_000_000L, "it does not wait for itself");
        Rig.until("both have ended", () -> loops.all().stream().noneMatch(this::alive));
    }

    private boolean alive(Loop loop) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals(loop.toString()));
    }

    @Test
    void anInterruptedLoopSleepsAllTheSame() {
        Loop loop = rig.loop();
        loop.execute(() -> Thread.currentThread().interrupt());
        Rig.settle(loop);
        long before = loop.stats().turns();
        var passed = new CompletableFuture<Void>();
        CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS)
                .execute(() -> passed.complete(null));
        Rig.get(passed);
        long turns = loop.stats().turns() - before;
        assertTrue(turns < 10, () -> turns + " turns while idle");
    }

    @Test
    void connectionsAreSpreadAndStayOnTheirLoop() throws Exception {
        Loops loops = rig.start(s -> s.loops(3));
        var strays = new AtomicInteger();
        Listener listener =
                rig.listen(
                        c ->
                                (connection, bytes, from, to) -> {
                                    if (!connection.loop().inLoop()) {
                                        strays.incrementAndGet();
                                    }
                                    byte index = (byte) ('0' + connection.loop().index());
                                    connection.reserve(1).put(index);
                                    return to;
                                });
        var seen = new AtomicInteger();
        for (int i = 0; i < 120; i++) {
            Peer peer = rig.connect(listener);
            String index = peer.send("?").text(1);
            assertEquals(index, peer.send("?").text(1));
            seen.updateAndGet(bits -> bits | 1 << Integer.parseInt(index));
        }
        assertEquals(0b111, seen.get());
        assertEquals(0, strays.get());
        assertEquals(120, loops.all().stream().mapToLong(l -> l.stats().accepted()).sum());
        List<Loop> order = List.of(loops.next(), loops.next(), loops.next(), loops.next());
        assertSame(order.get(0), order.get(3));
        assertEquals(3, order.stream().distinct().count());
    }

    @Test
    void twoGroupsAreIndependent() throws Exception {
        Loops one = rig.start(s -> s.loops(1).name("one"));
        Listener first = rig.listen(c -> new Echo());
        Loops two = rig.start(s -> s.loops(1).name("two"));
        Listener second = rig.listen(c -> new Echo());
        assertEquals("a", rig.connect(first).send("a").text(1));
        assertEquals("b", rig.connect(second).send("b").text(1));
        assertFalse(one.all().getFirst().inLoop());
        assertTrue(Rig.ask(one.all().getFirst(), () -> one.all().getFirst().inLoop()));
        assertFalse(Rig.ask(one.all().getFirst(), () -> two.all().getFirst().inLoop()));
        one.close();
        assertTrue(Peer.refused(first.address()));
        assertEquals("c", rig.connect(second).send("c").text(1));
        assertEquals("two-loop-0", two.all().getFirst().toString());
    }

    @Test
    void statsCount() throws Exception {
        Listener listener = rig.listen(c -> new Echo());
        Peer one = rig.connect(listener);
        Peer two = rig.connect(listener);
        one.send(new byte[100]).read(100);
        two.send(new byte[11]).read(11);
        Rig.until("sent is told", () -> rig.stats().bytesOut() == 111);
        LoopStats stats = rig.stats();
        assertEquals(2, stats.accepted());
        assertEquals(2, stats.connections());
        assertEquals(0, stats.parked());
        assertEquals(111, stats.bytesIn());
        assertTrue(stats.turns() > 0 && stats.busyNanos() > 0 && stats.longestTurnNanos() > 0);
        assertTrue(stats.longestTurnNanos() <= stats.busyNanos());
        one.close();
        two.close();
        Rig.until("both are gone", () -> rig.stats().connections() == 0);
        assertEquals(2, rig.stats().accepted());
        assertEquals(transport, rig.loop().transport());
    }

    @Test
    void settingsAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> rig.start(s -> s.loops(0)));
        assertThrows(IllegalArgumentException.class, () -> rig.start(s -> s.longTurnMillis(-1)));
    }
}
