// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.MemoryBroker;
import io.sirocco.live.broker.Probe;
import io.sirocco.live.redis.RedisBroker;
import io.sirocco.live.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tickets of several nodes, the clocks and secrets of which may differ. */
class TicketsOverNodesTest {
    private static final byte[] SECRET = "sixteen bytes or more".getBytes(UTF_8);
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int BEHIND = 50_000; // milliseconds

    @Test
    void aSpentTicketIsRefusedByANodeWhoseClockIsBehind() {
        MemoryBroker memory = MemoryBroker.create();
        spendTwice(memory, memory.another());
    }

    @Tag("peers")
    @Test
    void aSpentTicketIsRefusedByANodeWhoseClockIsBehindOverRedis() throws Exception {
        try (var redis = RedisServer.start()) {
            spendTwice(RedisBroker.at(redis.url()), RedisBroker.at(redis.url()));
        }
    }

    private static void spendTwice(Broker one, Broker other) {
        try (one;
                other) {
            one.start(new Probe());
            other.start(new Probe());
            var right = new Tickets(SECRET, one, System::currentTimeMillis);
            var behind = new Tickets(SECRET, other, () -> System.currentTimeMillis() - BEHIND);
            Duration life = Duration.ofMillis(100);
            String ticket = right.issue("ada", life);
            String late = right.issue("ada", life.multipliedBy(2));
            assertInstanceOf(Admission.Admitted.class, right.redeem(ticket));
            while (!right.redeem(late).toString().contains("expired")) {
                LockSupport.parkNanos(200_000); // until the mark would have gone with the ticket
            }
            String why = assertInstanceOf(Admission.Refused.class, behind.redeem(ticket)).message();
            assertTrue(why.contains("used before"), why);
        }
    }

    @Test
    void ticketsWithABrokerOfSeveralProcessesNeedASecretOfTheirs() {
        IllegalArgumentException refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () ->
                                Live.create(
                                        c ->
                                                c.tickets(LONG)
                                                        .broker(
                                                                RedisBroker.at(
                                                                        "redis://127.0.0.1:1"))));
        assertTrue(refused.getMessage().contains("ticketSecret"), refused.getMessage());
        Live alone = Live.create(c -> c.tickets(LONG));
        assertEquals(4, alone.ticket("ada").split("\\.").length);
        alone.close();
    }

    @Tag("peers")
    @Test
    void ticketsThatAreAskedForLaterNeedOneToo() throws Exception {
        try (var redis = RedisServer.start()) {
            Live live = Live.create(c -> c.broker(RedisBroker.at(redis.url())));
            assertThrows(
                    IllegalArgumentException.class, () -> live.authenticate(a -> a.tickets(LONG)));
            live.close();
            Live both =
                    Live.create(c -> c.broker(RedisBroker.at(redis.url())).ticketSecret(SECRET));
            both.authenticate(a -> a.tickets(LONG));
            both.close();
        }
    }
}
