// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Limit;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Events, requests, rooms: what a program sees, and what its clients do. */
class LiveTest {
    record CookieJar(int amount) {}

    record Circle(int radius) {}

    record Square(int side) {}

    @Test
    void anEventComesAsTheTypeThatIsListenedFor() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.on("jar", CookieJar.class, (c, jar) -> service.say("jar " + jar.amount()));
            service.live.on("name", String.class, (c, name) -> service.say("name " + name));
            service.live.on(
                    "photo", byte[].class, (c, jpeg) -> service.say("photo " + jpeg.length));
            service.live.on("move", (c, a) -> service.say("move " + a.asInt(0) + a.asString(1)));
            peer.send("42[\"jar\",{\"amount\":3}]").send("42[\"name\",\"Ada\"]");
            peer.send("451-[\"photo\",{\"_placeholder\":true,\"num\":0}]").send(new byte[5]);
            peer.send("42[\"move\",7,\"x\"]");
            assertEquals("jar 3", service.next());
            assertEquals("name Ada", service.next());
            assertEquals("photo 5", service.next());
            assertEquals("move 7x", service.next());
        }
    }

    @Test
    void severalTypesTravelOnOneChannelAndAnUnknownOneIsAnError() {
        try (var service =
                        new Service(
                                c -> c.type("circle", Circle.class).type("square", Square.class));
                Peer peer = Peer.client(service.port)) {
            service.live.on("shape", Circle.class, (c, circle) -> service.say(circle.toString()));
            service.live.on("shape", Square.class, (c, square) -> service.say(square.toString()));
            service.live.onError((c, event, e) -> service.say(event + " " + e.getMessage()));
            peer.send("42[\"shape\",{\"type\":\"square\",\"side\":2}]");
            peer.send("42[\"shape\",{\"type\":\"circle\",\"radius\":1}]");
            assertEquals("Square[side=2]", service.next());
            assertEquals("Circle[radius=1]", service.next());
            peer.send("427[\"shape\",{\"type\":\"star\"}]");
            assertEquals("shape nobody listens to a shape of this type", service.next());
            assertTrue(peer.next().startsWith("437[{\"error\":{"));
            service.live.broadcast("shape", new Circle(9));
            peer.expects("42[\"shape\",{\"type\":\"circle\",\"radius\":9}]");
        }
    }

    @Test
    void listenersRunFromTheHighestPriorityAndOneThatThrowsStopsNoOther() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.on("e", Priority.LOWEST, (c, a) -> service.say("lowest"));
            service.live.on("e", (c, a) -> service.say("first"));
            service.live.on(
                    "e",
                    (c, a) -> {
                        throw new IllegalStateException("oops");
                    });
            service.live.on("e", (c, a) -> service.say("second"));
            service.live.on("e", Priority.HIGHEST, (c, a) -> service.say("highest"));
            service.live.onError((c, event, e) -> service.say(event + " " + e.getMessage()));
            peer.send("42[\"e\"]");
            var order = IntStream.range(0, 5).mapToObj(i -> service.next()).toList();
            assertEquals(List.of("highest", "first", "e oops", "second", "lowest"), order);
        }
    }

    @Test
    void whoIsTakenOffHearsNoMoreAndTheOthersDo() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            Listener<String> first = (c, text) -> service.say("first " + text);
            Listener<Arguments> second = (c, a) -> service.say("second");
            service.live.on("e", String.class, first).on("e", second).on("other", second);
            peer.send("420[\"e\",\"a\"]").expects("430[]");
            assertEquals(List.of("first a", "second"), List.of(service.next(), service.next()));
            service.live.off("e", first).off("nobody", first);
            peer.send("421[\"e\",\"b\"]").expects("431[]");
            assertEquals("second", service.next());
            service.live.off("e", second);
            peer.send("422[\"e\",\"c\"]");
            assertTrue(peer.next().contains("\"unknown_event\""));
            peer.send("423[\"other\"]").expects("433[]");
            assertEquals("second", service.next());
        }
    }

    @Test
    void anEventThatIsOffHasNeitherListenersNorAnAnswerer() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.on("e", (c, a) -> service.say("e")).onRequest("e", (c, a) -> 1);
            peer.send("420[\"e\"]").expects("430[1]");
            assertEquals("e", service.next());
            service.live.off("e");
            peer.send("421[\"e\"]");
            assertTrue(peer.next().contains("\"unknown_event\""));
            service.live.onRequest("e", (c, a) -> 2); // the place is free again
            peer.send("422[\"e\"]").expects("432[2]");
        }
    }

    @Test
    void aRequestIsAnsweredAndEachFailureHasItsCode() {
        try (var service = new Service(c -> c.handlerTimeout(Duration.ofSeconds(1)));
                Peer peer = Peer.client(service.port)) {
            service.live.onRequest("sum", int[].class, (c, n) -> IntStream.of(n).sum());
            service.live.onRequest(
                    "no",
                    (c, a) -> {
                        throw RequestException.refused("nope", "not you");
                    });
            service.live.onRequest(
                    "broken",
                    (c, a) -> {
                        throw new IllegalStateException("a secret");
                    });
            service.live.onRequest(
                    "slow",
                    (c, a) -> {
                        Thread.sleep(60_000);
                        return 1;
                    });
            peer.send("420[\"sum\",[1,2,3]]").expects("430[6]");
            peer.send("421[\"sum\",\"x\"]");
            assertTrue(peer.next().contains("\"bad_arguments\""));
            peer.send("422[\"sum\"]");
            assertTrue(peer.next().contains("\"bad_arguments\""));
            peer.send("423[\"what\"]");
            assertTrue(peer.next().contains("\"unknown_event\""));
            peer.send("424[\"no\"]");
            String refused = peer.next();
            assertTrue(refused.contains("\"nope\"") && refused.contains("\"not you\""), refused);
            peer.send("425[\"broken\"]");
            String failed = peer.next();
            assertTrue(failed.contains("\"failed\"") && !failed.contains("secret"), failed);
            peer.send("426[\"slow\"]");
            assertTrue(peer.next().contains("\"timeout\""));
            peer.send("427[\"sum\",[4]]").expects("437[4]");
        }
    }

    @Test
    void aThousandRequestsAreUnderWayAtOnce() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.onRequest("echo", (c, a) -> a.asInt(0));
            for (int i = 0; i < 1_000; i++) {
                peer.send("42" + i + "[\"echo\"," + i + "]");
            }
            for (int i = 0; i < 1_000; i++) {
                peer.expects("43" + i + "[" + i + "]");
            }
        }
    }

    @Test
    void anEventWithAnAcknowledgementIsAnsweredWhenItsListenersHaveRun() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.on("e", (c, a) -> service.say("e"));
            peer.send("4212[\"e\"]").expects("4312[]");
            assertEquals("e", service.next());
        }
    }

    @Test
    void aClientIsAskedAndEachFailureHasItsKind() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            Client client = service.live.clients().iterator().next();
            service.live.on(
                    "ask",
                    String.class,
                    (c, event) -> {
                        try {
                            var answer = c.request(event, Duration.ofSeconds(5), Integer.class, 1);
                            service.say("answer " + answer);
                        } catch (RequestException e) {
                            service.say(e.kind() + " " + e.code());
                        }
                    });
            peer.send("42[\"ask\",\"a\"]").expects("421[\"a\",1]").send("431[42]");
            assertEquals("answer 42", service.next());
            peer.send("42[\"ask\",\"a\"]").expects("422[\"a\",1]");
            peer.send("432[{\"error\":{\"code\":\"busy\",\"message\":\"later\"}}]");
            assertEquals("REFUSED busy", service.next());
            peer.send("42[\"ask\",\"a\"]").expects("423[\"a\",1]").send("433[\"x\"]");
            assertEquals("MALFORMED malformed", service.next());
            var late =
                    assertThrows(
                            RequestException.class,
                            () -> client.request("b", Duration.ofMillis(20), String.class));
            assertEquals(RequestException.Kind.TIMEOUT, late.kind());
            peer.expects("424[\"b\"]").send("434[\"too late\"]");
            peer.send("42[\"ask\",\"a\"]").expects("425[\"a\",1]").abort();
            assertEquals("CLOSED closed", service.next());
        }
    }

    @Test
    void aRoomHasWhoWasPutThereAndExceptsTheSender() {
        try (var service = new Service();
                Peer ada = Peer.client(service.port);
                Peer bob = Peer.client(service.port)) {
            service.live.on(
                    "in",
                    String.class,
                    (c, room) -> {
                        c.join(room);
                        c.room(room).send("came", c.rooms().size());
                        service.live.room(room).send("all", room);
                    });
            ada.send("42[\"in\",\"kitchen\"]").expects("42[\"all\",\"kitchen\"]");
            bob.send("42[\"in\",\"kitchen\"]").expects("42[\"all\",\"kitchen\"]");
            ada.expects("42[\"came\",1]").expects("42[\"all\",\"kitchen\"]");
            bob.send("42[\"in\",\"hall\"]").expects("42[\"all\",\"hall\"]");
            service.live.room("kitchen").room("hall").send("once", 1);
            ada.expects("42[\"once\",1]");
            bob.expects("42[\"once\",1]");
            service.live.broadcast("everybody");
            ada.expects("42[\"everybody\"]");
            bob.expects("42[\"everybody\"]");
        }
    }

    @Test
    void aClientIsFoundByItsTagAlsoAsLongAsOthersAreOnlyConnecting() {
        try (var service = new Service();
                Peer pending = Peer.session(service.port);
                Peer peer = Peer.client(service.port, "{\"tags\":{\"os\":\"linux\"}}")) {
            service.live.onRequest(
                    "name",
                    String.class,
                    (c, name) -> {
                        c.tag("name", name);
                        return c.info().tags().get("os");
                    });
            peer.send("420[\"name\",\"Ada\"]").expects("430[\"linux\"]");
            assertEquals(1, service.live.tagged("name", "Ada").size());
            assertEquals(0, service.live.tagged("name", "Bob").size());
            peer.send("421[\"name\",\"Bob\"]").expects("431[\"linux\"]");
            assertEquals(0, service.live.tagged("name", "Ada").size());
            assertEquals(1, service.live.clients().size());
            pending.send("40");
        }
    }

    @Test
    void whatAClientSaysOfItselfIsBounded() {
        var tags = new StringJoiner(",", "{\"tags\":{", "}}");
        tags.add("\"long\":\"" + "x".repeat(257) + "\"");
        tags.add("\"" + "y".repeat(257) + "\":\"long\"");
        for (int i = 0; i < 50; i++) {
            tags.add("\"" + i + "\":\"" + "z".repeat(256) + "\"");
        }
        try (var service = new Service();
                Peer peer = Peer.client(service.port, tags.toString())) {
            var kept = service.live.clients().iterator().next().info().tags();
            assertEquals(32, kept.size());
            assertEquals("z".repeat(256), kept.get("31"));
            peer.send("41");
        }
    }

    @Test
    void namespacesHaveTheirOwnClientsOverOneConnection() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            Namespace admin = service.live.namespace("/admin");
            admin.on("e", (c, a) -> c.send("admin"));
            service.live.on("e", (c, a) -> c.send("main"));
            peer.send("40/admin,");
            assertTrue(peer.next().startsWith("40/admin,{\"sid\":"));
            peer.send("42/admin,[\"e\"]").expects("42/admin,[\"admin\"]");
            peer.send("42[\"e\"]").expects("42[\"main\"]");
            peer.send("40/none,");
            assertTrue(peer.next().startsWith("44/none,{\"message\":\"Invalid namespace\""));
            assertEquals(1, admin.clients().size());
            peer.send("41/admin,").send("42[\"e\"]").expects("42[\"main\"]");
            assertEquals(0, admin.clients().size());
        }
    }

    @Test
    void aClientLivesFromOneConnectToOneClose() {
        try (var service = new Service()) {
            service.live.onConnect(c -> service.say("connect"));
            service.live.on("e", (c, a) -> service.say("e"));
            service.live.onClose((c, reason) -> service.say(reason.name()));
            try (Peer peer = Peer.client(service.port)) {
                peer.send("42[\"e\"]").send("41");
                assertEquals(
                        List.of("connect", "e", "LEFT"),
                        List.of(service.next(), service.next(), service.next()));
            }
            try (Peer peer = Peer.client(service.port)) {
                peer.abort();
                assertEquals(List.of("connect", "LOST"), List.of(service.next(), service.next()));
            }
            try (Peer peer = Peer.client(service.port)) {
                assertEquals("connect", service.next());
                service.live.clients().forEach(c -> c.close("spam", "enough"));
                String why = peer.next();
                assertTrue(why.startsWith("42[\"sirocco:closed\",{"), why);
                assertTrue(why.contains("spam") && why.contains("enough"), why);
                peer.expects("41");
                assertEquals("KICKED", service.next());
            }
        }
    }

    @Test
    void aHandlerThatBlocksHoldsUpNobodyButItsClient() throws Exception {
        try (var service = new Service();
                Peer slow = Peer.client(service.port)) {
            var go = new CountDownLatch(1);
            service.live.on("wait", (c, a) -> go.await(10, TimeUnit.SECONDS));
            service.live.onRequest("echo", (c, a) -> a.asInt(0));
            slow.send("42[\"wait\"]").send("420[\"echo\",1]");
            for (int i = 0; i < 4; i++) {
                try (Peer quick = Peer.client(service.port)) {
                    quick.send("420[\"echo\",2]").expects("430[2]");
                }
            }
            go.countDown();
            slow.expects("430[1]");
        }
    }

    @Test
    void aRequestOfOursWithAnArgumentThatIsNoneIsAnsweredAndTheNextIsHandled() {
        try (var service = new Service(c -> c.presence("kitchen"));
                Peer peer = Peer.client(service.port)) {
            service.live.onClose((c, reason) -> service.say(reason.name()));
            service.live.onRequest("echo", (c, a) -> a);
            peer.send("420[\"sirocco:presence\",7]");
            String refused = peer.next();
            assertTrue(refused.contains("\"bad_arguments\""), refused);
            peer.send("421[\"echo\",2]").expects("431[2]").send("41");
            assertEquals("LEFT", service.next());
        }
    }

    @Test
    void aListenerOfErrorsThatThrowsAnErrorStopsNoOther() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.onError(
                    (c, event, e) -> {
                        throw new AssertionError("oops");
                    });
            service.live.onError((c, event, e) -> service.say(event + " " + e.getMessage()));
            service.live.onRequest("echo", (c, a) -> a);
            service.live.on("jar", CookieJar.class, (c, jar) -> service.say("jar"));
            peer.send("42[\"jar\",7]");
            assertEquals("jar no CookieJar: it does not fit", service.next());
            peer.send("421[\"echo\",2]").expects("431[2]");
        }
    }

    @Test
    void whatDoesNotFitDoesNotFillTheLog() {
        PrintStream before = System.err; // the log of tests
        var log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, UTF_8));
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.on("jar", CookieJar.class, (c, jar) -> service.say("jar"));
            service.live.onRequest("echo", (c, a) -> a);
            for (int i = 0; i < 100; i++) {
                peer.send("42[\"jar\",7]");
            }
            peer.send("421[\"echo\",2]").expects("431[2]");
        } finally {
            System.setErr(before);
        }
        List<String> lines =
                log.toString(UTF_8)
                        .lines()
                        .filter(l -> l.contains("refused so far, as this jar"))
                        .toList();
        assertEquals(7, lines.size(), "the first, the second, the fourth: " + lines);
        assertFalse(log.toString(UTF_8).contains("RequestException"), "nor do its stacks");
    }

    @Test
    void tooManyMessagesAreDroppedAnsweredAndAtLastEndTheClient() {
        try (var service = new Service(c -> c.messages(new Limit.Bucket(2, Duration.ofHours(1))));
                Peer peer = Peer.client(service.port)) {
            service.live.onClose((c, reason) -> service.say(reason.name()));
            service.live.onRequest("echo", (c, a) -> 1);
            peer.send("420[\"echo\"]").send("421[\"echo\"]").send("422[\"echo\"]");
            var answers = new TreeSet<>(List.of(peer.next(), peer.next(), peer.next()));
            assertEquals("430[1]", answers.pollFirst()); // a refusal does not wait for handlers
            assertEquals("431[1]", answers.pollFirst());
            assertTrue(answers.first().contains("\"limited\""));
            for (int i = 3; i < 7; i++) { // the last is one too many
                peer.send("42" + i + "[\"echo\"]");
            }
            assertEquals("LIMITED", service.next());
        }
    }

    @Test
    void aClientMayBeInSoManyRoomsAndInNoMore() {
        try (var service = new Service(c -> c.rooms(2));
                Peer peer = Peer.client(service.port)) {
            Client client = service.live.clients().iterator().next();
            client.join("a");
            client.join("b");
            assertThrows(IllegalStateException.class, () -> client.join("c"));
            client.leave("a");
            client.join("c");
            assertFalse(client.rooms().contains("a"));
            peer.send("41");
        }
    }

    @Test
    void aServerThatStopsLetsHandlersEndAndDeliversWhatTheyHaveSent() throws Exception {
        var service = new Service();
        Peer peer = Peer.client(service.port);
        var began = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        service.live.onRequest(
                "work",
                (c, a) -> {
                    began.countDown();
                    go.await(10, TimeUnit.SECONDS);
                    return "done";
                });
        service.live.onClose((c, reason) -> service.say(reason.name()));
        peer.send("420[\"work\"]");
        assertTrue(began.await(10, TimeUnit.SECONDS));
        Thread stop = Thread.startVirtualThread(() -> service.server.stop(Duration.ofSeconds(10)));
        go.countDown();
        peer.expects("430[\"done\"]");
        assertTrue(peer.end().startsWith("closed 1012"));
        assertEquals("STOPPED", service.next());
        stop.join();
    }
}
