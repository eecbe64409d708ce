// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Limit;
import io.sirocco.live.broker.MemoryBroker;
import io.sirocco.live.redis.RedisBroker;
import io.sirocco.live.redis.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two nodes of one service, as their clients see them. */
@Tag("peers")
class SeveralNodesTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    /** Both of them, and what they share. */
    static final class Nodes implements AutoCloseable {
        final Service first;
        final Service second;
        private final RedisServer redis; // null with memory

        Nodes(String broker, Consumer<LiveSettings> configure) throws Exception {
            if (broker.equals("memory")) {
                redis = null;
                MemoryBroker memory = MemoryBroker.create();
                first = new Service(configure.andThen(c -> c.broker(memory)));
                second = new Service(configure.andThen(c -> c.broker(memory.another())));
            } else {
                redis = RedisServer.start();
                String url = redis.url();
                first = new Service(configure.andThen(c -> c.broker(RedisBroker.at(url))));
                second = new Service(configure.andThen(c -> c.broker(RedisBroker.at(url))));
            }
        }

        @Override
        public void close() throws IOException {
            first.close();
            second.close();
            first.live.close();
            second.live.close();
            if (redis != null) {
                redis.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void whoIsCutOffAtTheSameMessageComesBackAsNewWhicheverNodesItComesTo(String broker)
            throws Exception {
        try (var nodes = new Nodes(broker, c -> c.recovery(LONG))) {
            Peer peer = Peer.session(nodes.first.port).send("40");
            String hello = peer.next();
            nodes.first.live.broadcast("a");
            String last = Peer.offset(peer.next());
            String auth =
                    "{\"pid\":\"%s\",\"offset\":\"%s\"}".formatted(Peer.field(hello, "pid"), last);
            nodes.first.live.broadcast("b").toCompletableFuture().join();
            for (int i = 0; i < 5; i++) {
                peer.abort();
                Service next = i % 2 == 0 ? nodes.second : nodes.first;
                peer = Peer.session(next.port).send("40" + auth);
                assertEquals(Peer.field(hello, "sid"), Peer.field(peer.next(), "sid"));
                assertTrue(peer.next().startsWith("42[\"b\""));
            }
            peer.abort();
            try (Peer fresh = Peer.session(nodes.first.port).send("40" + auth)) {
                assertNotEquals(Peer.field(hello, "sid"), Peer.field(fresh.next(), "sid"));
                fresh.expects("42[\"sirocco:gap\",{\"recovered\":false}]");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void whoComesBackToAnotherNodeIsGoneFromTheFirstWithoutAWord(String broker) throws Exception {
        try (var nodes = new Nodes(broker, c -> c.recovery(LONG))) {
            Service first = nodes.first;
            Service second = nodes.second;
            first.live.onClose((client, reason) -> first.say(client.id() + " " + reason));
            first.live.on(
                    "join",
                    String.class,
                    (client, room) -> {
                        client.tag("name", "Ada");
                        client.join(room);
                    });
            Peer peer = Peer.session(first.port).send("40");
            String hello = peer.next();
            peer.send("420[\"join\",\"kitchen\"]").expects("430[]");
            first.live.room("kitchen").send("a");
            String auth =
                    "{\"pid\":\"%s\",\"offset\":\"%s\"}"
                            .formatted(field(hello, "pid"), offset(peer.next()));
            try (Peer again = Peer.session(second.port).send("40" + auth)) { // the old one is open
                assertEquals(field(hello, "sid"), field(again.next(), "sid"));
                assertTrue(peer.end().startsWith("closed"));
                assertEquals(0, first.live.clients().size());
                assertEquals(0, first.live.tagged("name", "Ada").size());
                assertEquals(1, second.live.tagged("name", "Ada").size());
                first.live.room("kitchen").send("b");
                assertTrue(again.next().startsWith("42[\"b\",\""));
                Peer other = Peer.session(first.port).send("40");
                String id = field(other.next(), "sid");
                other.send("41");
                assertEquals(id + " LEFT", first.next(), "the first that was told of an end");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void whoHasMovedToAnotherNodeIsNoMemberOnTheFirst(String broker) throws Exception {
        try (var nodes = new Nodes(broker, c -> c.recovery(LONG).presence("kitchen"))) {
            Service first = nodes.first;
            Service second = nodes.second;
            first.live.on("join", String.class, Client::join);
            Peer peer = Peer.session(first.port).send("40");
            String hello = peer.next();
            peer.send("420[\"join\",\"kitchen\"]");
            String joined = peer.next();
            while (!joined.equals("430[]")) {
                joined = peer.next(); // that we have come, before that
            }
            first.live.room("kitchen").send("a");
            String event = peer.next();
            while (!event.startsWith("42[\"a\"")) {
                event = peer.next();
            }
            second.live
                    .presence("kitchen")
                    .watch(
                            (come, left) ->
                                    second.say(come.size() + " came, " + left.size() + " left"));
            String auth =
                    "{\"pid\":\"%s\",\"offset\":\"%s\"}"
                            .formatted(field(hello, "pid"), offset(event));
            try (Peer again = Peer.session(second.port).send("40" + auth)) {
                assertEquals(field(hello, "sid"), field(again.next(), "sid"));
                assertTrue(peer.end().startsWith("closed"));
                assertEquals(1, second.live.presence("kitchen").members().size());
                again.send("41");
                String told = second.next();
                if (told.equals("1 came, 0 left")) { // that they were on the first
                    told = second.next();
                }
                assertEquals("0 came, 1 left", told);
                assertEquals(0, first.live.presence("kitchen").members().size());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void connectsOfAnAddressAreCountedOnAllNodesTogether(String broker) throws Exception {
        var limit = new Limit.Bucket(4, Duration.ofHours(1));
        try (var nodes = new Nodes(broker, c -> c.connects(limit))) {
            for (int i = 0; i < 2; i++) {
                assertEquals(200, connect(nodes.first));
                assertEquals(200, connect(nodes.second));
            }
            assertEquals(429, connect(nodes.first));
            assertEquals(429, connect(nodes.second));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void connectsUntilSilenceAreCountedOnAllNodesTogether(String broker) throws Exception {
        var limit = new Limit.UntilSilence(2, Duration.ofHours(1));
        try (var nodes = new Nodes(broker, c -> c.connects(limit))) {
            assertEquals(200, connect(nodes.first));
            assertEquals(200, connect(nodes.second));
            assertEquals(429, connect(nodes.first));
            assertEquals(429, connect(nodes.second));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void aTicketOfOneNodeIsGoodForOneConnectionToAny(String broker) throws Exception {
        byte[] secret = "sixteen bytes or more".getBytes(StandardCharsets.UTF_8);
        try (var nodes = new Nodes(broker, c -> c.tickets(LONG).ticketSecret(secret))) {
            String auth = "{\"ticket\":\"" + nodes.first.live.ticket("ada") + "\"}";
            Peer peer = Peer.client(nodes.second.port, auth);
            assertEquals("ada", nodes.second.live.clients().iterator().next().user().orElse(""));
            Peer again = Peer.session(nodes.first.port).send("40" + auth);
            String refused = again.next();
            assertTrue(refused.startsWith("44{"), refused);
            again.close();
            peer.close();
        }
    }

    private static int connect(Service service) {
        return Peer.get(service.port, "EIO=4&transport=polling").statusCode();
    }

    private static String field(String packet, String name) {
        int from = packet.indexOf("\"" + name + "\":\"") + name.length() + 4;
        return packet.substring(from, packet.indexOf('"', from));
    }

    private static String offset(String event) {
        String[] parts = event.split("\"");
        return parts[parts.length - 2];
    }
}
