// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.ManualClock;
import io.sirocco.testkit.OnEachTransport;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Bandwidth of connections, by a clock that is moved by hand. */
@OnEachTransport
class RateLimitsTest {
    private static final long RATE = 10_240; // 1,024 bytes in 100 ms
    private static final int STEP = 10;

    @Parameter TransportKind transport;
    private final ManualClock clock = new ManualClock();
    private Rig rig;

    @BeforeEach
    void start() throws Exception {
        rig = new Rig(transport);
        rig.start(s -> s.loops(1).clock(clock));
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    private void pass(long millis) {
        for (long t = 0; t < millis; t += STEP) {
            clock.advance(rig.loop(), STEP);
        }
    }

    private static void within(double expected, long actual) {
        assertTrue(
                Math.abs(actual - expected) <= expected / 10,
                () -> actual + " is not within 10 % of " + expected);
    }

    private Listener writing(int bytes, RateLimiter... buckets) throws Exception {
        return rig.listen(
                c -> {
                    c.limitRates(List.of(), List.of(buckets));
                    c.writeStable(Rig.pattern(bytes), 0, bytes);
                    c.finish(false);
                    return new Probe();
                });
    }

    @Test
    void writesKeepTheRate() throws Exception {
        Peer peer = rig.connect(writing(120_000, RateLimiter.perSecond(RATE)));
        Rig.until("accepted", () -> rig.stats().accepted() == 1);
        pass(5_000);
        within(5 * RATE, rig.stats().bytesOut());
        pass(5_000);
        within(10 * RATE, rig.stats().bytesOut());
        pass(3_000);
        assertArrayEquals(Rig.pattern(120_000), peer.readAll());
    }

    @Test
    void readsKeepTheRate() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public Protocol accept(Connection c) {
                        c.limitRates(List.of(RateLimiter.perSecond(RATE)), List.of());
                        return super.accept(c);
                    }
                };
        Peer peer = rig.connect(rig.listen(probe));
        byte[] sent = Rig.pattern(120_000);
        peer.send(sent);
        Rig.until("the first came", () -> rig.stats().bytesIn() > 0);
        pass(5_000);
        within(5 * RATE, rig.stats().bytesIn());
        pass(5_000);
        within(10 * RATE, rig.stats().bytesIn());
        pass(3_000);
        Rig.until("all came", () -> probe.inputLength() == sent.length);
        assertArrayEquals(sent, probe.inputBytes());
    }

    @Test
    void twoConnectionsShareABucket() throws Exception {
        Listener listener =
                writing(200_000, RateLimiter.perSecond(RATE), RateLimiter.perSecond(1 << 30));
        rig.connect(listener);
        rig.connect(listener);
        Rig.until("accepted", () -> rig.stats().accepted() == 2);
        pass(10_000);
        within(10 * RATE, rig.stats().bytesOut());
    }

    @Test
    void theRateMayChangeWhileTheyRun() throws Exception {
        RateLimiter bucket = RateLimiter.perSecond(RATE);
        Peer peer = rig.connect(writing(400_000, bucket));
        Rig.until("accepted", () -> rig.stats().accepted() == 1);
        pass(2_000);
        within(2 * RATE, rig.stats().bytesOut());
        bucket.rate(4 * RATE);
        pass(2_000);
        within(10 * RATE, rig.stats().bytesOut());
        bucket.rate(RateLimiter.UNLIMITED);
        pass(200);
        assertArrayEquals(Rig.pattern(400_000), peer.readAll());
        assertEquals(0, bucket.rate());
    }

    @Test
    void aReaderInDebtIsReadAgainSoonAfterTheRateWasRaised() throws Exception {
        RateLimiter bucket = RateLimiter.perSecond(1);
        var probe =
                new Probe() {
                    @Override
                    public Protocol accept(Connection c) {
                        c.limitRates(List.of(bucket), List.of());
                        return super.accept(c);
                    }
                };
        byte[] sent = Rig.pattern(100_000);
        rig.connect(rig.listen(probe)).send(sent);
        Rig.until("the first came", () -> rig.stats().bytesIn() > 0);
        pass(500);
        assertTrue(probe.inputLength() < 50_000);
        bucket.rate(10_000_000);
        pass(500);
        Rig.until("all came", () -> probe.inputLength() == sent.length);
    }

    @Test
    void emptyRoomIsNoReasonToPause() throws Exception {
        var probe =
                new Probe() {
                    @Override
                    public Protocol accept(Connection c) {
                        c.limitRates(List.of(), List.of(RateLimiter.perSecond(1_000_000)));
                        c.reserve(100);
                        return super.accept(c);
                    }
                };
        Peer peer = rig.connect(rig.listen(probe));
        Connection connection = probe.connection();
        Rig.settle(rig.loop());
        Rig.on(rig.loop(), () -> Probe.write(connection, "alive"));
        assertEquals("alive", peer.text(5));
    }
}
