// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Loop;
import io.sirocco.net.LoopStalledException;
import io.sirocco.net.Loops;
import io.sirocco.net.Observer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The line of the log that says why a loop has died is written, whatever else is logged. */
class LoopDeathLogTest {
    private static final Logger LOGGER = Logger.getLogger(Loop.class.getName());

    private static final int PATIENCE = 20;

    private volatile Consumer<LogRecord> published = line -> {};

    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord line) {
                    if (line.getMessage().endsWith("-loop-0 has died")) {
                        published.accept(line);
                    }
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    @BeforeEach
    void start() {
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void stop() {
        LOGGER.removeHandler(handler);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** As a log does whose lock the loop holds, or an observer that waits for the loop. */
    @Test
    void anObserverThatBlocksDelaysNoLine() throws Exception {
        var release = new CountDownLatch(1);
        var logged = new CountDownLatch(1);
        published = line -> logged.countDown();
        var observer =
                new Observer() {
                    @Override
                    public void loopBlocked(Loop loop, long millis, StackTraceElement[] stack) {
                        await(release);
                    }
                };
        try (Loops loops =
                Loops.start(
                        s -> s.loops(1).longTurnMillis(50).maxTurnMillis(200).observer(observer))) {
            loops.all().getFirst().execute(() -> await(release));
            Throwable why = loops.failure().get(PATIENCE, TimeUnit.SECONDS);
            assertInstanceOf(LoopStalledException.class, why);
            assertTrue(logged.await(PATIENCE, TimeUnit.SECONDS), "the line");
        } finally {
            release.countDown();
        }
    }

    /** An owner that is notified ends the process, perhaps before the line is written. */
    @Test
    void loopsThatAreClosedWaitForTheLine() throws Exception {
        var release = new CountDownLatch(1);
        var closer = new Thread[1];
        var lines = new boolean[2]; // written, and seen by the owner
        published =
                line -> {
                    while (!isIdle(closer[0])) {
                        Thread.onSpinWait();
                    }
                    lines[0] = true;
                };
        Loops loops = Loops.start(s -> s.loops(1).longTurnMillis(0).maxTurnMillis(200));
        closer[0] =
                Thread.ofPlatform()
                        .unstarted(
                                () -> {
                                    loops.close();
                                    lines[1] = lines[0];
                                });
        loops.failure().thenRun(closer[0]::start);
        loops.all().getFirst().execute(() -> await(release));
        try {
            loops.failure().get(PATIENCE, TimeUnit.SECONDS);
            closer[0].join();
            assertTrue(lines[1], "closed behind the line");
        } finally {
            release.countDown();
        }
    }

    private static boolean isIdle(Thread thread) {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING, TERMINATED -> true;
            default -> false;
        };
    }
}
