// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.Member;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** A client that was cut off comes back as the same, and misses nothing. */
class RecoveryTest {
    private static final Duration TWO_MINUTES = Duration.ofMinutes(2);

    @Test
    void whatWasMissedIsSentToWhoComesBackWithIdRoomsAndTags() {
        try (var service = new Service(c -> c.recovery(TWO_MINUTES))) {
            service.live.onConnect(c -> service.say("connect"));
            service.live.onClose((c, reason) -> service.say(reason.name()));
            Peer peer = Peer.session(service.port).send("40");
            String hello = peer.next();
            assertEquals("connect", service.next());
            Client client = service.live.clients().iterator().next();
            client.join("kitchen");
            client.tag("name", "Ada");
            service.live.room("kitchen").send("a", 1);
            String last = Peer.offset(peer.next());
            peer.abort();
            service.live.room("kitchen").send("b", 2);
            service.live.room("hall").send("other", 0);
            client.send("c", 3);
            service.live.broadcast("d", 4);
            String auth =
                    "{\"pid\":\"" + Peer.field(hello, "pid") + "\",\"offset\":\"" + last + "\"}";
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                String back = again.next();
                assertEquals(Peer.field(hello, "sid"), Peer.field(back, "sid"));
                assertEquals(Peer.field(hello, "pid"), Peer.field(back, "pid"));
                assertTrue(again.next().startsWith("42[\"b\",2,\""));
                assertTrue(again.next().startsWith("42[\"c\",3,\""));
                assertTrue(again.next().startsWith("42[\"d\",4,\""));
                service.live.room("kitchen").send("e", 5);
                assertTrue(again.next().startsWith("42[\"e\",5,\""));
                assertEquals(1, service.live.tagged("name", "Ada").size());
                again.send("41");
                assertEquals("LEFT", service.next());
            }
        }
    }

    @Test
    void whoIsCutOffBeforeItHasAnOffsetIsToldOfAGap() {
        try (var service = new Service(c -> c.recovery(TWO_MINUTES))) {
            Peer peer = Peer.session(service.port).send("40");
            String hello = peer.next();
            peer.abort();
            service.live.broadcast("a");
            String auth = "{\"pid\":\"" + Peer.field(hello, "pid") + "\"}";
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                assertNotEquals(Peer.field(hello, "sid"), Peer.field(again.next(), "sid"));
                again.expects("42[\"sirocco:gap\",{\"recovered\":false}]");
            }
        }
    }

    @Test
    void whoComesBackBeforeTheCutIsNoticedTakesItsOldConnectionsPlace() {
        try (var service = new Service(c -> c.recovery(TWO_MINUTES))) {
            Peer peer = Peer.session(service.port).send("40");
            String hello = peer.next();
            service.live.broadcast("a");
            String last = Peer.offset(peer.next());
            String auth =
                    "{\"pid\":\"" + Peer.field(hello, "pid") + "\",\"offset\":\"" + last + "\"}";
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                assertEquals(Peer.field(hello, "sid"), Peer.field(again.next(), "sid"));
                assertTrue(peer.end().startsWith("closed"));
                service.live.broadcast("b");
                assertTrue(again.next().startsWith("42[\"b\",\""));
                assertEquals(1, service.live.clients().size());
            }
        }
    }

    @Test
    void whoIsAskedWhileItComesBackHasGone() throws Exception {
        var asked = new CountDownLatch(1);
        var may = new CompletableFuture<Void>();
        Broker broker =
                Between.memory(
                        "replay",
                        replay -> {
                            asked.countDown();
                            return may.thenCompose(nothing -> replay);
                        });
        try (var service = new Service(c -> c.recovery(TWO_MINUTES).broker(broker))) {
            Peer peer = Peer.session(service.port).send("40");
            String hello = peer.next();
            service.live.broadcast("a");
            String last = Peer.offset(peer.next());
            peer.abort();
            Client client = service.live.clients().iterator().next();
            String auth =
                    "{\"pid\":\"" + Peer.field(hello, "pid") + "\",\"offset\":\"" + last + "\"}";
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                assertTrue(asked.await(10, TimeUnit.SECONDS));
                var thrown =
                        assertThrows(
                                RequestException.class,
                                () -> client.request("q", Duration.ofSeconds(3), String.class));
                assertEquals(RequestException.Kind.CLOSED, thrown.kind());
                may.complete(null);
                assertEquals(Peer.field(hello, "sid"), Peer.field(again.next(), "sid"));
            }
        }
    }

    @Test
    void whatCannotBeHadAnyMoreIsAGap() {
        try (var service = new Service(c -> c.recovery(TWO_MINUTES))) {
            service.live.onClose((c, reason) -> service.say(reason.name()));
            Peer peer = Peer.session(service.port).send("40");
            String hello = peer.next();
            peer.abort();
            String auth = "{\"pid\":\"" + Peer.field(hello, "pid") + "\",\"offset\":\"other.1\"}";
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                String fresh = again.next();
                assertTrue(!Peer.field(fresh, "sid").equals(Peer.field(hello, "sid")));
                again.expects("42[\"sirocco:gap\",{\"recovered\":false}]");
                assertEquals("LOST", service.next());
            }
        }
    }

    @Test
    void theEndIsSaidWhenTheTimeIsOver() {
        try (var service = new Service(c -> c.recovery(Duration.ofMillis(50)))) {
            service.live.onClose((c, reason) -> service.say(reason.name()));
            Peer.client(service.port).abort();
            assertEquals("LOST", service.next());
            assertEquals(0, service.live.clients().size());
        }
    }

    @Test
    void whoWantsNoOffsetsGetsNone() {
        try (var service = new Service(c -> c.recovery(TWO_MINUTES));
                Peer peer = Peer.session(service.port).send("40{\"offsets\":false}")) {
            String hello = peer.next();
            assertTrue(hello.matches("40\\{\"sid\":\"[\\w-]+\"}"), hello);
            service.live.broadcast("a", 1);
            peer.expects("42[\"a\",1]");
        }
    }

    @Test
    void aHistoryIsWhatARoomHasKept() {
        try (var service = new Service(c -> c.history("chat/*", 3, Duration.ofHours(1)))) {
            for (int i = 0; i < 5; i++) {
                service.live.room("chat/1").send("m", i);
            }
            Room room = service.live.room("chat/1");
            assertEquals(3, room.history(50).size());
            assertEquals(4, room.history(1).getFirst().arguments().asInt(0));
            Message first = room.history(50).getFirst();
            History since = room.since(first.position());
            assertEquals(2, since.messages().size());
            assertTrue(!since.gap());
            for (int i = 5; i < 9; i++) {
                room.send("m", i);
            }
            assertTrue(room.since(first.position()).gap());
        }
    }

    @Test
    void membersAreToldWhoComesAndGoes() {
        try (var service = new Service(c -> c.presence("kitchen*"));
                Peer ada = Peer.client(service.port)) {
            Client first = service.live.clients().iterator().next();
            service.live
                    .presence("kitchen")
                    .watch(
                            (joined, left) ->
                                    service.say(joined.size() + " came, " + left.size() + " left"));
            first.join("kitchen");
            assertEquals("1 came, 0 left", service.next());
            assertTrue(ada.next().startsWith("42[\"sirocco:presence\",{"));
            ada.send("420[\"sirocco:presence\",\"kitchen\"]");
            String members = ada.next();
            assertTrue(members.contains(first.id()), members);
            ada.send("421[\"sirocco:presence\",\"other\"]");
            assertTrue(ada.next().contains("\"forbidden\""));
            assertEquals(1, service.live.presence("kitchen").members().size());
            ada.abort();
            assertEquals("0 came, 1 left", service.next());
        }
    }

    @Test
    void whoHasGoneComesIntoNoRoom() {
        try (var service = new Service(c -> c.presence("kitchen"))) {
            service.live.onClose(
                    (client, reason) -> {
                        client.join("kitchen");
                        service.say("joined " + client.rooms());
                    });
            Peer.client(service.port).send("41");
            assertEquals("joined []", service.next());
            assertEquals(List.of(), service.live.presence("kitchen").members());
        }
    }

    @Test
    void aWatchThatIsClosedHearsNoMoreAndOneThatThrowsHindersNoOther() {
        try (var service = new Service(c -> c.presence("kitchen"));
                Peer peer = Peer.client(service.port)) {
            Client client = service.live.clients().iterator().next();
            BiConsumer<List<Member>, List<Member>> says =
                    (joined, left) -> service.say(joined.size() + " came");
            Presence kitchen = service.live.presence("kitchen");
            kitchen.watch(
                    (joined, left) -> {
                        throw new AssertionError("oops");
                    });
            Presence.Watch one = kitchen.watch(says);
            Presence.Watch two = service.live.presence("kitchen").watch(says);
            client.join("kitchen");
            assertEquals(List.of("1 came", "1 came"), List.of(service.next(), service.next()));
            one.close();
            one.close();
            client.leave("kitchen");
            assertEquals("0 came", service.next());
            two.close();
            client.join("kitchen");
            service.live.presence("kitchen").watch((joined, left) -> service.say("last"));
            client.leave("kitchen");
            assertEquals("last", service.next());
            peer.send("41");
        }
    }
}
