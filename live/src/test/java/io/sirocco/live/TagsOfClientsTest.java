// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What clients say of themselves in their {@code auth}: how they are found, and seen by others. */
class TagsOfClientsTest {
    private static final String RED = "{\"tags\":{\"team\":\"red\",\"admin\":\"true\"}}";

    @Test
    void aTagThatTheProgramAllowsIsFound() {
        try (var service = new Service(c -> c.clientTags("team", "os*"))) {
            service.live.onClose((c, reason) -> service.say("gone"));
            try (Peer peer = Peer.client(service.port, RED)) {
                assertEquals(1, service.live.tagged("team", "red").size());
                Client client = service.live.clients().iterator().next();
                assertEquals(Optional.of("red"), client.tag("team"));
                client.tag("team", "blue"); // a handler knows better
                assertEquals(0, service.live.tagged("team", "red").size());
                assertEquals(1, service.live.tagged("team", "blue").size());
                peer.send("41");
                assertEquals("gone", service.next());
                assertEquals(0, service.live.tagged("team", "blue").size());
            }
        }
    }

    @Test
    void aClientDoesNotMakeItselfOneOfThoseThatHandlersTag() {
        try (var service = new Service(c -> c.clientTags("team"));
                Peer peer = Peer.client(service.port, RED)) {
            assertEquals(0, service.live.tagged("admin", "true").size());
            assertEquals(
                    Map.of("team", "red", "admin", "true"),
                    service.live.clients().iterator().next().info().tags());
            peer.send("41");
        }
        try (var service = new Service(); // none is allowed unless the program says so
                Peer peer = Peer.client(service.port, RED)) {
            assertEquals(0, service.live.tagged("team", "red").size());
            peer.send("41");
        }
    }

    @Test
    void itIsFoundAgainWhenItComesBack() {
        try (var service = new Service(c -> c.recovery(Duration.ofMinutes(1)).clientTags("*"))) {
            Peer peer = Peer.session(service.port).send("40" + RED);
            String hello = peer.next();
            service.live.broadcast("a");
            String last = Peer.offset(peer.next());
            peer.abort();
            String auth =
                    "{\"pid\":\"%s\",\"offset\":\"%s\"}".formatted(Peer.field(hello, "pid"), last);
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                assertEquals(Peer.field(hello, "sid"), Peer.field(again.next(), "sid"));
                assertEquals(1, service.live.tagged("team", "red").size());
            }
        }
    }

    private static String presence(Peer peer) {
        String next = peer.next();
        while (next.startsWith("430")) {
            next = peer.next(); // the answer, which may come before or after
        }
        return next;
    }

    @Test
    void aNameInItsAuthIsSeenByTheOtherMembers() {
        try (var service = new Service(c -> c.presence("kitchen"))) {
            service.live.onRequest(
                    "join",
                    (c, a) -> {
                        c.join("kitchen");
                        return true;
                    });
            try (Peer ada = Peer.client(service.port, "{\"name\":\"Ada\"}");
                    Peer bob = Peer.client(service.port, "{\"tags\":{\"name\":\"Bob\"}}");
                    Peer eve =
                            Peer.client(service.port, "{\"name\":\"" + "x".repeat(257) + "\"}")) {
                ada.send("420[\"join\"]");
                String joined = presence(ada);
                assertTrue(joined.contains("\"info\":{\"name\":\"Ada\"}"), joined);
                bob.send("420[\"join\"]");
                joined = presence(ada);
                assertTrue(joined.contains("\"user\":\"\",\"info\":{\"name\":\"Bob\"}"), joined);
                eve.send("420[\"join\"]");
                joined = presence(ada);
                assertTrue(joined.contains("\"info\":{}"), joined);
                ada.send("421[\"sirocco:presence\",\"kitchen\"]");
                String members = ada.next();
                while (members.startsWith("430")) {
                    members = ada.next();
                }
                assertTrue(members.startsWith("431[{\"members\":[{"), members);
                assertTrue(members.contains("\"info\":{\"name\":\"Ada\"}"), members);
                assertTrue(members.contains("\"info\":{\"name\":\"Bob\"}"), members);
            }
        }
    }
}
