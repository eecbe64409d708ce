// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Deadlines and alarms by a clock that is moved by hand. */
@OnEachTransport
class DeadlineTest {
    private static final int GRAIN = 16;
    private static final int COARSE_GRAIN = 256;

    @Parameter TransportKind transport;
    private final ManualClock clock = new ManualClock();
    private Rig rig;
    private Probe probe;
    private Connection connection;

    @BeforeEach
    void start() throws Exception {
        rig = new Rig(transport);
        rig.start(s -> s.loops(1).clock(clock));
        probe = new Probe();
        rig.connect(rig.listen(probe));
        connection = probe.connection();
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    private void deadline(long fromNow) {
        Rig.on(rig.loop(), () -> connection.deadline(rig.loop().now() + fromNow));
    }

    @Test
    void neverEarlyAndAtMostOneGrainLate() {
        deadline(100);
        clock.advance(rig.loop(), 99);
        assertEquals(0, probe.expiries.get());
        clock.advance(rig.loop(), 1 + GRAIN);
        assertEquals(1, probe.expiries.get());
        clock.advance(rig.loop(), 60_000);
        assertEquals(1, probe.expiries.get(), "it is cleared");
    }

    @Test
    void farOnesMayBeAQuarterOfASecondLate() {
        deadline(30_000);
        clock.advance(rig.loop(), 29_999);
        assertEquals(0, probe.expiries.get());
        clock.advance(rig.loop(), 1 + COARSE_GRAIN);
        assertEquals(1, probe.expiries.get());
    }

    @Test
    void movedLater() {
        deadline(100);
        clock.advance(rig.loop(), 50);
        deadline(100);
        clock.advance(rig.loop(), 99);
        assertEquals(0, probe.expiries.get());
        clock.advance(rig.loop(), 1 + GRAIN);
        assertEquals(1, probe.expiries.get());
    }

    @Test
    void movedEarlier() {
        deadline(30_000);
        deadline(100);
        clock.advance(rig.loop(), 99);
        assertEquals(0, probe.expiries.get());
        clock.advance(rig.loop(), 1 + GRAIN);
        assertEquals(1, probe.expiries.get());
    }

    @Test
    void cancelled() {
        deadline(100);
        Rig.on(rig.loop(), connection::clearDeadline);
        clock.advance(rig.loop(), 100_000);
        assertEquals(0, probe.expiries.get());
        deadline(100);
        clock.advance(rig.loop(), 100 + GRAIN);
        assertEquals(1, probe.expiries.get());
    }

    @Test
    void onePassedAlreadyFiresSoon() {
        clock.advance(rig.loop(), 10_000);
        deadline(-5_000);
        clock.advance(rig.loop(), GRAIN);
        assertEquals(1, probe.expiries.get());
    }

    @Test
    void aLeapOfAYearFiresEverythingOnce() {
        var fired = new ArrayList<Integer>();
        Rig.on(
                rig.loop(),
                () -> {
                    for (int i = 1; i <= 1000; i++) {
                        int number = i;
                        rig.loop().schedule(i * 977L, () -> fired.add(number));
                    }
                });
        clock.advance(rig.loop(), 365L * 86_400_000);
        Rig.on(rig.loop(), () -> assertEquals(1000, fired.size()));
    }

    @Test
    void withoutAnOwnRuleItIsAborted() throws Exception {
        var closed = new java.util.concurrent.CompletableFuture<CloseCause>();
        Listener listener =
                rig.listen(
                        c -> {
                            c.deadline(c.loop().now() + 10);
                            return new Protocol() {
                                @Override
                                public int received(Connection c, byte[] bytes, int from, int to) {
                                    return to;
                                }

                                @Override
                                public void closed(Connection c, CloseCause cause) {
                                    closed.complete(cause);
                                }
                            };
                        });
        Peer peer = rig.connect(listener);
        Rig.until("accepted", () -> rig.stats().accepted() == 2);
        clock.advance(rig.loop(), 10 + GRAIN);
        assertTrue(peer.over());
        assertEquals(CloseCause.ABORTED, Rig.get(closed));
    }

    @Test
    void alarmsRunOnceUnlessCancelled() {
        var fired = new ArrayList<String>();
        ScheduledTask[] alarms = new ScheduledTask[3];
        Loop loop = rig.loop();
        Rig.on(
                loop,
                () -> {
                    loop.schedule(40, () -> fired.add("second"));
                    loop.schedule(20, () -> fired.add("first"));
                    alarms[0] = loop.schedule(30, () -> fired.add("cancelled"));
                    alarms[0].cancel();
                    loop.schedule(
                            20,
                            () -> {
                                throw new IllegalStateException("as a task may");
                            });
                    // two of one slot, of which one cancels the other
                    alarms[1] = loop.schedule(100, () -> alarms[2].cancel());
                    alarms[2] = loop.schedule(100, () -> alarms[1].cancel());
                    loop.schedule(Long.MAX_VALUE, () -> fired.add("never"));
                });
        clock.advance(loop, 19);
        Rig.on(loop, () -> assertEquals(List.of(), fired));
        clock.advance(loop, 500);
        clock.advance(loop, 500);
        Rig.on(loop, () -> assertEquals(List.of("first", "second"), fired));
        assertEquals(1, rig.failures.size());
        assertFalse(probe.closed.isDone());
    }

    @Test
    void realTimeWakesAnIdleLoop() throws Exception {
        try (var real = new Rig(transport)) {
            var fired = new java.util.concurrent.CompletableFuture<Long>();
            long from = System.nanoTime();
            Rig.on(
                    real.loop(),
                    () -> real.loop().schedule(60, () -> fired.complete(System.nanoTime() - from)));
            assertTrue(Rig.get(fired) >= 58_000_000, "not early");
        }
    }

    /** An idle loop sleeps: it does not poll. */
    @Test
    void anIdleLoopDoesNotTurn() throws Exception {
        try (var real = new Rig(transport)) {
            Probe idle = new Probe();
            real.connect(real.listen(idle));
            idle.connection();
            Rig.on(real.loop(), () -> idle.connection().deadline(real.loop().now() + 60_000));
            Rig.settle(real.loop());
            long before = real.stats().turns();
            var passed = new java.util.concurrent.CompletableFuture<Void>();
            java.util.concurrent.CompletableFuture.delayedExecutor(
                            300, java.util.concurrent.TimeUnit.MILLISECONDS)
                    .execute(() -> passed.complete(null));
            Rig.get(passed);
            long turns = real.stats().turns() - before;
            assertTrue(turns <= 5, () -> turns + " turns while idle");
        }
    }
}
