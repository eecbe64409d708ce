// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.testkit.OnEachTransport;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

@OnEachTransport
class BacklogTest {
    @Parameter TransportKind transport;
    private Rig rig;

    @BeforeEach
    void start() {
        rig = new Rig(transport);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    /** Each turn may be as long as the one that they have waited for. */
    @Test
    void connectionsThatComeDuringALongTurnDoNotWaitForManyOthers() throws Exception {
        Loop loop = rig.loop();
        Queue<Long> turns = new ConcurrentLinkedQueue<>(); // that accepted one
        Listener listener =
                rig.listen(
                        c -> {
                            turns.add(loop.turns.turns());
                            return (_, _, _, to) -> to;
                        });
        var blocked = new CountDownLatch(1);
        var connected = new CountDownLatch(1);
        loop.execute(
                () -> {
                    blocked.countDown();
                    try {
                        connected.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
        assertTrue(blocked.await(10, TimeUnit.SECONDS)); // or the turn might not be a long one
        for (int i = 0; i < 100; i++) {
            rig.connect(listener);
        }
        connected.countDown();
        Rig.until("all are accepted", () -> turns.size() == 100);
        long first = turns.peek();
        long last = turns.stream().reduce(0L, Math::max);
        assertTrue(last - first < 5, "turns " + first + " to " + last);
    }
}
