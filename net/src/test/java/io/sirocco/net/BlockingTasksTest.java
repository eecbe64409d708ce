// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.testkit.OnEachTransport;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Tasks that block their loop without parking: the first run of a kind does, the next does not. */
@OnEachTransport
class BlockingTasksTest {
    @Parameter TransportKind transport;
    private Rig rig;
    private final TaskKind kind = TaskKind.of("GET /slow");
    private final List<Moved> told = new CopyOnWriteArrayList<>();

    private record Moved(TaskKind kind, long millis, List<String> methods) {}

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Loops.carriesVirtualThreads(), "the JVM was not started for it");
        rig = new Rig(transport);
        rig.start(s -> s.loops(1).observer(new Told()));
    }

    private final class Told implements Observer {
        @Override
        public void taskKindMoved(
                Loop loop, TaskKind kind, long millis, StackTraceElement[] stack) {
            List<String> methods =
                    Arrays.stream(stack).map(StackTraceElement::getMethodName).toList();
            told.add(new Moved(kind, millis, methods));
        }
    }

    @AfterEach
    void stop() throws Exception {
        if (rig != null) {
            rig.close();
        }
    }

    private static void spin(BooleanSupplier until) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!until.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "nobody has released it");
            Thread.onSpinWait();
        }
    }

    /** Blocks the loop until the kind has been moved. */
    private void block() {
        assertTrue(join(rig.loop().startVirtual(kind, () -> spin(kind::moved))));
        assertTrue(kind.moved());
    }

    private static boolean join(Thread thread) {
        try {
            return thread.join(java.time.Duration.ofSeconds(20));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aKindThatHasBlockedItsLoopOnceHoldsNobodyWhenItBlocksAgain() {
        block();
        Loop loop = rig.loop();
        var released = new CountDownLatch(1);
        Thread second = loop.startVirtual(kind, () -> spin(() -> released.getCount() == 0));
        loop.execute(released::countDown); // only a loop that is not blocked does so
        assertTrue(join(second));
        Rig.until("the observer is told", () -> told.size() == 1);
        Moved moved = told.getFirst();
        assertEquals(kind, moved.kind());
        assertTrue(moved.millis() >= 20, moved::toString);
        assertTrue(moved.methods().contains("spin"), moved::toString);
        assertEquals(1, rig.stats().blockingTaskKinds());
    }

    @Test
    void threadsThatHaveParkedBeforeTheirKindWasFoundOutContinueElsewhere() {
        Loop loop = rig.loop();
        var go = new CompletableFuture<Void>();
        var released = new CountDownLatch(1);
        var places = new CopyOnWriteArrayList<Boolean>();
        Thread parked =
                loop.startMovable(
                        kind,
                        () -> {
                            places.add(loop.inLoop());
                            go.join();
                            places.add(loop.inLoop());
                            spin(() -> released.getCount() == 0);
                        });
        Rig.until("it waits", () -> parked.getState() == Thread.State.WAITING);
        block();
        go.complete(null);
        Rig.until("it goes on", () -> places.size() == 2);
        loop.execute(released::countDown);
        assertTrue(join(parked));
        assertEquals(List.of(true, false), places);
    }

    @Test
    void aThreadStaysOnTheLoopWhileItTouchesWhatBelongsToTheLoop() {
        Loop loop = rig.loop();
        var go = new CompletableFuture<Void>();
        var places = new CopyOnWriteArrayList<Boolean>();
        Thread parked =
                loop.startMovable(
                        kind,
                        () -> {
                            places.add(loop.enter());
                            go.join();
                            places.add(loop.inLoop());
                            places.add(loop.enter());
                            loop.exit();
                            Thread.yield();
                            places.add(loop.inLoop());
                            loop.exit();
                            Thread.yield();
                            places.add(loop.inLoop());
                        });
        Rig.until("it waits", () -> parked.getState() == Thread.State.WAITING);
        block();
        go.complete(null);
        assertTrue(join(parked));
        assertEquals(List.of(true, true, true, true, false), places);
    }

    @Test
    void aThreadThatIsNotMovableStaysOnTheLoop() {
        Loop loop = rig.loop();
        var go = new CompletableFuture<Void>();
        var places = new CopyOnWriteArrayList<Boolean>();
        Thread parked =
                loop.startVirtual(
                        kind,
                        () -> {
                            go.join();
                            places.add(loop.inLoop());
                        });
        Rig.until("it waits", () -> parked.getState() == Thread.State.WAITING);
        block();
        go.complete(null);
        assertTrue(join(parked));
        assertEquals(List.of(true), places);
    }

    @Test
    void whatParksIsNotBlamedForTheTimeThatItWaits() {
        for (int i = 0; i < 3; i++) {
            join(rig.loop().startVirtual(kind, () -> LockSupport.parkNanos(100_000_000)));
        }
        assertFalse(kind.moved());
    }

    /**
     * A pause of the process stops the watchdog, too: it finds a long interval, and looks again.
     */
    @Test
    void aPauseOfTheWholeProcessIsBlamedOnNobody() throws Exception {
        rig.close();
        rig.start(s -> s.loops(1).blockingMillis(0));
        Loop loop = rig.loop();
        var watchdog = new Watchdog(List.of(loop), new Settings(), Runnable::run);
        var done = new CountDownLatch(1);
        Thread thread = loop.startVirtual(kind, () -> spin(() -> done.getCount() == 0));
        Rig.until("it runs", () -> loop.kind() == kind);
        watchdog.look();
        LockSupport.parkNanos(200_000_000);
        watchdog.look();
        assertFalse(kind.moved(), "it was not seen for long");
        for (int i = 0; i < 1_000 && !kind.moved(); i++) {
            LockSupport.parkNanos(6_000_000);
            watchdog.look();
        }
        assertTrue(kind.moved(), "it was seen again and again");
        done.countDown();
        assertTrue(join(thread));
    }

    /** Many short runs make a long turn, and are none of them to blame. */
    @Test
    void manyShortRunsOfOneTurnAreNotTakenForALongOne() {
        Loop loop = rig.loop();
        Rig.on(
                loop,
                () -> {
                    for (int i = 0; i < 200; i++) {
                        loop.startVirtual(
                                kind,
                                () -> {
                                    long end = System.nanoTime() + 500_000;
                                    spin(() -> System.nanoTime() > end);
                                });
                    }
                });
        assertFalse(kind.moved());
    }

    @Test
    void tasksWithoutAKindStayOnTheLoop() {
        Loop loop = rig.loop();
        long end = System.nanoTime() + 100_000_000;
        join(loop.startVirtual(() -> spin(() -> System.nanoTime() > end)));
        var place = new CompletableFuture<Boolean>();
        join(loop.startVirtual(() -> place.complete(loop.inLoop())));
        assertTrue(Rig.get(place));
        assertEquals(List.of(), told);
    }

    private static volatile TaskKind initialising;

    static class SlowUring {
        static {
            spin(initialising::moved);
        }

        static void touch() {}
    }

    static class SlowEpoll {
        static {
            spin(initialising::moved);
        }

        static void touch() {}
    }

    static class SlowNio {
        static {
            spin(initialising::moved);
        }

        static void touch() {}
    }

    /**
     * A class is initialised once: what was slow for that returns, when it is known to be quick.
     */
    @Test
    void aKindThatWasSlowForItsClassesReturnsToTheLoopsOnce() {
        Loop loop = rig.loop();
        initialising = kind;
        Runnable cold =
                switch (transport) {
                    case IO_URING -> SlowUring::touch;
                    case EPOLL -> SlowEpoll::touch;
                    default -> SlowNio::touch;
                };
        assertTrue(join(loop.startVirtual(kind, cold)));
        assertTrue(kind.moved());
        assertReturnsOnce(loop);
    }

    /** The first run of a handler is often slow: it links code, reads bundles, opens the log. */
    @Test
    void aKindWhoseFirstStallIsShortReturnsToTheLoopsOnce() {
        Loop loop = rig.loop();
        block();
        assertTrue(kind.onTrial());
        assertReturnsOnce(loop);
    }

    @Test
    void aKindWhoseFirstStallIsLongDoesNotReturn() {
        Loop loop = rig.loop();
        assertTrue(
                join(loop.startVirtual(kind, () -> spin(() -> kind.moved() && !kind.onTrial()))));
        for (int i = 0; i < 2_000; i++) {
            join(loop.startVirtual(kind, () -> {}));
        }
        assertTrue(kind.moved());
    }

    private void assertReturnsOnce(Loop loop) {
        for (int i = 0; i < 100_000 && kind.moved(); i++) {
            join(loop.startVirtual(kind, () -> {}));
        }
        assertFalse(kind.moved());
        block();
        for (int i = 0; i < 2_000; i++) {
            join(loop.startVirtual(kind, () -> {}));
        }
        assertTrue(kind.moved(), "what blocks again does not return again");
    }
}
