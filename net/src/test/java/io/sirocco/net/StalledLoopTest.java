// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.testkit.OnEachTransport;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** A loop that does not end its turn is dead, and its owner is notified while it still hangs. */
@OnEachTransport
class StalledLoopTest {
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

    @Test
    @EnabledOnOs(OS.LINUX)
    void aNativeCallThatDoesNotReturnKillsTheLoop() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        Loops loops = rig.start(s -> s.loops(2).maxTurnMillis(200));
        Loop loop = loops.all().get(1);
        loop.execute(() -> readAll(pipe));
        Throwable why = Rig.get(loops.failure());
        assertInstanceOf(LoopStalledException.class, why);
        assertTrue(calls(why, "readAll"), () -> Arrays.toString(why.getStackTrace()));
        assertTrue(loops.hasFailed());
        assertFalse(loops.all().get(0).hasFailed());
        Files.writeString(pipe, "at last");
        assertTrue(Rig.get(loop.stop()).hasFailed(), "it ends with the turn");
    }

    private static void readAll(Path file) {
        try (var in = new FileInputStream(file.toFile())) {
            in.readAllBytes();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aLockThatNobodyReleasesKillsTheLoopAndItsThreadsAreShown() throws Exception {
        assumeTrue(Loops.carriesVirtualThreads());
        Loops loops = rig.start(s -> s.loops(1).maxTurnMillis(200));
        Loop loop = loops.all().getFirst();
        var lock = new ReentrantLock();
        var end = new CompletableFuture<Void>();
        lock.lock();
        for (int i = 0; i < 16; i++) { // one that is on its way to run or to wait shows no stack
            loop.startVirtual(
                    () -> {
                        while (!end.isDone()) {
                            Thread.yield();
                        }
                    });
        }
        loop.execute(
                () -> {
                    lock.lock();
                    lock.unlock();
                });
        Throwable why = Rig.get(loops.failure());
        lock.unlock();
        end.complete(null);
        assertTrue(calls(why, "lock"), () -> Arrays.toString(why.getStackTrace()));
        assertTrue(
                Arrays.stream(why.getSuppressed())
                        .anyMatch(each -> calls(each, "aLockThatNobodyReleases")));
    }

    private static boolean calls(Throwable why, String method) {
        return Arrays.stream(why.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().contains(method));
    }

    /** As a log does whose lock the loop holds. */
    @Test
    void anObserverThatBlocksDelaysNoDeath() throws Exception {
        var release = new CountDownLatch(1);
        var observer =
                new Observer() {
                    @Override
                    public void loopBlocked(Loop loop, long millis, StackTraceElement[] stack) {
                        await(release);
                    }
                };
        Loops loops =
                rig.start(s -> s.loops(1).longTurnMillis(50).maxTurnMillis(200).observer(observer));
        Loop loop = loops.all().getFirst();
        loop.execute(() -> await(release));
        assertInstanceOf(LoopStalledException.class, Rig.get(loops.failure()));
        release.countDown();
    }

    /** With a watchdog that looks when the test says so: a look counts for 50 ms at most. */
    @Test
    void longTurnsBelowTheLimitDoNotAddUp() throws Exception {
        var settings = new Settings().longTurnMillis(0).blockingMillis(0).maxTurnMillis(100);
        Loops loops = rig.start(s -> s.loops(1).withoutWatchdog());
        Loop loop = loops.all().getFirst();
        try (var watchdog = new Watchdog(loops.all(), settings, Runnable::run)) {
            for (int turn = 0; turn < 3; turn++) {
                looksAtOneTurn(loop, watchdog, 2);
            }
            assertFalse(loops.hasFailed());
            looksAtOneTurn(loop, watchdog, 4);
            assertTrue(loops.hasFailed(), "the same looks at one turn kill it");
        }
    }

    private static void looksAtOneTurn(Loop loop, Watchdog watchdog, int looks) throws Exception {
        var blocked = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        loop.execute(
                () -> {
                    blocked.countDown();
                    await(release);
                });
        blocked.await();
        watchdog.look();
        for (int i = 1; i < looks; i++) {
            Thread.sleep(60);
            watchdog.look();
        }
        release.countDown();
        Rig.until("it has ended", () -> loop.hasFailed() || loop.turns.begun() == 0);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theAgentOfADebuggerIsRecognised() {
        assertFalse(Debugger.isPossible());
        assertFalse(Debugger.isAgentIn(List.of("-Xmx1g", "-Dname=jdwp", "-agentpath:/x/prof.so")));
        assertTrue(Debugger.isAgentIn(List.of("-agentlib:jdwp=transport=dt_socket,server=y")));
        assertTrue(Debugger.isAgentIn(List.of("-Xrunjdwp:transport=dt_socket")));
        assertTrue(Debugger.isAgentIn(List.of("-agentpath:/jdk/lib/libjdwp.so=server=y")));
    }
}
