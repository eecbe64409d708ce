// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What becomes of messages that come faster than a loop hands them to its clients. */
class BacklogTest {
    private static final int MESSAGES = 100;

    private static Service service() {
        return new Service(c -> c.backlog(MESSAGES, 1 << 20));
    }

    /** Holds the loop of a client until the latch falls. */
    private static CountDownLatch hold(Client client) throws InterruptedException {
        var held = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        client.shard()
                .executeLater(
                        () -> {
                            held.countDown();
                            try {
                                assertTrue(release.await(30, TimeUnit.SECONDS));
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        assertTrue(held.await(10, TimeUnit.SECONDS));
        return release;
    }

    private static Client only(Service service) {
        return service.live.clients().iterator().next();
    }

    @Test
    void whatIsBeyondTheBoundIsAGapOfThoseWhomItWasFor() throws Exception {
        try (var service = service();
                Peer peer = Peer.client(service.port)) {
            only(service).join("kitchen");
            CountDownLatch release = hold(only(service));
            for (int i = 0; i < 3 * MESSAGES; i++) {
                service.live.room("kitchen").send("m", i);
                service.live.room("hall").send("other", i);
            }
            release.countDown();
            int i = 0;
            String next = peer.next();
            for (; next.equals("42[\"m\"," + i + "]"); i++) {
                next = peer.next();
            }
            assertEquals(MESSAGES / 2, i, next);
            assertEquals("42[\"sirocco:gap\",{\"dropped\":" + 5 * MESSAGES / 2 + "}]", next);
            service.live.room("kitchen").send("m", "again").toCompletableFuture().join();
            peer.expects("42[\"m\",\"again\"]");
        }
    }

    @Test
    void aTaskInPiecesLeavesTheLoopToOthersAndHoldsUpWhatCameLater() throws Exception {
        try (var service = service();
                Peer _ = Peer.client(service.port)) {
            var loop = only(service).shard().loop;
            var backlog = new Backlog(loop, MESSAGES, 1 << 20);
            var seen = new ConcurrentLinkedQueue<String>();
            var done = new CountDownLatch(1);
            var pieces = new AtomicInteger();
            backlog.executeLater(
                    () ->
                            backlog.inPieces(
                                    () -> {
                                        seen.add("piece");
                                        loop.execute(() -> seen.add("other"));
                                        backlog.execute(() -> seen.add("later"));
                                        if (pieces.incrementAndGet() == 3) {
                                            backlog.execute(done::countDown);
                                        }
                                        return pieces.get() < 3;
                                    }));
            assertTrue(done.await(10, TimeUnit.SECONDS));
            var order = List.copyOf(seen);
            int last = order.lastIndexOf("piece");
            assertTrue(order.indexOf("later") > last, order::toString);
            assertTrue(order.indexOf("other") < last, order::toString);
            assertEquals(3, order.stream().filter("later"::equals).count());
        }
    }

    @Test
    void aPieceThatFailsIsTheLast() throws Exception {
        try (var service = service();
                Peer _ = Peer.client(service.port)) {
            var backlog = new Backlog(only(service).shard().loop, MESSAGES, 1 << 20);
            var done = new CountDownLatch(1);
            backlog.executeLater(
                    () ->
                            backlog.inPieces(
                                    () -> {
                                        throw new IllegalStateException("a test");
                                    }));
            backlog.executeLater(done::countDown);
            assertTrue(done.await(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void aMessageToMoreThanATurnTakesReachesEachOnceAndInOrder() throws Exception {
        var peers = new ArrayList<SocketPeer>();
        try (var service = new Service(LiveSettings::anyConnects)) {
            for (int i = 0; i < 2 * Shard.PIECE + 10; i++) {
                var peer = new SocketPeer(service.port);
                peers.add(peer);
                peer.connect("");
            }
            Client away = only(service);
            for (int i = 0; i < 3; i++) {
                service.live.broadcast("m", i);
            }
            service.live.clients().forEach(client -> client.join("all"));
            away.leave("all");
            service.live.room("all").except(only(service).id()).send("room", 1);
            service.live.broadcast("end").toCompletableFuture().get(10, TimeUnit.SECONDS);
            int inRoom = 0;
            for (SocketPeer peer : peers) {
                for (int i = 0; i < 3; i++) {
                    assertEquals("42[\"m\"," + i + "]", peer.next());
                }
                String next = peer.next();
                if (next.equals("42[\"room\",1]")) {
                    inRoom++;
                    next = peer.next();
                }
                assertEquals("42[\"end\"]", next);
            }
            assertEquals(2 * Shard.PIECE + 9, inRoom);
        } finally {
            for (SocketPeer peer : peers) {
                peer.close();
            }
        }
    }

    @Test
    void bytesCountToo() throws Exception {
        try (var service = service();
                Peer peer = Peer.client(service.port)) {
            CountDownLatch release = hold(only(service));
            String text = "x".repeat(400_000);
            for (int i = 0; i < 5; i++) {
                service.live.broadcast("m", text);
            }
            release.countDown();
            for (int i = 0; i < 3; i++) {
                assertTrue(peer.next().startsWith("42[\"m\",\"xxx"));
            }
            peer.expects("42[\"sirocco:gap\",{\"dropped\":2}]");
        }
    }

    @Test
    void whatIsSentToOneClientIsBoundedAsWell() throws Exception {
        try (var service = service();
                Peer peer = Peer.client(service.port)) {
            Client client = only(service);
            CountDownLatch release = hold(client);
            for (int i = 0; i < MESSAGES + 7; i++) {
                client.send("m", i);
            }
            release.countDown();
            for (int i = 0; i < MESSAGES; i++) {
                peer.expects("42[\"m\"," + i + "]");
            }
            peer.expects("42[\"sirocco:gap\",{\"dropped\":7}]");
        }
    }

    @Test
    void whoWaitsForSendIsSlowedDownAndLosesNothing() throws Exception {
        try (var service = service();
                Peer peer = Peer.client(service.port)) {
            CountDownLatch release = hold(only(service));
            CompletableFuture<Position> last = new CompletableFuture<>();
            for (int i = 0; i < MESSAGES / 2; i++) {
                last = service.live.broadcast("m", i).toCompletableFuture();
            }
            assertFalse(last.isDone());
            release.countDown();
            last.get(10, TimeUnit.SECONDS);
            for (int i = MESSAGES / 2; i < 20 * MESSAGES; i++) {
                service.live.broadcast("m", i).toCompletableFuture().get(10, TimeUnit.SECONDS);
            }
            for (int i = 0; i < 20 * MESSAGES; i++) {
                peer.expects("42[\"m\"," + i + "]");
            }
        }
    }

    @Test
    void aCloseAndAJoinAreNeverLost() throws Exception {
        try (var service = service();
                Peer peer = Peer.client(service.port)) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            Client client = only(service);
            CountDownLatch release = hold(client);
            for (int i = 0; i < 2 * MESSAGES; i++) {
                service.live.broadcast("m", i);
            }
            client.join("kitchen");
            client.close();
            release.countDown();
            assertEquals("KICKED", service.next());
            assertTrue(peer.end().startsWith("closed"));
        }
    }

    @Test
    void aServerThatStopsLetsGoOfWhoWaits() throws Exception {
        CompletableFuture<Position> late;
        try (var service = service();
                Peer peer = Peer.client(service.port)) {
            CountDownLatch release = hold(only(service));
            CompletableFuture<Position> last = new CompletableFuture<>();
            for (int i = 0; i < MESSAGES; i++) {
                last = service.live.broadcast("m", i).toCompletableFuture();
            }
            late = last;
            release.countDown();
            peer.expects("42[\"m\",0]");
        }
        late.get(10, TimeUnit.SECONDS);
    }
}
