// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client that was admitted for a time, or to some rooms, and comes back. By a clock, but for one.
 */
@Timeout(60)
class ExpiryTest {
    private static final String CODE = "closed 1012"; // as when a server restarts: come back

    private final ManualClock clock = new ManualClock();

    /** {@code auth: {user, seconds, rooms}} is what it is admitted for. */
    private Admission admit(Attempt attempt) {
        Admission.Admitted admitted = Admission.as(attempt.auth("user").orElse("ada"));
        if (attempt.auth("rooms").isPresent()) {
            admitted = admitted.rooms(List.of(attempt.auth("rooms").get().split(",")));
        }
        return attempt.auth("seconds").isEmpty()
                ? admitted
                : admitted.until(
                        Instant.ofEpochMilli(clock.wallMillis())
                                .plusSeconds(Long.parseLong(attempt.auth("seconds").get())));
    }

    private Service service() {
        return new Service(
                c -> c.authenticate(this::admit).recovery(Duration.ofMinutes(2)),
                routes -> {},
                clock);
    }

    /** By the time of the system. */
    @Test
    void aTimeEnds() {
        Authenticator brief = _ -> Admission.as("ada").until(Instant.now().plusMillis(300));
        try (var service = new Service(c -> c.authenticate(brief));
                Peer peer = Peer.session(service.port).send("40")) {
            String next = peer.next();
            if (next.startsWith("40{")) { // else it was late
                next = peer.next();
            }
            assertTrue(next.startsWith(CODE), next);
        }
    }

    private static void closed(Peer peer) {
        String next = peer.next();
        assertTrue(next.startsWith(CODE), next);
    }

    private static String back(String hello, String last, String more) {
        return "40{\"pid\":\"%s\",\"offset\":\"%s\"%s}"
                .formatted(Peer.field(hello, "pid"), Peer.offset(last), more);
    }

    @Test
    void whoseTimeIsOverIsClosedAndComesBackAsTheSame() {
        try (var service = service();
                Peer peer = Peer.session(service.port).send("40{\"seconds\":\"1\"}")) {
            String hello = peer.next();
            service.live.broadcast("before");
            String last = peer.next();
            clock.advance(2_000);
            closed(peer);
            service.live.broadcast("meanwhile");
            try (Peer again = Peer.session(service.port).send(back(hello, last, ""))) {
                assertEquals(Peer.field(hello, "sid"), Peer.field(again.next(), "sid"));
                assertTrue(again.next().startsWith("42[\"meanwhile\""));
                service.live.broadcast("after");
                assertTrue(again.next().startsWith("42[\"after\""), "it stays");
            }
        }
    }

    @Test
    void theTimeOfWhoComesBackIsCountedAnew() {
        try (var service = service();
                Peer peer = Peer.session(service.port).send("40{\"seconds\":\"100\"}")) {
            String hello = peer.next();
            service.live.broadcast("a");
            String auth = back(hello, peer.next(), ",\"seconds\":\"1\"");
            try (Peer again = Peer.session(service.port).send(auth)) {
                assertEquals(Peer.field(hello, "sid"), Peer.field(again.next(), "sid"));
                clock.advance(2_000);
                closed(again);
            }
        }
    }

    @Test
    void aTimeThatIsOverAdmitsNobody() {
        try (var service = service();
                Peer peer = Peer.session(service.port).send("40{\"seconds\":\"-1\"}")) {
            String answer = peer.next();
            assertTrue(answer.startsWith("44{") && answer.contains("unauthorized"), answer);
        }
    }

    @Test
    void theFirstTimeOfSeveralNamespacesCounts() {
        try (var service = service()) {
            service.live.namespace("/admin");
            try (Peer peer = Peer.session(service.port).send("40{\"seconds\":\"1\"}")) {
                assertTrue(peer.next().startsWith("40{"));
                peer.send("40/admin,{\"seconds\":\"1000\"}");
                assertTrue(peer.next().startsWith("40/admin,{"));
                clock.advance(2_000);
                closed(peer);
            }
        }
    }

    /** Some of them move to another loop on the way. */
    @Test
    void theTimeGoesAlongFromPollingToAWebSocket() {
        try (var service = service()) {
            service.live.onRequest("alive", (client, a) -> true);
            var peers = new ArrayList<Peer>();
            for (int i = 0; i < 6; i++) {
                String session = Peer.polling(service.port);
                Peer.post(service.port, session, "40{\"seconds\":\"4\"}");
                Peer.get(service.port, session);
                String query = session.replace("EIO=4&transport=polling", "transport=websocket");
                Peer peer = Peer.open(service.port, query).send("2probe").expects("3probe");
                Peer.get(service.port, session);
                peers.add(peer.send("5").send("420[\"alive\"]").expects("430[true]"));
            }
            clock.advance(5_000);
            peers.forEach(ExpiryTest::closed);
            peers.forEach(Peer::close);
        }
    }

    @Test
    void whoPollsIsClosedToo() {
        try (var service = service()) {
            String session = Peer.polling(service.port);
            Peer.post(service.port, session, "40{\"seconds\":\"1\",\"offsets\":false}");
            service.await("a client", () -> !service.live.clients().isEmpty());
            Peer.get(service.port, session);
            clock.advance(2_000);
            service.await("its end", () -> Peer.get(service.port, session).statusCode() == 400);
        }
    }

    @Test
    void whoMayNoLongerBeInItsRoomsComesBackAsAnother() {
        try (var service = service();
                Peer peer = Peer.session(service.port).send("40{\"rooms\":\"kitchen,chat/*\"}")) {
            String hello = peer.next();
            Client client = service.live.client(Peer.field(hello, "sid")).orElseThrow();
            assertTrue(client.mayJoin("chat/1") && !client.mayJoin("hall"));
            client.join("chat/1");
            service.live.broadcast("a");
            String last = peer.next();
            try (Peer same =
                    Peer.session(service.port).send(back(hello, last, ",\"rooms\":\"chat/1\""))) {
                assertEquals(Peer.field(hello, "sid"), Peer.field(same.next(), "sid"));
                assertTrue(!client.mayJoin("kitchen"), "what it was told last counts");
            }
            try (Peer another =
                    Peer.session(service.port).send(back(hello, last, ",\"rooms\":\"kitchen\""))) {
                assertNotEquals(Peer.field(hello, "sid"), Peer.field(another.next(), "sid"));
                another.expects("42[\"sirocco:gap\",{\"recovered\":false}]");
            }
        }
    }
}
