// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.MemoryBroker;
import io.sirocco.live.redis.RedisBroker;
import io.sirocco.live.redis.RedisServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** What it costs to have a broker know clients that may come back. */
@Tag("peers")
class SessionTrafficTest {
    private static final int ROOMS = 1_000;

    @Test
    void aThousandJoinsDoNotWriteTheSessionAThousandTimes() throws Exception {
        try (var redis = RedisServer.start();
                var service =
                        new Service(
                                c ->
                                        c.recovery(Duration.ofMinutes(2))
                                                .broker(RedisBroker.at(redis.url())))) {
            Peer peer = Peer.session(service.port).send("40");
            String hello = peer.next();
            Client client = service.live.client(Peer.field(hello, "sid")).orElseThrow();
            long before = received(redis);
            for (int i = 0; i < ROOMS; i++) {
                client.join("room number " + i);
                if (i % 100 == 99) { // what is left is a part of what was joined
                    client.leave("room number " + i);
                }
            }
            client.tag("name", "Ada");
            service.live.room("nobody").send("x").toCompletableFuture().join(); // behind all that
            long bytes = received(redis) - before;
            assertTrue(bytes < 400_000, bytes + " bytes"); // 11.8 MB as a whole each time
            client.send("last");
            String offset = Peer.offset(peer.next());
            try (var other =
                            new Service(
                                    c ->
                                            c.recovery(Duration.ofMinutes(2))
                                                    .broker(RedisBroker.at(redis.url())));
                    Peer again =
                            Peer.session(other.port)
                                    .send(
                                            "40{\"pid\":\"%s\",\"offset\":\"%s\"}"
                                                    .formatted(Peer.field(hello, "pid"), offset))) {
                again.next();
                Client moved = other.live.client(client.id()).orElseThrow();
                assertEquals(ROOMS - ROOMS / 100, moved.rooms().size());
                assertEquals("Ada", moved.tag("name").orElseThrow());
                other.live.close();
            }
            service.live.close();
        }
    }

    @Test
    void idleClientsAreRenewedTogetherAndNotWrittenAgain() {
        var kept = new AtomicInteger();
        Set<Object> renewed = ConcurrentHashMap.newKeySet();
        Broker counting = counting(kept, renewed);
        try (var service = new Service(c -> c.recovery(Duration.ofSeconds(3)).broker(counting))) {
            List<Peer> peers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                peers.add(Peer.client(service.port));
            }
            Set<Object> pids = new HashSet<>();
            service.live.clients().forEach(client -> pids.add(client.pid()));
            service.await("each is kept", () -> kept.get() == 20);
            service.await("each was renewed", () -> renewed.containsAll(pids));
            assertEquals(20, pids.size());
            assertEquals(20, kept.get(), "nobody was written again");
            peers.forEach(Peer::close);
        }
    }

    @Test
    void whatTheBrokerHasForgottenIsWrittenAgain() throws Exception {
        try (var redis = RedisServer.start();
                var service =
                        new Service(
                                c ->
                                        c.recovery(Duration.ofSeconds(3))
                                                .broker(RedisBroker.at(redis.url())));
                Peer peer = Peer.client(service.port);
                Jedis jedis = redis.client()) {
            service.live.clients().iterator().next().join("kitchen");
            service.await("it is kept", () -> !jedis.keys("sirocco:session:*").isEmpty());
            jedis.flushAll();
            service.await("it is kept again", () -> !jedis.keys("sirocco:session:*").isEmpty());
            Map<String, String> fields =
                    jedis.hgetAll(jedis.keys("sirocco:session:*").iterator().next());
            assertTrue(fields.get("d").contains("kitchen"));
            peer.send("41");
            service.live.close();
        }
    }

    private static Broker counting(AtomicInteger kept, Set<Object> renewed) {
        Broker memory = MemoryBroker.create();
        return (Broker)
                Proxy.newProxyInstance(
                        Broker.class.getClassLoader(),
                        new Class<?>[] {Broker.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("keep")) {
                                kept.incrementAndGet();
                            }
                            if (method.getName().equals("renew")) {
                                renewed.addAll((List<?>) arguments[1]);
                            }
                            try {
                                return method.invoke(memory, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static long received(RedisServer redis) {
        try (Jedis jedis = redis.client()) {
            for (String line : jedis.info("stats").split("\r\n")) {
                if (line.startsWith("total_net_input_bytes:")) {
                    return Long.parseLong(line.substring(line.indexOf(':') + 1));
                }
            }
        }
        throw new IllegalStateException("no such statistic");
    }
}
