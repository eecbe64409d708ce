// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.SeveralNodesTest.Nodes;
import io.sirocco.live.broker.Member;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The id of a client is no secret: a client that uses it as the name of a room learns nothing of
 * what is sent to the other, and reaches nobody.
 */
@Tag("peers")
class PrivateMessagesTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Consumer<LiveSettings> RECOVERS = c -> c.recovery(LONG);

    private static void joins(Service... all) {
        for (Service each : all) {
            each.live.onRequest(
                    "join",
                    String.class,
                    (client, room) -> {
                        client.join(room);
                        return true;
                    });
            each.live.onRequest(
                    "publish",
                    String.class,
                    (client, room) -> {
                        client.room(room).send("forged").toCompletableFuture().join();
                        return true;
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void aRoomNamedLikeAClientOfAnotherNodeDoesNotHearIt(String broker) throws Exception {
        try (var nodes = new Nodes(broker, RECOVERS)) {
            joins(nodes.first, nodes.second);
            try (Peer victim = Peer.session(nodes.first.port).send("40");
                    Peer spy = Peer.client(nodes.second.port, "{}")) {
                String id = Peer.field(victim.next(), "sid");
                spy.send("420[\"join\",\"" + id + "\"]").expects("430[true]");
                Client client = nodes.first.live.client(id).orElseThrow();
                client.send("secret");
                nodes.first.live.broadcast("end").toCompletableFuture().join();
                assertTrue(victim.next().startsWith("42[\"secret\""));
                assertTrue(victim.next().startsWith("42[\"end\""));
                String heard = spy.next();
                assertTrue(heard.startsWith("42[\"end\""), heard);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void whatIsPublishedToARoomNamedLikeAClientDoesNotReachIt(String broker) throws Exception {
        try (var nodes = new Nodes(broker, RECOVERS)) {
            joins(nodes.first, nodes.second);
            try (Peer victim = Peer.session(nodes.first.port).send("40");
                    Peer near = Peer.client(nodes.first.port, "{}");
                    Peer far = Peer.client(nodes.second.port, "{}")) {
                String id = Peer.field(victim.next(), "sid");
                near.send("420[\"publish\",\"" + id + "\"]").expects("430[true]");
                far.send("420[\"publish\",\"" + id + "\"]").expects("430[true]");
                nodes.second.live.broadcast("end").toCompletableFuture().join();
                String heard = victim.next();
                assertTrue(heard.startsWith("42[\"end\""), heard);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void recoveryReplaysNothingOfAnotherClient(String broker) throws Exception {
        try (var nodes = new Nodes(broker, RECOVERS)) {
            joins(nodes.first, nodes.second);
            try (Peer victim = Peer.session(nodes.first.port).send("40");
                    Peer spy = Peer.session(nodes.first.port).send("40")) {
                String id = Peer.field(victim.next(), "sid");
                String hello = spy.next();
                spy.send("420[\"join\",\"" + id + "\"]").expects("430[true]");
                nodes.first.live.broadcast("begin").toCompletableFuture().join();
                String last = Peer.offset(spy.next());
                spy.abort();
                nodes.first.live.client(id).orElseThrow().send("secret");
                nodes.first.live.broadcast("end").toCompletableFuture().join();
                String auth =
                        "{\"pid\":\"%s\",\"offset\":\"%s\"}"
                                .formatted(Peer.field(hello, "pid"), last);
                try (Peer again = Peer.session(nodes.first.port).send("40" + auth)) {
                    assertEquals(Peer.field(hello, "sid"), Peer.field(again.next(), "sid"));
                    String heard = again.next();
                    assertTrue(heard.startsWith("42[\"end\""), heard);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void recoveryReplaysItsOwnMessagesAndNotThoseOfARoomNamedLikeIt(String broker)
            throws Exception {
        try (var nodes = new Nodes(broker, RECOVERS)) {
            joins(nodes.first, nodes.second);
            try (Peer victim = Peer.session(nodes.first.port).send("40");
                    Peer rogue = Peer.client(nodes.second.port, "{}")) {
                String hello = victim.next();
                String id = Peer.field(hello, "sid");
                nodes.first.live.broadcast("begin").toCompletableFuture().join();
                String last = Peer.offset(victim.next());
                assertTrue(rogue.next().startsWith("42[\"begin\""));
                victim.abort();
                rogue.send("420[\"publish\",\"" + id + "\"]").expects("430[true]");
                nodes.second.live.direct(id).send("secret").toCompletableFuture().join();
                String auth =
                        "{\"pid\":\"%s\",\"offset\":\"%s\"}"
                                .formatted(Peer.field(hello, "pid"), last);
                try (Peer again = Peer.session(nodes.second.port).send("40" + auth)) {
                    assertEquals(id, Peer.field(again.next(), "sid"));
                    String heard = again.next();
                    assertTrue(heard.startsWith("42[\"secret\""), heard);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void aClientIsNoMemberOfARoomNamedLikeIt(String broker) throws Exception {
        try (var nodes = new Nodes(broker, RECOVERS.andThen(c -> c.presence("*")))) {
            joins(nodes.first, nodes.second);
            try (Peer victim = Peer.session(nodes.first.port).send("40");
                    Peer spy = Peer.session(nodes.second.port).send("40")) {
                String id = Peer.field(victim.next(), "sid");
                String own = Peer.field(spy.next(), "sid");
                spy.send("420[\"join\",\"" + id + "\"]");
                String answer = spy.next();
                while (!answer.equals("430[true]")) {
                    answer = spy.next(); // that it is a member itself
                }
                nodes.second.await(
                        "the broker knows",
                        () -> !nodes.second.live.presence(id).members().isEmpty());
                List<Member> members = nodes.second.live.presence(id).members();
                assertEquals(List.of(own), members.stream().map(Member::client).toList());
                nodes.first.live.broadcast("end").toCompletableFuture().join();
                String heard = victim.next();
                assertTrue(heard.startsWith("42[\"end\""), heard); // no sirocco:presence
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void privateMessagesAreInNoHistory(String broker) throws Exception {
        Consumer<LiveSettings> keeps = c -> c.recovery(LONG).history("*", 10, LONG);
        try (var nodes = new Nodes(broker, keeps);
                Peer victim = Peer.session(nodes.first.port).send("40")) {
            String id = Peer.field(victim.next(), "sid");
            nodes.second.live.direct(id).send("secret").toCompletableFuture().join();
            assertTrue(victim.next().startsWith("42[\"secret\""));
            nodes.first.live.client(id).orElseThrow().send("secret");
            assertTrue(victim.next().startsWith("42[\"secret\""));
            assertEquals(List.of(), nodes.first.live.room(id).history(10));
            assertThrows(
                    IllegalStateException.class, () -> nodes.first.live.direct(id).history(10));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void aProgramReachesAClientOfAnyNodeByItsId(String broker) throws Exception {
        try (var nodes = new Nodes(broker, c -> {})) { // also where nobody recovers
            joins(nodes.first, nodes.second);
            try (Peer ada = Peer.session(nodes.first.port).send("40");
                    Peer bob = Peer.client(nodes.second.port)) {
                String id = Peer.field(ada.next(), "sid");
                ada.send("420[\"join\",\"kitchen\"]").expects("430[true]");
                bob.send("420[\"join\",\"kitchen\"]").expects("430[true]");
                nodes.second.live.direct(id).send("one");
                nodes.second.live.room("kitchen").direct(id).send("two");
                nodes.second.live.room("hall").direct(id).send("three");
                nodes.second.live.room("kitchen").except(id).send("four");
                nodes.second.live.broadcast("end").toCompletableFuture().join();
                ada.expects("42[\"one\"]").expects("42[\"two\"]").expects("42[\"three\"]");
                ada.expects("42[\"end\"]");
                bob.expects("42[\"two\"]").expects("42[\"four\"]").expects("42[\"end\"]");
            }
        }
    }

    @Test
    void exceptMeansTheClientAndNotWhoIsInARoomNamedLikeIt() {
        try (var service = new Service()) {
            joins(service);
            try (Peer ada = Peer.session(service.port).send("40");
                    Peer bob = Peer.client(service.port)) {
                String id = Peer.field(ada.next(), "sid");
                bob.send("420[\"join\",\"" + id + "\"]").expects("430[true]");
                bob.send("420[\"join\",\"kitchen\"]").expects("430[true]");
                service.live.room("kitchen").except(id).send("a");
                bob.expects("42[\"a\"]");
            }
        }
    }

    @Test
    void noRoomIsNamedLikeTheAddressOfAClient() {
        try (var service = new Service()) {
            joins(service);
            service.live.onError((client, event, thrown) -> service.say(thrown.getMessage()));
            try (Peer ada = Peer.session(service.port).send("40");
                    Peer spy = Peer.client(service.port)) {
                String id = Peer.field(ada.next(), "sid");
                spy.send("420[\"join\",\"\\u0000" + id + "\"]");
                assertTrue(spy.next().startsWith("430[{\"error\":{\"code\":\"bad_arguments\""));
                spy.send("420[\"publish\",\"\\u0000" + id + "\"]");
                assertTrue(spy.next().startsWith("430[{\"error\":{\"code\":\"bad_arguments\""));
                spy.send("420[\"join\",\"\\ud800\"]");
                assertTrue(spy.next().startsWith("430[{\"error\":{\"code\":\"bad_arguments\""));
                service.live.broadcast("end");
                ada.expects("42[\"end\"]");
            }
        }
    }

    @Test
    void aHandlerThatLetsClientsNameEventsCannotBeMadeToSayOurs() {
        try (var service = new Service(RECOVERS);
                Peer ada = Peer.client(service.port)) {
            Client client = service.live.clients().iterator().next();
            for (String name : List.of("sirocco:closed", "sirocco:presence", "connect")) {
                assertThrows(RuntimeException.class, () -> client.send(name));
                assertThrows(RuntimeException.class, () -> service.live.broadcast(name));
                assertThrows(RuntimeException.class, () -> service.live.room("a").send(name));
                assertThrows(
                        RuntimeException.class, () -> client.request(name, LONG, String.class));
            }
            ada.send("41");
        }
    }

    /** An offset is whatever the client says: that of another client, from long ago. */
    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void aClientThatComesBackWithAnOffsetFromBeforeItCameLearnsNothing(String broker)
            throws Exception {
        try (var nodes = new Nodes(broker, RECOVERS)) {
            joins(nodes.first, nodes.second);
            try (Peer other = Peer.client(nodes.second.port, "{}")) {
                nodes.first.live.broadcast("early").toCompletableFuture().join();
                String early = Peer.offset(other.next());
                nodes.first.live.broadcast("to those who are here").toCompletableFuture().join();
                publish(nodes, "before it came");
                other.next();
                Peer spy = Peer.session(nodes.second.port).send("40{}");
                String pid = Peer.field(spy.next(), "pid");
                publish(nodes, "before it joined");
                nodes.first.live.broadcast("seen").toCompletableFuture().join();
                String seen = Peer.offset(spy.next());
                spy.send("420[\"join\",\"kitchen\"]").expects("430[true]");
                publish(nodes, "since it joined");
                spy.next();
                spy.abort();
                for (Service node : List.of(nodes.first, nodes.second)) {
                    for (String offset : List.of(early, seen)) {
                        String auth = "{\"pid\":\"" + pid + "\",\"offset\":\"" + offset + "\"}";
                        Peer again = Peer.session(node.port).send("40" + auth);
                        assertEquals(pid, Peer.field(again.next(), "pid"));
                        String next = again.next();
                        if (offset.equals(early)) {
                            assertTrue(next.startsWith("42[\"seen\""), next);
                            next = again.next();
                        }
                        assertTrue(next.startsWith("42[\"since it joined\""), next);
                        again.abort();
                    }
                }
            }
        }
    }

    private static void publish(Nodes nodes, String event) {
        nodes.first.live.room("kitchen").send(event).toCompletableFuture().join();
    }
}
