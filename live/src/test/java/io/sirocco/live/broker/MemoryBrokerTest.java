// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import static io.sirocco.live.broker.Publications.history;
import static io.sirocco.live.broker.Publications.toAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryBrokerTest extends BrokerBehaviour {
    private static final Room KITCHEN = new Room("/", "kitchen");

    /** Stands still until it is moved. */
    private static final class HandClock implements Clock {
        private final AtomicLong nanos = new AtomicLong(-5_000_000_000L);

        @Override
        public long nanos() {
            return nanos.get();
        }

        @Override
        public long wallMillis() {
            return 0;
        }

        void advance(Duration time) {
            nanos.addAndGet(time.toNanos());
        }
    }

    private final HandClock clock = new HandClock();
    private final MemoryBroker memory = MemoryBroker.create(Depth.DEFAULT, clock);

    @Override
    protected Broker broker() {
        return memory.another();
    }

    @Override
    protected void pass(Broker node, Duration time) {
        clock.advance(time.plusMillis(1));
    }

    @Override
    protected Broker shallow() {
        return MemoryBroker.create(new Depth(20, 1 << 20, Duration.ofMinutes(1)));
    }

    @Test
    void eachCallHasEndedWhenItReturns() {
        Broker node = start(MemoryBroker.create(), new Probe());
        assertTrue(node.publish(toAll("1")).toCompletableFuture().isDone());
        assertTrue(node.members(KITCHEN).toCompletableFuture().isDone());
    }

    @Test
    void whatIsTooOldIsNotReplayed() throws Exception {
        var depth = new Depth(100, 1 << 20, Duration.ofSeconds(10));
        Broker node = start(MemoryBroker.create(depth, clock), new Probe());
        Position first = get(node.publish(toAll("1")));
        Position second = get(node.publish(toAll("2")));
        clock.advance(Duration.ofSeconds(10));
        assertFalse(get(Replays.whole(node, first, "me", List.of(), 10)).gap());
        clock.advance(Duration.ofMillis(1));
        assertTrue(get(Replays.whole(node, first, "me", List.of(), 10)).gap());
        assertFalse(get(Replays.whole(node, second, "me", List.of(), 10)).gap());
    }

    @Test
    void bytesAreBounded() throws Exception {
        var depth = new Depth(1_000_000, 100_000, Duration.ofMinutes(1));
        Broker node = start(MemoryBroker.create(depth, clock), new Probe());
        Position first = get(node.publish(toAll("0")));
        String large = "x".repeat(9_000);
        for (int i = 0; i < 100; i++) {
            get(node.publish(toAll(large)));
        }
        assertTrue(get(Replays.whole(node, first, "me", List.of(), 1_000)).gap());
        Position last = get(node.publish(toAll("x".repeat(200_000))));
        get(node.publish(toAll("y")));
        assertEquals(List.of("y"), events(get(Replays.whole(node, last, "me", List.of(), 10))));
    }

    @Test
    void aHistoryThatNobodyWritesToIsForgottenAndThatIsKnown() throws Exception {
        Broker node = start(MemoryBroker.create(Depth.DEFAULT, clock), new Probe());
        Position before = get(node.publish(toAll("before")));
        Position kept = get(node.publish(history("1", "kitchen", 10, Duration.ofSeconds(10))));
        clock.advance(Duration.ofSeconds(30));
        get(node.publish(history("2", "hall", 10, Duration.ofSeconds(10))));
        assertTrue(get(node.history(KITCHEN, Optional.of(before), 10)).gap());
        assertFalse(get(node.history(KITCHEN, Optional.of(kept), 10)).gap());
        get(node.publish(history("3", "kitchen", 10, Duration.ofSeconds(10))));
        assertTrue(get(node.history(KITCHEN, Optional.of(before), 10)).gap());
        assertFalse(get(node.history(KITCHEN, Optional.of(kept), 10)).gap());
    }

    @Test
    void aBucketFillsEvenly() throws Exception {
        Broker node = start(MemoryBroker.create(Depth.DEFAULT, clock), new Probe());
        var limit = new Limit.Bucket(4, Duration.ofSeconds(4));
        for (int i = 0; i < 4; i++) {
            assertTrue(get(node.count("a", limit)));
        }
        assertFalse(get(node.count("a", limit)));
        clock.advance(Duration.ofMillis(999));
        assertFalse(get(node.count("a", limit)));
        clock.advance(Duration.ofMillis(1));
        assertTrue(get(node.count("a", limit)));
        assertFalse(get(node.count("a", limit)));
        clock.advance(Duration.ofHours(1));
        for (int i = 0; i < 4; i++) {
            assertTrue(get(node.count("a", limit)));
        }
        assertFalse(get(node.count("a", limit)));
    }

    @Test
    void untilSilenceIsUntilSilence() throws Exception {
        Broker node = start(MemoryBroker.create(Depth.DEFAULT, clock), new Probe());
        var limit = new Limit.UntilSilence(2, Duration.ofSeconds(3));
        assertTrue(get(node.count("a", limit)));
        clock.advance(Duration.ofMillis(2_999));
        assertTrue(get(node.count("a", limit)));
        for (int i = 0; i < 10; i++) {
            clock.advance(Duration.ofMillis(2_999));
            assertFalse(get(node.count("a", limit)));
        }
        clock.advance(Duration.ofSeconds(3));
        assertTrue(get(node.count("a", limit)));
    }

    @Test
    void aNodeThatDoesNotKeepUpIsRefusedAtSomePoint() {
        var refused = new ArrayList<CompletableFuture<Position>>();
        MemoryBroker broker = MemoryBroker.create(Depth.DEFAULT, clock);
        var probe = new Probe();
        var slow =
                new Node() {
                    private boolean first = true;

                    @Override
                    public String id() {
                        return "slow";
                    }

                    @Override
                    public void deliver(Position position, Publication publication) {
                        if (first) { // while it is told of this one, others wait
                            first = false;
                            for (int i = 0; i < 100_001; i++) {
                                CompletionStage<Position> stage = broker.publish(toAll("x"));
                                if (stage.toCompletableFuture().isCompletedExceptionally()) {
                                    refused.add(stage.toCompletableFuture());
                                }
                            }
                        }
                    }

                    @Override
                    public void gap(String why) {
                        probe.gap(why);
                    }

                    @Override
                    public void taken(String namespace, String pid) {}

                    @Override
                    public void joined(Room room, Member member) {}

                    @Override
                    public void left(Room room, Member member) {}
                };
        broker.start(slow);
        broker.publish(toAll("1"));
        assertEquals(1, refused.size());
        failure(refused.getFirst());
        assertFalse(broker.publish(toAll("2")).toCompletableFuture().isCompletedExceptionally());
    }

    @Test
    void aDepthOfNothingIsRefused() {
        Duration second = Duration.ofSeconds(1);
        assertThrows(IllegalArgumentException.class, () -> new Depth(0, 1, second));
        assertThrows(IllegalArgumentException.class, () -> new Depth(1, 0, second));
        assertThrows(IllegalArgumentException.class, () -> new Depth(1, 1, Duration.ZERO));
    }
}
