// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.Session;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * What the broker hears of a client last is how it is: a client came back that was in none of its
 * rooms, since the session that was kept when it entered had been put in behind the one of its
 * join.
 */
class KeepOrderTest {
    private static final int FOR_ANOTHER = 500; // milliseconds

    private final AtomicInteger begun = new AtomicInteger();
    private final CountDownLatch another = new CountDownLatch(1);
    private final CountDownLatch both = new CountDownLatch(2);
    private volatile Set<String> rooms;

    @Test
    void aSessionThatIsKeptLateDoesNotTakeARoomAway() throws Exception {
        try (var service =
                new Service(c -> c.recovery(Duration.ofMinutes(1)).broker(hesitating()))) {
            service.live.on("join", (client, a) -> client.join(a.asString(0)));
            Peer peer = Peer.client(service.port);
            peer.send("42[\"join\",\"kitchen\"]");
            both.await(20, TimeUnit.SECONDS);
            assertEquals(Set.of("kitchen"), rooms);
        }
    }

    /** Keeps the first session late: behind the second, if that comes meanwhile. */
    private Broker hesitating() {
        return Between.memory(
                Set.of("keep", "change"),
                (arguments, memory) -> {
                    if (begun.incrementAndGet() == 1) {
                        another.await(FOR_ANOTHER, TimeUnit.MILLISECONDS);
                    }
                    CompletionStage<?> kept = memory.call();
                    rooms =
                            arguments[0] instanceof Session.Change change
                                    ? change.joined().keySet()
                                    : ((Session) arguments[0]).rooms().keySet();
                    another.countDown();
                    both.countDown();
                    return kept;
                });
    }
}
