// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.MemoryBroker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client comes back to another node, and its connection breaks before that node knows it. */
class LostOnTheWayTest {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch broken = new CountDownLatch(1);
    private final MemoryBroker memory = MemoryBroker.create();
    private final Service first =
            new Service(c -> c.recovery(Duration.ofMinutes(2)).broker(memory));
    private Service second;
    private String auth;

    @AfterEach
    void stop() {
        first.close();
        second.close();
        first.live.close();
        second.live.close();
    }

    private void loseOneOnItsWay(Consumer<LiveSettings> configure) throws Exception {
        second =
                new Service(
                        c -> {
                            c.recovery(Duration.ofMinutes(2)).broker(slowToGive());
                            configure.accept(c);
                        });
        second.live.onClose((client, reason) -> second.say("closed " + reason));
        first.live.onConnect(
                client -> {
                    client.join("kitchen");
                    client.tag("name", "Ada");
                    first.say("connect");
                });
        Peer peer = Peer.session(first.port).send("40");
        String pid = Peer.field(peer.next(), "pid");
        assertEquals("connect", first.next());
        first.live.room("kitchen").send("a");
        String offset = Peer.offset(peer.next());
        peer.abort();
        auth = "{\"pid\":\"" + pid + "\",\"offset\":\"" + offset + "\"}";
        Peer back = Peer.session(second.port).send("40" + auth);
        assertTrue(asked.await(10, TimeUnit.SECONDS));
        back.abort();
        second.await("its session has ended", () -> second.live.hub.engine.size() == 0);
        broken.countDown();
    }

    private io.sirocco.live.broker.Broker slowToGive() {
        return Between.memory(
                memory.another(),
                "take",
                (arguments, broker) -> {
                    var taken = broker.call();
                    asked.countDown();
                    broken.await(10, TimeUnit.SECONDS);
                    return taken;
                });
    }

    @Test
    void comesBackAsTheSameOnce() throws Exception {
        loseOneOnItsWay(c -> {});
        MembershipMemory rooms = second.live.hub.membershipMemory;
        long place = MembershipMemory.of("kitchen");
        second.await("it is away", () -> rooms.bytes() == MembershipMemory.AWAY + place);
        try (Peer again = Peer.client(second.port, auth)) {
            assertEquals(place, rooms.bytes());
            assertEquals(1, second.live.clients().size());
            assertEquals(1, second.live.tagged("name", "Ada").size());
            second.live.room("kitchen").send("b");
            assertTrue(again.next().startsWith("42[\"b\""));
        }
    }

    @Test
    void leavesNothingWhereThereIsNoMemoryForIt() throws Exception {
        loseOneOnItsWay(c -> c.memoryOfRooms = MembershipMemory.of("kitchen"));
        assertEquals("closed LOST", second.next());
        assertEquals(0, second.live.hub.membershipMemory.bytes());
        assertEquals(Set.of(), Set.copyOf(second.live.tagged("name", "Ada")));
        assertEquals(0, second.live.clients().size());
    }
}
