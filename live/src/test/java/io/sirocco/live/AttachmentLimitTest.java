// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.peer.Npm;
import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.MemoryBroker;
import io.sirocco.live.broker.Probe;
import io.sirocco.live.broker.Publication;
import io.sirocco.live.client.LiveClient;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * The official clients end the connection when a packet has more than ten attachments, or an object
 * that looks like an attachment and is none: neither is sent, or replayed for ever.
 */
class AttachmentLimitTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    private static Object[] photos(int count) {
        return Collections.nCopies(count, new byte[] {1}).toArray();
    }

    private static void refuses(String part, Executable sending) {
        String message = assertThrows(IllegalArgumentException.class, sending).getMessage();
        assertTrue(message.contains(part), message);
    }

    @Test
    void elevenByteArraysAreRefusedWhereTheyAreSent() {
        try (var service = new Service(c -> c.recovery(LONG));
                Peer peer = Peer.client(service.port)) {
            Client client = service.live.clients().iterator().next();
            client.join("kitchen");
            Object[] eleven = photos(11);
            refuses("11 byte arrays", () -> service.live.broadcast("photos", eleven));
            refuses("11 byte arrays", () -> service.live.room("kitchen").send("photos", eleven));
            refuses("11 byte arrays", () -> client.send("photos", eleven));
            refuses("11 byte arrays", () -> client.send("photos", List.of(eleven)));
            refuses("11 byte arrays", () -> client.request("photos", LONG, Void.class, eleven));
            client.send("photos", photos(10));
            assertTrue(peer.next().startsWith("4510-[\"photos\""));
        }
    }

    @Test
    void soTheyAreByTheClient() {
        try (var service = new Service();
                LiveClient client = LiveClient.create("http://127.0.0.1:" + service.port)) {
            service.live.onRequest("count", (c, a) -> a.byteArrays());
            client.connect().join();
            refuses("11 byte arrays", () -> client.send("photos", photos(11)));
            assertEquals(10, client.request("count", LONG, Integer.class, photos(10)));
        }
    }

    @Test
    void anObjectThatLooksLikeAnAttachmentIsRefused() {
        try (var service = new Service()) {
            Map<String, Object> forged = Map.of("_placeholder", true, "num", 99);
            refuses("_placeholder", () -> service.live.broadcast("photo", forged));
            refuses("_placeholder", () -> service.live.broadcast("photo", photos(1), forged));
            service.live.broadcast("text", "\"_placeholder\":true", new byte[] {1});
        }
    }

    @Test
    void anAnswerOfElevenIsAnErrorOfTheServerAndOfTheClientWhenItOnlyComesBack() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.onRequest("photos", (c, a) -> List.of(photos(11)));
            service.live.onRequest("echo", (c, a) -> a);
            peer.send("421[\"photos\"]");
            assertTrue(peer.next().startsWith("431[{\"error\":{\"code\":\"failed\""));
            peer.send("422[\"echo\",{\"_placeholder\":true,\"num\":0}]");
            String answer = peer.next();
            assertTrue(answer.startsWith("432[{\"error\":{\"code\":\"bad_arguments\""), answer);
        }
    }

    /** As another node of another version may publish it. */
    private static Publication tooMany() {
        var data = new StringBuilder("511-[\"photos\"");
        for (int i = 0; i < 11; i++) {
            data.append(",{\"_placeholder\":true,\"num\":").append(i).append('}');
        }
        return new Publication(
                "/",
                Set.of(),
                Set.of(),
                data.append(']').toString(),
                Collections.nCopies(11, new byte[] {1}),
                true,
                List.of());
    }

    @Test
    void whoIsCutOffAtTheSameMessageEachTimeComesBackAsNew() {
        try (var service = new Service(c -> c.recovery(LONG))) {
            Peer peer = Peer.session(service.port).send("40");
            String hello = peer.next();
            service.live.broadcast("a");
            String last = Peer.offset(peer.next());
            String auth =
                    "{\"pid\":\"%s\",\"offset\":\"%s\"}".formatted(Peer.field(hello, "pid"), last);
            service.live.broadcast("b");
            for (int i = 0; i < 5; i++) {
                peer.abort();
                peer = Peer.session(service.port).send("40" + auth);
                assertEquals(Peer.field(hello, "sid"), Peer.field(peer.next(), "sid"));
                assertTrue(peer.next().startsWith("42[\"b\""));
            }
            peer.abort();
            try (Peer fresh = Peer.session(service.port).send("40" + auth)) {
                assertNotEquals(Peer.field(hello, "sid"), Peer.field(fresh.next(), "sid"));
                fresh.expects("42[\"sirocco:gap\",{\"recovered\":false}]");
            }
        }
    }

    @Test
    void whoMissesNothingMayComeBackAsOftenAsItLikes() {
        try (var service = new Service(c -> c.recovery(LONG))) {
            Peer peer = Peer.session(service.port).send("40");
            String hello = peer.next();
            service.live.broadcast("a");
            String last = Peer.offset(peer.next());
            String auth =
                    "{\"pid\":\"%s\",\"offset\":\"%s\"}".formatted(Peer.field(hello, "pid"), last);
            for (int i = 0; i < 20; i++) {
                peer.abort();
                peer = Peer.session(service.port).send("40" + auth);
                assertEquals(Peer.field(hello, "sid"), Peer.field(peer.next(), "sid"));
            }
            peer.abort();
        }
    }

    @Tag("peers")
    @Test
    void theOfficialClientIsSentTenAndComesOutOfALoop() throws Exception {
        var npm = new Npm("socket.io-client");
        MemoryBroker memory = MemoryBroker.create();
        try (Broker other = memory.another();
                var service = new Service(c -> c.recovery(LONG).broker(memory))) {
            other.start(new Probe());
            service.live.on(
                    "begin",
                    (client, a) -> {
                        client.send("ten", photos(10));
                        try {
                            client.send("eleven", photos(11));
                        } catch (IllegalArgumentException e) {
                            client.send("refused");
                        }
                    });
            service.live.on("ready", (client, a) -> other.publish(tooMany()));
            service.live.on(
                    "back",
                    (client, a) -> {
                        if (!a.asBoolean(0)) {
                            client.send("last");
                        }
                    });
            List<String> told = npm.run("attachments.js", Integer.toString(service.port));
            assertEquals(
                    List.of(
                            "ten 10",
                            "refused 0",
                            "gap {\"recovered\":false}",
                            "last 0",
                            "few cuts"),
                    told);
        }
    }
}
