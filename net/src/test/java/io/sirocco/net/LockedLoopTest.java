// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.testkit.OnEachTransport;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** A loop whose own code waits for a lock runs its virtual threads meanwhile, and nothing else. */
@OnEachTransport
class LockedLoopTest {
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

    /** The virtual thread is first in the queue of the lock, and the loop second. */
    @Test
    void itsVirtualThreadIsBeforeItInTheQueueOfALock() throws Exception {
        var meeting = new Meeting(rig.loop());
        meeting.lock.unlock();
        meeting.end();
    }

    /** A virtual thread and the loop's own code wait for a lock that the test holds. */
    private static final class Meeting {
        final ReentrantLock lock = new ReentrantLock(true);
        private final List<String> order = new CopyOnWriteArrayList<>();
        private final CountDownLatch done = new CountDownLatch(2);

        Meeting(Loop loop) {
            lock.lock();
            loop.startVirtual(() -> enter("virtual thread"));
            Rig.until("the thread waits", () -> lock.getQueueLength() == 1);
            loop.execute(() -> enter("loop"));
            Rig.until("both wait", () -> lock.getQueueLength() == 2);
        }

        private void enter(String name) {
            lock.lock();
            order.add(name);
            lock.unlock();
            done.countDown();
        }

        void end() throws InterruptedException {
            assertTrue(done.await(20, TimeUnit.SECONDS), () -> "only " + order);
            assertEquals(List.of("virtual thread", "loop"), order);
        }
    }

    @Test
    void itsVirtualThreadIsBeforeItInTheQueueOfAMonitor() throws Exception {
        Loop loop = rig.loop();
        var monitor = new Object();
        var waiting = new CopyOnWriteArrayList<Thread>();
        var done = new CountDownLatch(2);
        Runnable enter =
                () -> {
                    waiting.add(Thread.currentThread());
                    synchronized (monitor) {
                        done.countDown();
                    }
                };
        synchronized (monitor) {
            loop.startVirtual(enter);
            untilBlocked(waiting, 1);
            loop.execute(enter);
            untilBlocked(waiting, 2);
        }
        assertTrue(done.await(20, TimeUnit.SECONDS));
    }

    private static void untilBlocked(List<Thread> threads, int count) {
        Rig.until(
                count + " wait for the monitor",
                () ->
                        threads.size() == count
                                && threads.get(count - 1).getState() == Thread.State.BLOCKED);
    }

    /** A spin lock that yields is a lock, too. */
    @Test
    void itYieldsToAVirtualThreadThatHoldsASpinLock() throws Exception {
        Loop loop = rig.loop();
        var held = new AtomicBoolean();
        var holds = new CountDownLatch(1);
        var done = new CompletableFuture<Void>();
        loop.startVirtual(
                () -> {
                    held.set(true);
                    holds.countDown();
                    for (int i = 0; i < 100; i++) {
                        Thread.yield();
                    }
                    held.set(false);
                });
        holds.await();
        loop.execute(
                () -> {
                    while (held.get()) {
                        Thread.yield();
                    }
                    done.complete(null);
                });
        done.get(20, TimeUnit.SECONDS);
    }

    @Test
    void aFlightRecordingShowsWhereItHasWaited() throws Exception {
        Loop loop = rig.loop();
        var lock = new ReentrantLock();
        var seen = new CompletableFuture<String>();
        try (var recording = new RecordingStream()) {
            recording.enable("sirocco.LoopWaited");
            recording.onEvent(
                    "sirocco.LoopWaited", event -> seen.complete(event.getString("waiter")));
            recording.startAsync();
            for (int i = 0; i < 20; i++) { // one may be too short to be noticed
                lock.lock();
                loop.execute(
                        () -> {
                            lock.lock();
                            lock.unlock();
                        });
                Rig.until("the loop waits", lock::hasQueuedThreads);
                Thread.sleep(1);
                lock.unlock();
                Rig.settle(loop);
            }
            recording.stop(); // which delivers all
            String stack = Rig.get(seen);
            assertTrue(stack.contains("ReentrantLock.lock"), stack);
            assertTrue(stack.contains("aFlightRecordingShowsWhereItHasWaited"), stack);
        }
    }

    /** They are in the loop, while its own code waits; tasks wait until that has gone on. */
    @Test
    void whileItWaitsItsVirtualThreadsRunAndAreInItAndItsTasksAreNotRun() throws Exception {
        Loop loop = rig.loop();
        var lock = new ReentrantLock();
        var steps = new CopyOnWriteArrayList<String>();
        var ends = new CountDownLatch(3);
        lock.lock();
        loop.execute(
                () -> {
                    lock.lock();
                    lock.unlock();
                    steps.add("task");
                    ends.countDown();
                });
        Rig.until("the loop waits", lock::hasQueuedThreads);
        loop.execute(
                () -> {
                    steps.add("next task");
                    ends.countDown();
                });
        Thread thread =
                loop.startVirtual(
                        () -> {
                            steps.add("thread " + loop.inLoop() + " " + loop.runInLoop(() -> {}));
                            loop.execute(
                                    () -> {
                                        steps.add("its task");
                                        ends.countDown();
                                    });
                        });
        thread.join();
        lock.unlock();
        assertTrue(ends.await(20, TimeUnit.SECONDS));
        assertEquals("thread true true", steps.getFirst());
        assertEquals("task", steps.get(1));
        assertEquals(4, steps.size());
    }

    /** The queue of tasks has its bound also while the loop waits. */
    @Test
    void whileItWaitsItTakesNoMoreTasksThanOtherwise() throws Exception {
        Loop loop = rig.loop();
        var lock = new ReentrantLock();
        lock.lock();
        loop.execute(
                () -> {
                    lock.lock();
                    lock.unlock();
                });
        Rig.until("the loop waits", lock::hasQueuedThreads);
        assertThrows(
                RejectedExecutionException.class,
                () -> {
                    for (int i = 0; i < 1_100_000; i++) {
                        loop.execute(() -> {});
                    }
                });
        lock.unlock();
    }

    @Test
    void itStopsWhileItWaitsForALockBehindItsVirtualThread() throws Exception {
        Loop loop = rig.start(s -> s.loops(2)).all().getFirst();
        var meeting = new Meeting(loop);
        CompletableFuture<Loop> ended = loop.stop();
        meeting.lock.unlock();
        Rig.get(ended);
        meeting.end();
    }

    /** What the loop's code starts is the JDK's. */
    @Test
    void virtualThreadsThatItsOwnCodeStartsAreNotItsOwn() throws Exception {
        Loop loop = rig.loop();
        var inLoop = new CompletableFuture<Boolean>();
        loop.execute(() -> Thread.startVirtualThread(() -> inLoop.complete(loop.inLoop())));
        assertEquals(false, Rig.get(inLoop));
    }

    @Test
    void aThreadThatIsStartedInAStaticInitialiserRunsLater() throws Exception {
        Loop loop = rig.loop();
        Initialised.loop = loop;
        loop.execute(Initialised::touch);
        assertEquals("behind the initialiser", Rig.get(Initialised.RAN));
    }

    /** The loop cannot be unmounted below a native frame, such as that of a class initialiser. */
    private static final class Pinned {
        static final String STATE;

        static {
            Initialised.loop.startVirtual(() -> Initialised.RAN.complete(Initialised.behind));
            STATE = "initialised";
        }
    }

    private static final class Initialised {
        static final CompletableFuture<String> RAN = new CompletableFuture<>();
        static volatile Loop loop;
        static volatile String behind = "within the initialiser";

        static void touch() {
            assertEquals("initialised", Pinned.STATE);
            behind = "behind the initialiser";
        }
    }
}
