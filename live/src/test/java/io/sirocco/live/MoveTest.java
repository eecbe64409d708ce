// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A session that began with polling lives on the loop of its WebSocket, and loses nothing on the
 * way.
 */
@Timeout(60)
class MoveTest {
    private static final int CLIENTS = 24;
    private static final long PACE = 200_000; // nanoseconds
    private static final String LAST = "42[\"end\"";

    /** Somebody who polls, and then changes to a WebSocket. */
    private static final class Upgrader implements AutoCloseable {
        final Service service;
        final List<String> received = new ArrayList<>();
        final String session;
        final Client client;
        Shard first;
        Peer peer;

        Upgrader(Service service) {
            this.service = service;
            session = Peer.polling(service.port);
            Peer.post(service.port, session, "40");
            poll();
            String hello = received.removeFirst();
            int from = hello.indexOf("\"sid\":\"") + 7;
            String id = hello.substring(from, hello.indexOf('"', from));
            client = service.live.client(id).orElseThrow();
        }

        void poll() {
            received.addAll(List.of(Peer.get(service.port, session).body().split("\u001e")));
        }

        void upgrade() {
            first = client.shard();
            peer =
                    Peer.open(
                            service.port,
                            session.replace("EIO=4&transport=polling", "transport=websocket"));
            peer.send("2probe").expects("3probe");
            poll();
            peer.send("5");
        }

        /** All that has come up to the last one. */
        List<String> all() {
            String next = "";
            while (!next.startsWith(LAST)) {
                next = peer.next();
                assertTrue(next.startsWith("42") && !next.contains("sirocco:gap"), next);
                received.add(next);
            }
            return received.stream().filter(each -> each.startsWith("42[\"m\"")).toList();
        }

        @Override
        public void close() {
            peer.close();
        }
    }

    private static void move(Consumer<LiveSettings> configure, Consumer<Service> send)
            throws Exception {
        try (var service = new Service(configure)) {
            var stop = new AtomicBoolean();
            Thread sender =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (!stop.get()) {
                                            send.accept(service);
                                            LockSupport.parkNanos(PACE);
                                        }
                                    });
            int moved = 0;
            var all = new ArrayList<Upgrader>();
            try {
                for (int i = 0; i < CLIENTS; i++) {
                    var one = new Upgrader(service);
                    one.client.join("kitchen");
                    all.add(one);
                }
                for (Upgrader each : all) {
                    each.upgrade();
                }
            } finally {
                stop.set(true);
                sender.join();
            }
            service.live.broadcast("end");
            for (Upgrader each : all) {
                List<String> messages = each.all();
                int at = 0;
                for (String message : messages) {
                    int number = Integer.parseInt(message.split("[,\\]]")[1]);
                    assertTrue(at == 0 || number == at + 1, number + " behind " + at);
                    at = number;
                }
                moved += each.client.shard() == each.first ? 0 : 1;
                each.close();
            }
            assertTrue(moved > 0, "none has moved");
        }
    }

    private static void awaitRoom(Shard shard) {
        CompletableFuture<Void> room = shard.awaitRoom();
        if (room != null) {
            room.join();
        }
    }

    @Test
    void messagesToARoomComeOnceAndInOrder() throws Exception {
        var number = new int[1];
        move(
                c -> {},
                service ->
                        service.live
                                .room("kitchen")
                                .send("m", ++number[0])
                                .toCompletableFuture()
                                .join());
    }

    @Test
    void soDoThoseOfClientsThatRecover() throws Exception {
        var number = new int[1];
        move(
                c -> c.recovery(Duration.ofMinutes(1)),
                service ->
                        service.live
                                .room("kitchen")
                                .send("m", ++number[0])
                                .toCompletableFuture()
                                .join());
    }

    @Test
    void messagesToOneClientComeOnceAndInOrder() throws Exception {
        var numbers = new HashMap<Client, Integer>();
        move(
                c -> {},
                service -> {
                    service.live.hub.shards().forEach(MoveTest::awaitRoom);
                    for (Client client : service.live.clients()) {
                        client.send("m", numbers.merge(client, 1, Integer::sum));
                    }
                });
    }

    @Test
    void whatItSendsIsHandledInOrderAndOnItsLoop() throws Exception {
        try (var service = new Service()) {
            var last = new CountDownLatch(CLIENTS);
            service.live.onRequest(
                    "echo",
                    (client, all) -> {
                        if (all.asInt(0) == 199) {
                            last.countDown();
                        }
                        return all.asInt(0);
                    });
            for (int i = 0; i < CLIENTS; i++) {
                try (var one = new Upgrader(service)) {
                    one.upgrade();
                    for (int n = 0; n < 200; n++) {
                        one.peer.send("42" + n + "[\"echo\"," + n + "]");
                    }
                    for (int n = 0; n < 200; n++) {
                        one.peer.expects("43" + n + "[" + n + "]");
                    }
                    assertSame(one.client.life.link().session.loop(), one.client.shard().loop);
                }
            }
            assertTrue(last.await(10, TimeUnit.SECONDS));
            assertEquals(2, service.live.hub.shards().size());
        }
    }

    @Test
    void whoIsCutOffOnTheWayIsGoneOnce() throws Exception {
        try (var service = new Service()) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            for (int i = 0; i < CLIENTS; i++) {
                try (var one = new Upgrader(service)) {
                    one.upgrade();
                    one.peer.abort();
                }
                assertEquals("LOST", service.next());
            }
            assertEquals(0, service.live.clients().size());
            service.live.hub.shards().forEach(shard -> assertEquals(List.of(), shard.all()));
        }
    }
}
