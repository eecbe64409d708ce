// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.redis;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.BrokerException;
import io.sirocco.live.broker.Probe;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that is away when a broker starts: waited for, if the program says so. */
@Tag("peers")
class RedisAtStartTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private static void awaitPause(Thread thread) {
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(thread.isAlive(), "the start has ended");
            LockSupport.parkNanos(200_000);
        }
    }

    private static Thread start(Broker broker, CompletableFuture<Void> started) {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                broker.start(new Probe());
                                started.complete(null);
                            } catch (Throwable e) {
                                started.completeExceptionally(e);
                            }
                        });
    }

    @Test
    void isWaitedForForAsLongAsTheProgramSays() throws Exception {
        try (var redis = RedisServer.start();
                var none = RedisBroker.at(redis.url());
                var some = RedisBroker.at(redis.url(), c -> c.startTimeout(LONG))) {
            redis.kill();
            assertThrows(BrokerException.class, () -> none.start(new Probe()));
            var started = new CompletableFuture<Void>();
            awaitPause(start(some, started));
            assertFalse(started.isDone());
            redis.begin();
            started.get(20, TimeUnit.SECONDS);
            assertTrue(some.spend("ticket", LONG).toCompletableFuture().get());
        }
    }

    @Test
    void aServerThatRefusesUsIsNotWaitedFor() throws Exception {
        try (var redis = RedisServer.start("--requirepass", "secret");
                var broker = RedisBroker.at(redis.url(), c -> c.startTimeout(LONG))) {
            assertThrows(BrokerException.class, () -> broker.start(new Probe()));
        }
    }

    @Test
    void aBrokerThatWaitsMayBeClosed() throws Exception {
        try (var redis = RedisServer.start()) {
            redis.kill();
            var started = new CompletableFuture<Void>();
            Thread thread;
            try (var broker = RedisBroker.at(redis.url(), c -> c.startTimeout(LONG))) {
                thread = start(broker, started);
                awaitPause(thread);
            }
            thread.join();
            assertTrue(started.isCompletedExceptionally());
        }
    }
}
