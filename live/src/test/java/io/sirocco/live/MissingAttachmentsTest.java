// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.http.WebSocketListener;
import io.sirocco.net.Loop;
import io.sirocco.net.MemoryBudget;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that announce attachments, and do not have them follow. */
class MissingAttachmentsTest {
    private static final String HEADER =
            "452-[\"m\",{\"_placeholder\":true,\"num\":0},{\"_placeholder\":true,\"num\":1}]";

    private static void onLoop(Service service, Runnable task) throws Exception {
        var done = new CountDownLatch(1);
        service.live
                .clients()
                .iterator()
                .next()
                .shard()
                .loop
                .execute(
                        () -> {
                            task.run();
                            done.countDown();
                        });
        assertTrue(done.await(10, TimeUnit.SECONDS));
    }

    private static MemoryBudget memory(Service service) {
        return service.live.clients().iterator().next().shard().loop.memory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"websocket", "polling"})
    void endTheSession(String transport) {
        try (var service = new Service(c -> c.attachmentTimeout = Duration.ofMillis(100))) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            if (transport.equals("websocket")) {
                Peer.client(service.port).send(HEADER).send(new byte[10]);
            } else {
                String session = Peer.polling(service.port);
                Peer.post(service.port, session, "40");
                Peer.get(service.port, session);
                Peer.post(service.port, session, HEADER + "\u001ebAQID");
            }
            assertEquals("LOST", service.next());
        }
    }

    @Test
    void thatComeInTimeEndNothing() {
        try (var service =
                new Service(c -> c.anyMessages().attachmentTimeout = Duration.ofSeconds(1))) {
            service.live.on("m", (client, a) -> service.say("" + a.asBytes(1).length));
            service.live.onRequest("alive", (client, a) -> true);
            try (Peer peer = Peer.client(service.port)) {
                peer.send(HEADER).send(new byte[10]).send(new byte[20]);
                assertEquals("20", service.next());
                long until = System.nanoTime() + 1_200_000_000; // its time is over then
                while (System.nanoTime() < until) {
                    peer.send("420[\"alive\"]").expects("430[true]");
                }
            }
        }
    }

    @Test
    void countAgainstTheMemoryOfTheLoop() throws Exception {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.on("m", (client, a) -> service.say("" + a.asBytes(0).length));
            MemoryBudget memory = memory(service);
            peer.send(HEADER).send(new byte[500_000]);
            service.await("it is held", () -> memory.used() >= 500_000);
            peer.send(new byte[1]);
            assertEquals("500000", service.next());
            service.await("it is given back", () -> memory.used() == 0);
            peer.send(HEADER).send(new byte[500_000]);
            service.await("it is held", () -> memory.used() >= 500_000);
            peer.abort();
            service.await("it is given back", () -> memory.used() == 0);
        }
    }

    @Test
    void areRefusedWhenThatIsUsedUp() throws Exception {
        try (var service = new Service(c -> c.recovery(Duration.ofMinutes(1)));
                Peer peer = Peer.client(service.port)) {
            MemoryBudget memory = memory(service);
            onLoop(service, () -> memory.add(memory.limit()));
            peer.send(HEADER);
            assertTrue(peer.end().startsWith("closed 1008"));
            assertTrue(service.live.clients().iterator().hasNext(), "it may come back");
            onLoop(service, () -> memory.release(memory.limit()));
        }
    }

    @Test
    void whatWaitsForHandlersCountsToo() throws Exception {
        var go = new CountDownLatch(1);
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.on("m", (client, a) -> go.await());
            MemoryBudget memory = memory(service);
            peer.send("42[\"m\",\"" + "x".repeat(500_000) + "\"]");
            service.await("it is held", () -> memory.used() >= 500_000);
            go.countDown();
            service.await("it is given back", () -> memory.used() == 0);
        }
    }

    /**
     * Memory is made for an attachment by ending another connection, whose listener ends the very
     * session that the attachment is for: then nothing is counted on it any more.
     */
    @Test
    void ofASessionThatEndsWhileMemoryIsMadeForThemAreNotCounted() throws Exception {
        Live live = Live.create(c -> {});
        var ended = new CountDownLatch(1);
        var fill = new AtomicLong();
        var victim =
                new WebSocketListener() {
                    @Override
                    public void onClose(
                            io.sirocco.http.WebSocket socket,
                            io.sirocco.http.WebSocket.Closed closed) {
                        Link link = live.clients().iterator().next().life.link();
                        link.session.loop().memory().release(fill.get());
                        link.session.close();
                        ended.countDown();
                    }
                };
        Server server =
                Server.start(
                        c -> c.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                        routes ->
                                routes.mount("/socket.io", live)
                                        .route("GET", "/other", r -> Response.webSocket(victim)));
        try (Peer peer = Peer.client(server.port())) {
            Loop loop = live.clients().iterator().next().shard().loop;
            MemoryBudget memory = loop.memory();
            WebSocket other =
                    Peer.HTTP
                            .newWebSocketBuilder()
                            .buildAsync(
                                    URI.create("ws://127.0.0.1:" + server.port() + "/other"),
                                    new WebSocket.Listener() {})
                            .join();
            other.sendText("x".repeat(10_000), false).join();
            await("it is held", () -> memory.used() >= 10_000);
            loop.execute(
                    () -> {
                        fill.set(memory.limit() - memory.used());
                        memory.add(fill.get());
                    });
            await("nothing is left", () -> memory.used() == memory.limit());
            peer.send(HEADER);
            assertTrue(ended.await(10, TimeUnit.SECONDS));
            assertTrue(peer.end().startsWith("closed"));
            other.abort();
            await("all is given back", () -> memory.used() == 0);
        } finally {
            server.stop(Duration.ofMillis(200));
        }
    }

    private static void await(String what, BooleanSupplier happened) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!happened.getAsBoolean()) {
            assertTrue(System.nanoTime() < giveUp, what);
            LockSupport.parkNanos(200_000);
        }
    }
}
