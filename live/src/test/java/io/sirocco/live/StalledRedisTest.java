// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.redis.RedisBroker;
import io.sirocco.live.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Redis that stands still for longer than the broker's deadline, as clients see it. */
@Tag("peers")
class StalledRedisTest {
    private static final int MESSAGES = 20;

    @Test
    void aMessageToOneClientIsDeliveredOnceAlthoughRedisStalled() throws Exception {
        try (var redis = RedisServer.start();
                var service =
                        new Service(c -> c.recovery(Duration.ofMinutes(2)).broker(at(redis)));
                Peer peer = Peer.client(service.port)) {
            Client client = service.live.clients().iterator().next();
            client.send("before");
            assertTrue(peer.next().startsWith("42[\"before\""));
            redis.pause();
            for (int i = 0; i < MESSAGES; i++) {
                client.send("m" + i);
            }
            String refused = refusal(service); // the deadline of all before it is over, too
            redis.resume();
            assertTrue(refused.contains("has not answered"), refused);
            List<String> got = untilTheLast(service, client, peer);
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                expected.add("m" + i);
            }
            Collections.sort(expected);
            Collections.sort(got);
            assertEquals(expected, got);
            service.live.close();
        }
    }

    /** Publishes to a room that nobody is in, until that fails. */
    private static String refusal(Service service) {
        try {
            while (true) {
                service.live.room("nobody").send("x").toCompletableFuture().join();
            }
        } catch (RuntimeException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** What has come when Redis carries a message again, and all before it is settled. */
    private static List<String> untilTheLast(Service service, Client client, Peer peer) {
        List<String> got = new ArrayList<>();
        service.await("Redis answers again", () -> carries(service));
        for (int end = 0; end < 3; end++) {
            client.send("end");
            service.live.room("nobody").send("x").toCompletableFuture().join();
            String next = peer.next();
            while (!next.startsWith("42[\"end\"")) {
                assertTrue(next.startsWith("42[\"m"), next);
                got.add(next.split("\"")[1]);
                next = peer.next();
            }
        }
        return got;
    }

    private static boolean carries(Service service) {
        try {
            service.live.room("nobody").send("x").toCompletableFuture().join();
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static RedisBroker at(RedisServer redis) {
        return RedisBroker.at(
                redis.url(), c -> c.deadline(Duration.ofMillis(400)).lease(Duration.ofSeconds(2)));
    }
}
