// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One request of long polling with more events than handlers take at once. */
class PostOfManyEventsTest {
    private static final int EVENTS = 100_000;

    private static String body(int events) {
        var body = new StringBuilder();
        for (int i = 0; i < events; i++) {
            body.append(i == 0 ? "" : "\u001e").append("42[\"m\"]");
        }
        return body.toString();
    }

    private static String session(Service service) {
        String session = Peer.polling(service.port);
        Peer.post(service.port, session, "40");
        Peer.get(service.port, session);
        return session;
    }

    @Test
    void isTakenAsHandlersTakeItAndAnsweredThen() throws Exception {
        try (var service = new Service(LiveSettings::anyMessages)) {
            var go = new CountDownLatch(1);
            var handled = new AtomicInteger();
            service.live.on(
                    "m",
                    (client, a) -> {
                        go.await();
                        handled.incrementAndGet();
                    });
            String session = session(service);
            var answer =
                    CompletableFuture.supplyAsync(
                            () -> Peer.post(service.port, session, body(EVENTS)).body());
            service.await("it is full", () -> service.live.metrics().queued() > 500);
            for (int i = 0; i < 100; i++) { // until it would have taken all of them
                var round = new CountDownLatch(1);
                service.live.clients().iterator().next().shard().loop.execute(round::countDown);
                assertTrue(round.await(10, TimeUnit.SECONDS));
            }
            assertTrue(service.live.metrics().queued() <= 2_000);
            assertTrue(!answer.isDone());
            go.countDown();
            assertEquals("ok", answer.get(20, TimeUnit.SECONDS));
            service.await("all are handled", () -> handled.get() == EVENTS);
        }
    }

    @Test
    void whatComesBehindAnErrorIsNotTaken() throws Exception {
        try (var service = new Service()) {
            service.live.on("m", (client, a) -> service.say("m"));
            service.live.onClose((client, reason) -> service.say(reason.name()));
            String session = session(service);
            String body = body(2) + "\u001e49\u001e" + body(2);
            assertEquals(400, Peer.post(service.port, session, body).statusCode());
            assertEquals("m", service.next());
            assertEquals("m", service.next());
            assertEquals("LOST", service.next());
        }
    }

    @Test
    void aGoodByeIsAnswered() throws Exception {
        try (var service = new Service()) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            String session = session(service);
            assertEquals("ok", Peer.post(service.port, session, "1").body());
            assertEquals("LOST", service.next());
        }
    }
}
