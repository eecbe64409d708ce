// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What is counted of channels. */
class LiveMetricsTest {

    /** Counts are a moment behind what a client sees. */
    private static LiveMetrics until(Service service, Predicate<LiveMetrics> expected) {
        service.await("the counts", () -> expected.test(service.live.metrics()));
        return service.live.metrics();
    }

    @Test
    void messagesAreCountedBothWays() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.onRequest("echo", (client, arguments) -> arguments);
            peer.send("427[\"echo\",1,2]");
            assertEquals("437[1,2]", peer.next());
            LiveMetrics metrics = until(service, m -> m.queued() == 0);
            assertEquals(1, metrics.clients());
            assertEquals(1, metrics.sessions());
            assertEquals(1, metrics.connects());
            assertEquals(1, metrics.messagesIn());
            assertEquals(2, metrics.messagesOut(), "the answers to CONNECT and to echo");
            assertTrue(metrics.bytesIn() >= "[\"echo\",1,2]".length(), metrics.toString());
            assertEquals(0, metrics.requests());
            assertEquals(0, metrics.queuedBytes());
        }
    }

    @Test
    void aRequestIsCountedWhileItIsNotAnswered() {
        var answer = new CountDownLatch(1);
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.onRequest(
                    "wait",
                    (client, arguments) -> {
                        answer.await();
                        return Arguments.none();
                    });
            peer.send("421[\"wait\"]").send("422[\"wait\"]");
            until(service, m -> m.requests() == 2 && m.queued() == 2 && m.handlers() == 1);
            answer.countDown();
            assertEquals("431[]", peer.next());
            assertEquals("432[]", peer.next());
            until(service, m -> m.requests() == 0 && m.queued() == 0);
        } finally {
            answer.countDown();
        }
    }

    @Test
    void roomsCountTheirMembersOnAllLoops() {
        try (var service = new Service()) {
            service.live.on("join", String.class, Client::join);
            service.live.on("leave", String.class, Client::leave);
            try (Peer ada = Peer.client(service.port);
                    Peer ben = Peer.client(service.port)) {
                ada.send("421[\"join\",\"a\"]").send("422[\"join\",\"b\"]");
                ben.send("421[\"join\",\"a\"]");
                until(service, m -> service.live.rooms().equals(Map.of("a", 2, "b", 1)));
                assertEquals(2, service.live.metrics().rooms());
                ada.send("423[\"leave\",\"a\"]");
                until(service, m -> service.live.rooms().equals(Map.of("a", 1, "b", 1)));
            }
            until(service, m -> m.rooms() == 0 && m.clients() == 0);
        }
    }

    @Test
    void whoGoesAndWhoIsRefusedIsCountedByReason() {
        try (var service = new Service(c -> c.password("secret"))) {
            try (var peer = Peer.client(service.port, "{\"password\":\"secret\"}")) {
                peer.send("41");
                until(service, m -> m.closes().get(Reason.LEFT) == 1);
            }
            try (var peer = Peer.session(service.port)) {
                peer.send("40{\"password\":\"guess\"}");
                assertTrue(peer.next().startsWith("44{"));
            }
            assertEquals(Map.of("unauthorized", 1L), service.live.metrics().refused());
        }
    }
}
