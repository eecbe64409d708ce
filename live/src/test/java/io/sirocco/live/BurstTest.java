// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Much that is sent to one client by somebody who waits for it. */
class BurstTest {
    private static final String LONG = "x".repeat(10_000);
    private static final int EVENTS = 400; // 4 MB

    private static void burst(Client client) {
        for (int i = 0; i < EVENTS; i++) {
            client.send("m", i, LONG).toCompletableFuture().join();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 120})
    void reachesAClientOverAWebSocket(int recovery) {
        try (var service = new Service(c -> c.recovery(Duration.ofSeconds(recovery)))) {
            service.live.on("go", (client, a) -> burst(client)); // on its loop
            service.live.onClose((client, reason) -> service.say(reason.name()));
            try (Peer peer = Peer.client(service.port)) {
                peer.send("42[\"go\"]");
                for (int i = 0; i < EVENTS; i++) {
                    String next = peer.next();
                    assertTrue(next.startsWith("42[\"m\"," + i + ","), next);
                }
                Client client = service.live.clients().iterator().next();
                var elsewhere = CompletableFuture.runAsync(() -> burst(client));
                for (int i = 0; i < EVENTS; i++) {
                    String next = peer.next();
                    assertTrue(next.startsWith("42[\"m\"," + i + ","), next);
                }
                elsewhere.join();
                peer.send("41");
                assertEquals("LEFT", service.next());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 120})
    void reachesAClientThatPolls(int recovery) throws IOException {
        try (var service = new Service(c -> c.recovery(Duration.ofSeconds(recovery)));
                var poller = new Poller(service.port)) {
            service.live.on("go", (client, a) -> burst(client));
            poller.connect("");
            poller.say("42[\"go\"]");
            int known = 0;
            while (known < EVENTS) {
                for (String event : poller.poll().split("\u001e")) {
                    assertTrue(event.startsWith("42[\"m\"," + known + ","), event);
                    known++;
                }
            }
        }
    }

    @Test
    void isOverWhenTheClientHasGone() throws Exception {
        try (var service = new Service();
                var poller = new Poller(service.port)) {
            poller.connect("");
            Client client = service.live.clients().iterator().next();
            var burst = CompletableFuture.runAsync(() -> burst(client)); // nobody polls
            service.await("somebody waits", () -> !client.life.hasRoom());
            CompletableFuture<Void> stage = client.send("m").toCompletableFuture();
            client.close();
            burst.get(10, TimeUnit.SECONDS);
            stage.get(10, TimeUnit.SECONDS);
            client.send("m").toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void aMessageThatIsLongerThanTheBudgetReachesAClientThatPolls() throws IOException {
        try (var service = new Service(c -> c.budget(100_000, Overflow.CLOSE));
                var poller = new Poller(service.port)) {
            service.live.on("go", (client, a) -> client.send("m", "x".repeat(300_000)));
            poller.connect("");
            poller.say("42[\"go\"]");
            assertTrue(poller.poll().startsWith("42[\"m\",\"xxx"));
        }
    }
}
