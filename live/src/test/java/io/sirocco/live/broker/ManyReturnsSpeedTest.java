// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * How long a message waits to be published while 1,000 clients read what they have missed of 60,000
 * messages. Prints figures, and asserts only that nothing is lost.
 */
@Tag("heavy")
@Timeout(300)
class ManyReturnsSpeedTest {
    private static final int MESSAGES = 60_000;
    private static final int CLIENTS = 1_000;
    private static final String TEXT = "x".repeat(100);

    @Test
    void eachInARoomOfItsOwn() throws Exception {
        measure("a room each", i -> "room " + i % CLIENTS, "", MESSAGES / CLIENTS);
    }

    @Test
    void allOfThemAllMessages() throws Exception {
        measure("all messages", i -> "hall", "", MESSAGES);
    }

    @Test
    void onesWhichSentThemThemselves() throws Exception {
        measure("their own messages", i -> "hall", "client", 0);
    }

    private static void measure(String what, IntFunction<String> room, String except, int expected)
            throws Exception {
        try (var broker = MemoryBroker.create(new Depth(200_000, 1 << 30, Duration.ofHours(1)))) {
            broker.start(new Silent());
            Position start = publish(broker, "hall", "");
            for (int i = 0; i < MESSAGES; i++) {
                publish(broker, room.apply(i), except);
            }
            var replays = new Histogram(3);
            for (int i = 0; i < 20; i++) {
                read(broker, audience(start, room.apply(i)), start, replays, new AtomicInteger());
            }
            var waits = new Histogram(3);
            var begin = new CountDownLatch(1);
            var running = new AtomicInteger(CLIENTS);
            var found = new AtomicInteger();
            var passing = new Histogram(3);
            var parts = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Audience audience = audience(start, room.apply(i));
                threads.add(
                        Thread.startVirtualThread(
                                () -> {
                                    try {
                                        begin.await();
                                        int mine =
                                                read(
                                                        broker,
                                                        audience,
                                                        start,
                                                        new Histogram(3),
                                                        parts);
                                        found.addAndGet(mine == expected ? 1 : 0);
                                    } catch (InterruptedException e) {
                                        // counted as one that has not found it
                                    } finally {
                                        running.decrementAndGet();
                                    }
                                }));
            }
            long first = System.nanoTime();
            begin.countDown();
            do {
                int passed = parts.get();
                long before = System.nanoTime();
                publish(broker, "elsewhere", "");
                passing.recordValue(parts.get() - passed);
                waits.recordValue(System.nanoTime() - before);
                Thread.sleep(1);
            } while (running.get() > 0);
            long nanos = System.nanoTime() - first;
            for (Thread thread : threads) {
                thread.join();
            }
            System.err.printf(
                    "%s: %d ms; a publish waits %.2f ms at the median, %.2f at p99, %.2f at"
                            + " most of %d, for %d parts at p99 and %d at most; one replay at a time, a part takes %.2f ms at p99%n",
                    what,
                    nanos / 1_000_000,
                    waits.getValueAtPercentile(50) / 1e6,
                    waits.getValueAtPercentile(99) / 1e6,
                    waits.getMaxValue() / 1e6,
                    waits.getTotalCount(),
                    passing.getValueAtPercentile(99),
                    passing.getMaxValue(),
                    replays.getValueAtPercentile(99) / 1e6);
            assertEquals(CLIENTS, found.get());
        }
    }

    private static Position publish(Broker broker, String room, String except) {
        Set<String> without = except.isEmpty() ? Set.of() : Set.of(except);
        return broker.publish(
                        new Publication(
                                "/", Set.of(room), without, TEXT, List.of(), true, List.of()))
                .toCompletableFuture()
                .join();
    }

    private static Audience audience(Position since, String room) {
        return new Audience("/", "client", since, Replays.rooms(List.of(room)));
    }

    /** Returns how many there were. */
    private static int read(
            Broker broker,
            Audience audience,
            Position start,
            Histogram times,
            AtomicInteger parts) {
        int found = 0;
        Position at = start;
        boolean more = true;
        while (more) {
            long before = System.nanoTime();
            Replay part =
                    broker.replay(at, audience, 1_000, 256 << 10).toCompletableFuture().join();
            times.recordValue(System.nanoTime() - before);
            parts.incrementAndGet();
            assertFalse(part.gap());
            found += part.messages().size();
            more = part.more();
            at = part.end();
        }
        return found;
    }

    private static final class Silent implements Node {
        @Override
        public String id() {
            return "silent";
        }

        @Override
        public void deliver(Position position, Publication publication) {}

        @Override
        public void gap(String why) {}

        @Override
        public void taken(String namespace, String pid) {}

        @Override
        public void joined(Room room, Member member) {}

        @Override
        public void left(Room room, Member member) {}
    }
}
