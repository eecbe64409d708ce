// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static io.sirocco.live.broker.Publications.toAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.Depth;
import io.sirocco.live.broker.Member;
import io.sirocco.live.broker.Node;
import io.sirocco.live.broker.Position;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.broker.Replays;
import io.sirocco.live.broker.Room;
import io.sirocco.live.broker.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How fast it is: prints figures, and asserts only that nothing is lost. */
@Tag("heavy")
@Timeout(300)
class RedisBrokerSpeedTest {
    private static final Depth DEPTH = new Depth(50_000, 256 << 20, Duration.ofMinutes(5));
    private static final String PADDING = "x".repeat(100);
    private static final Consumer<RedisSettings> PATIENT =
            c -> c.deadline(Duration.ofSeconds(60)).lease(Duration.ofMinutes(3)).depth(DEPTH);

    /** Counts, and says how old what it was told is. */
    private record Counter(String id, CountDownLatch left, Consumer<Publication> seen)
            implements Node {
        static Counter of(int messages, Consumer<Publication> seen) {
            return new Counter(UUID.randomUUID().toString(), new CountDownLatch(messages), seen);
        }

        @Override
        public void deliver(Position position, Publication publication) {
            seen.accept(publication);
            left.countDown();
        }

        @Override
        public void gap(String why) {
            throw new IllegalStateException(why);
        }

        @Override
        public void taken(String namespace, String pid) {}

        @Override
        public void joined(Room room, Member member) {}

        @Override
        public void left(Room room, Member member) {}
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void publicationsPerSecond(int nodes) throws Exception {
        int messages = 99_999;
        var window = new Semaphore(4_000); // on their way to the first node
        try (RedisServer server = RedisServer.start()) {
            List<Broker> brokers = new ArrayList<>();
            List<Counter> counters = new ArrayList<>();
            for (int i = 0; i < nodes; i++) {
                Consumer<Publication> seen = i == 0 ? one -> window.release() : one -> {};
                counters.add(Counter.of(messages * 2, seen));
                brokers.add(RedisBroker.at(server.url(), PATIENT));
                brokers.get(i).start(counters.get(i));
            }
            publish(brokers, messages, window); // warm
            long start = System.nanoTime();
            publish(brokers, messages, window);
            for (Counter counter : counters) {
                await(counter);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    "%d nodes: %,.0f publications/s, each delivered to all (%d in %.2f s)%n",
                    nodes, messages / seconds, messages, seconds);
            brokers.forEach(Broker::close);
            counters.forEach(counter -> assertEquals(0, counter.left.getCount()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 1_000, 5_000})
    void latencyFromPublishToDeliveryOnAnotherNode(int perSecond) throws Exception {
        int messages = perSecond * 10;
        var histogram = new Histogram(3);
        var warm = perSecond * 3;
        try (RedisServer server = RedisServer.start()) {
            Counter far =
                    Counter.of(
                            messages + warm,
                            publication -> {
                                String event = publication.event();
                                long sent = Long.parseLong(event.substring(0, event.indexOf(' ')));
                                histogram.recordValue(System.nanoTime() - sent);
                            });
            Broker one = RedisBroker.at(server.url());
            Broker other = RedisBroker.at(server.url());
            one.start(Counter.of(0, publication -> {}));
            other.start(far);
            pace(one, perSecond, warm);
            histogram.reset();
            pace(one, perSecond, messages);
            await(far);
            System.out.printf(
                    "%d/s: p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, max %.2f ms%n",
                    perSecond,
                    histogram.getValueAtPercentile(50) / 1e6,
                    histogram.getValueAtPercentile(99) / 1e6,
                    histogram.getValueAtPercentile(99.9) / 1e6,
                    histogram.getMaxValue() / 1e6);
            one.close();
            other.close();
            assertEquals(0, far.left.getCount());
        }
    }

    @Test
    void takesAndKeepsPerSecond() throws Exception {
        int sessions = 30_000;
        try (RedisServer server = RedisServer.start()) {
            Broker one = RedisBroker.at(server.url());
            one.start(Counter.of(0, publication -> {}));
            long start = System.nanoTime();
            var window = new Semaphore(5_000);
            for (int i = 0; i < sessions; i++) {
                window.acquire();
                one.keep(Sessions.of("p" + i), Duration.ofMinutes(2))
                        .whenComplete((done, failed) -> window.release());
            }
            window.acquire(5_000);
            double seconds = (System.nanoTime() - start) / 1e9;
            try (var client = server.client()) {
                assertEquals(sessions, client.keys("sirocco:session:*").size());
                String memory =
                        client.info("memory")
                                .lines()
                                .filter(line -> line.startsWith("used_memory_human"))
                                .findFirst()
                                .orElse("");
                System.out.printf("%,.0f sessions kept/s; %s%n", sessions / seconds, memory);
            }
            one.close();
        }
    }

    private static final class Sessions {
        static Session of(String pid) {
            return Replays.session(pid, "client-" + pid, "", List.of("kitchen", "hall"), Map.of());
        }
    }

    private static void publish(List<Broker> brokers, int messages, Semaphore window)
            throws InterruptedException {
        var failed = new AtomicReference<Throwable>();
        List<Thread> threads = new ArrayList<>();
        for (Broker broker : brokers) {
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () ->
                                            publish(
                                                    broker,
                                                    messages / brokers.size(),
                                                    window,
                                                    failed)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertNull(failed.get(), "what fails is not delivered, and nobody would end");
    }

    private static void publish(
            Broker broker, int messages, Semaphore window, AtomicReference<Throwable> failed) {
        for (int i = 0; i < messages && failed.get() == null; i++) {
            window.acquireUninterruptibly();
            broker.publish(toAll(PADDING))
                    .whenComplete(
                            (position, thrown) -> {
                                if (thrown != null) {
                                    failed.set(thrown);
                                    window.release(messages); // whoever waits is to see it
                                }
                            });
        }
    }

    private static void await(Counter counter) throws InterruptedException {
        assertTrue(
                counter.left.await(60, TimeUnit.SECONDS), counter.left.getCount() + " are missing");
    }

    private static void pace(Broker broker, int perSecond, int messages) {
        long every = TimeUnit.SECONDS.toNanos(1) / perSecond;
        long next = System.nanoTime();
        for (int i = 0; i < messages; i++) {
            next += every;
            LockSupport.parkNanos(next - System.nanoTime());
            broker.publish(toAll(System.nanoTime() + " " + PADDING));
        }
    }
}
