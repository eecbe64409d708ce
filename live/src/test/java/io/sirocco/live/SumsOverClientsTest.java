// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What clients may take of the server's memory all together, not only each. */
class SumsOverClientsTest {
    private static final String LONG = "x".repeat(10_000);

    private static Client newest(Service service, Set<Client> known) {
        assertEquals("connect", service.next());
        Set<Client> now = new HashSet<>(service.live.clients());
        now.removeAll(known);
        assertEquals(1, now.size());
        Client newest = now.iterator().next();
        known.add(newest);
        return newest;
    }

    /** One of so many clients, and the others. */
    private static Client any(Service service, Set<Client> others, int all) {
        for (int i = 0; i < all; i++) {
            assertEquals("connect", service.next());
        }
        others.addAll(service.live.clients());
        assertEquals(all, others.size());
        Client one = others.iterator().next();
        others.remove(one);
        return one;
    }

    private static Service service(long allWaiting) {
        return new Service(
                c -> {
                    c.budget(1 << 20, Overflow.CLOSE);
                    c.allWaiting = allWaiting;
                });
    }

    private static long waiting(Service service) {
        return service.live.hub.engine.bytesWaiting();
    }

    @Test
    void messagesForClientsThatDoNotReadAreBoundedInSum() throws Exception {
        long most = 2 << 20;
        try (var service = service(most)) {
            service.live.onConnect(c -> service.say("connect"));
            var known = new HashSet<Client>();
            var stalled = new ArrayList<Socket>();
            var clients = new ArrayList<Client>();
            for (int i = 0; i < 16; i++) {
                stalled.add(SlowClientTest.stalled(service));
                clients.add(newest(service, known));
            }
            try (Peer reader = Peer.client(service.port)) {
                Client honest = newest(service, known);
                for (int round = 0; round < 500; round++) { // 5 MB for each
                    for (Client client : clients) {
                        client.send("m", LONG);
                    }
                    honest.send("m", round);
                    reader.expects("42[\"m\"," + round + "]");
                    long waiting = waiting(service);
                    assertTrue(waiting <= 2 * most + 16 * 31_000, waiting + " bytes wait");
                }
                service.await(
                        "all that did not read were closed",
                        () -> service.live.clients().size() == 1);
            }
            assertEquals(0, waiting(service));
            for (Socket socket : stalled) {
                socket.close();
            }
        }
    }

    private static void fill(Service service, Client client, long until) throws Exception {
        for (int i = 0; i < 1_000 && waiting(service) < until; i++) {
            client.send("m", LONG);
            var delivered = new CountDownLatch(1);
            client.shard().executeLater(delivered::countDown);
            assertTrue(delivered.await(10, TimeUnit.SECONDS));
        }
        assertTrue(waiting(service) >= until);
    }

    /** A program that waits for what send returns has nobody closed, however little is allowed. */
    @Test
    void aProgramThatWaitsIsHeldBackBeforeItsClientIsClosed() throws Exception {
        try (var service = service(2_600_000)) {
            service.live.onConnect(c -> service.say("connect"));
            var known = new HashSet<Client>();
            try (Socket one = SlowClientTest.stalled(service);
                    Socket two = SlowClientTest.stalled(service);
                    Socket three = SlowClientTest.stalled(service)) {
                Client third = any(service, known, 3);
                Iterator<Client> others = known.iterator();
                fill(service, others.next(), 650_000); // about 220 KB of 960 that it may have
                fill(service, others.next(), 1_310_000); // the same: more than half is taken
                var room = third.send("m", LONG).toCompletableFuture();
                for (int i = 0; room.isDone() && i < 1_000; i++) {
                    room = third.send("m", LONG).toCompletableFuture();
                }
                assertFalse(room.isDone());
                assertEquals(3, service.live.clients().size());
                assertTrue(one.isConnected() && two.isConnected() && three.isConnected());
            }
        }
    }

    @Test
    void oneMessageForManyCountsOnce() throws Exception {
        try (var service = service(2 << 20)) {
            service.live.onConnect(c -> service.say("connect"));
            var known = new HashSet<Client>();
            var stalled = new ArrayList<Socket>();
            for (int i = 0; i < 16; i++) {
                stalled.add(SlowClientTest.stalled(service));
                newest(service, known);
            }
            try (Peer reader = Peer.client(service.port)) {
                newest(service, known);
                for (int i = 0; i < 500; i++) { // 16 × 0.6 MB or more, and 5 MB go to each
                    if (waiting(service) > 600_000) {
                        break;
                    }
                    service.live.broadcast("m", i, LONG);
                    assertTrue(reader.next().startsWith("42[\"m\"," + i + ","));
                }
                assertTrue(waiting(service) > 600_000);
                assertEquals(17, service.live.clients().size());
            }
            for (Socket socket : stalled) {
                socket.close();
            }
            service.await("nothing waits any more", () -> waiting(service) == 0);
        }
    }

    @Test
    void placesInRoomsAreBoundedInSum() throws Exception {
        try (var service = new Service(c -> c.memoryOfRooms = 10 * MembershipMemory.of("room 0"))) {
            service.live.onConnect(c -> service.say("connect"));
            Peer first = Peer.client(service.port);
            Peer second = Peer.client(service.port);
            List<Client> two = new ArrayList<>(service.live.clients());
            assertEquals(2, two.size());
            for (int i = 0; i < 5; i++) {
                two.get(0).join("room " + i);
                two.get(1).join("room " + i);
            }
            two.get(0).join("room 4"); // it is there already
            assertThrows(IllegalStateException.class, () -> two.get(0).join("room 5"));
            two.get(1).leave("room 4");
            two.get(0).join("room 5");
            assertThrows(IllegalStateException.class, () -> two.get(1).join("room 4"));
            first.abort();
            second.abort();
            service.await("both are gone", () -> service.live.clients().isEmpty());
            assertEquals(0, service.live.hub.membershipMemory.bytes());
        }
    }

    @Test
    void clientsThatMayComeBackAreBoundedInSum() throws Exception {
        long room = MembershipMemory.of("room");
        try (var service =
                new Service(
                        c -> {
                            c.recovery(Duration.ofMinutes(1));
                            c.memoryOfRooms = MembershipMemory.AWAY + 2 * room;
                        })) {
            service.live.onConnect(
                    c -> {
                        c.join("room");
                        service.say("connect");
                    });
            service.live.onClose((c, reason) -> service.say(reason.name()));
            MembershipMemory memory = service.live.hub.membershipMemory;
            Peer first = Peer.session(service.port).send("40");
            String pid = Peer.field(first.next(), "pid");
            assertEquals("connect", service.next());
            service.live.broadcast("m", 1);
            String offset = Peer.offset(first.next());
            Peer second = Peer.client(service.port);
            assertEquals("connect", service.next());
            first.abort();
            service.await(
                    "the first is away", () -> memory.bytes() == MembershipMemory.AWAY + 2 * room);
            second.abort();
            assertEquals("LOST", service.next()); // at once: there is no memory for another
            service.await(
                    "the second is gone", () -> memory.bytes() == MembershipMemory.AWAY + room);
            String auth = "{\"pid\":\"" + pid + "\",\"offset\":\"" + offset + "\"}";
            Peer.client(service.port, auth);
            assertEquals(room, memory.bytes());
            assertEquals(Set.of("room"), service.live.clients().iterator().next().rooms());
        }
    }
}
