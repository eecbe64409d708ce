// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What is done for one client is done in order, and one at a time. */
class LaneTest {
    private final CountDownLatch waits = new CountDownLatch(1);
    private final CountDownLatch may = new CountDownLatch(1);

    /** The loop runs other virtual threads while a task waits for a lock. */
    @Test
    void aTaskThatWaitsIsNotOvertaken() throws Exception {
        try (var service = new Service()) {
            var subject = new AtomicReference<Client>();
            service.live.on(
                    "first",
                    (client, a) -> {
                        subject.set(client);
                        client.inOrder(() -> waitAndSay(service));
                        service.say("the handler of the first");
                    });
            service.live.on(
                    "second",
                    (client, a) -> {
                        subject.get().inOrder(() -> service.say("second"));
                        may.countDown();
                    });
            List<Peer> two = ofOneLoop(service);
            two.getFirst().send("42[\"first\"]");
            assertTrue(waits.await(10, TimeUnit.SECONDS));
            two.getLast().send("42[\"second\"]");
            assertEquals("first", service.next());
            var rest = List.of(service.next(), service.next());
            assertTrue(rest.contains("second"), "" + rest);
            two.forEach(Peer::close);
        }
    }

    private void waitAndSay(Service service) {
        waits.countDown();
        try {
            assertTrue(may.await(10, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        service.say("first");
    }

    private static List<Peer> ofOneLoop(Service service) {
        var all = new ArrayList<Peer>();
        var shards = new ArrayList<Shard>();
        while (true) {
            Peer peer = Peer.session(service.port).send("40");
            Client client = service.live.client(Peer.field(peer.next(), "sid")).orElseThrow();
            int other = shards.indexOf(client.shard());
            if (other >= 0) {
                return List.of(all.get(other), peer);
            }
            all.add(peer);
            shards.add(client.shard());
        }
    }
}
