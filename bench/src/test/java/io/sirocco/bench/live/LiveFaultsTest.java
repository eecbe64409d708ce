// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.bench.Failure;
import io.sirocco.http.Response;
import io.sirocco.http.WebSocket;
import io.sirocco.live.broker.Limit;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a bad server does is counted by kind, and ends nothing else. */
@Timeout(60)
class LiveFaultsTest {
    private static final int CLIENTS = 3;

    private static LiveResult run(
            InetSocketAddress server, LiveWork work, Consumer<LivePlan> configure)
            throws IOException {
        return LiveBench.run(
                LivePlan.on(
                        server,
                        "test",
                        "/socket.io/",
                        work,
                        plan -> {
                            plan.tick = Duration.ofMillis(100);
                            configure.accept(
                                    plan.clients(CLIENTS)
                                            .duration(Duration.ofMillis(250))
                                            .timeout(Duration.ofMillis(500)));
                        }),
                second -> {});
    }

    /** To all in the room but whom it comes from. */
    private static void tell(PacketServer server, WebSocket from, String packet) {
        server.members.stream().filter(m -> m != from).forEach(m -> m.trySend(packet));
    }

    private static LiveResult fanout(Published published) throws IOException {
        var server = new PacketServer[1];
        try (var opened =
                new PacketServer(
                        (socket, packet) -> {
                            int number = PacketServer.number(packet);
                            if (number >= 0) {
                                published.to(server[0], socket, number);
                            } else {
                                server[0].enters(socket, packet);
                            }
                        })) {
            server[0] = opened;
            return run(opened.address(), LiveWork.FANOUT, p -> p.rate(40));
        }
    }

    private interface Published {
        void to(PacketServer server, WebSocket from, int number);
    }

    private static String message(int number) {
        return "42[\"m\"," + number + ",\"x\"]";
    }

    @Test
    void aMessageThatDoesNotComeIsLostForEach() throws Exception {
        LiveResult result =
                fanout(
                        (server, from, n) -> {
                            if (n != 4) {
                                tell(server, from, message(n));
                            }
                        });
        assertEquals(Map.of(Failure.LOST, (long) CLIENTS), result.figures().failures());
        assertEquals(9 * CLIENTS, result.fanout().orElseThrow().delivered());
    }

    @Test
    void theLastMessageIsMissedAsWell() throws Exception {
        LiveResult result =
                fanout(
                        (server, from, n) -> {
                            if (n != 9) {
                                tell(server, from, message(n));
                            }
                        });
        assertEquals(Map.of(Failure.LOST, (long) CLIENTS), result.figures().failures());
    }

    @Test
    void aMessageThatComesAgainIsDoubledAndCountsOnce() throws Exception {
        LiveResult result =
                fanout(
                        (server, from, n) -> {
                            tell(server, from, message(n));
                            if (n == 3) {
                                tell(server, from, message(1));
                            }
                        });
        assertEquals(Map.of(Failure.DOUBLED, (long) CLIENTS), result.figures().failures());
        assertEquals(10 * CLIENTS, result.fanout().orElseThrow().delivered());
    }

    @Test
    void aMessageBehindALaterOneIsOutOfOrderAndNotLost() throws Exception {
        LiveResult result =
                fanout(
                        (server, from, n) -> {
                            if (n != 4) {
                                tell(server, from, message(n));
                            }
                            if (n == 5) {
                                tell(server, from, message(4));
                            }
                        });
        assertEquals(Map.of(Failure.DISORDERED, (long) CLIENTS), result.figures().failures());
        assertEquals(10 * CLIENTS, result.fanout().orElseThrow().delivered());
    }

    @Test
    void whatNobodyAskedForIsUnexpected() throws Exception {
        LiveResult result =
                fanout(
                        (server, from, n) -> {
                            tell(server, from, message(n));
                            if (n == 0) {
                                tell(server, from, "42[\"sirocco:gap\",{}]");
                                tell(server, from, message(1_000));
                                tell(server, from, "42");
                                tell(server, from, "4");
                                tell(server, from, "");
                                tell(server, from, "9");
                                tell(server, from, "451-[\"m\"]");
                                tell(server, from, "4399[]");
                                server.members.forEach(m -> m.trySend(new byte[3]));
                            }
                        });
        // bytes come to the publisher, too
        assertEquals(Map.of(Failure.UNEXPECTED, 9L * CLIENTS + 1), result.figures().failures());
        assertEquals(10 * CLIENTS, result.fanout().orElseThrow().delivered());
    }

    @Test
    void whoIsSentAwayMissesTheRestAndTheOthersDoNot() throws Exception {
        LiveResult result =
                fanout(
                        (server, from, n) -> {
                            tell(server, from, message(n));
                            if (n == 4) {
                                server.members.stream()
                                        .filter(m -> m != from)
                                        .findFirst()
                                        .orElseThrow()
                                        .close(4001, "go");
                            }
                        });
        assertEquals(Map.of(Failure.CLOSED, 1L, Failure.LOST, 5L), result.figures().failures());
        assertEquals(
                "the server closed the WebSocket with 4001", result.firsts().get(Failure.CLOSED));
        assertEquals(10 * CLIENTS - 5, result.fanout().orElseThrow().delivered());
        assertEquals(CLIENTS, result.opening().held()); // the publisher is one of them
    }

    @Test
    void whoMayNotJoinIsRefusedAndMissesNothing() throws Exception {
        var server = new PacketServer[1];
        var joins = new AtomicInteger();
        try (var opened =
                new PacketServer(
                        (socket, packet) -> {
                            int number = PacketServer.number(packet);
                            if (number >= 0) {
                                tell(server[0], socket, message(number));
                            } else if (packet.startsWith("420[\"join\"")
                                    && joins.incrementAndGet() > CLIENTS) {
                                socket.trySend("430[{\"code\":\"forbidden\"}]");
                            } else {
                                server[0].enters(socket, packet);
                            }
                        })) {
            server[0] = opened;
            LiveResult result = run(opened.address(), LiveWork.FANOUT, p -> p.rate(40));
            assertEquals(Map.of(Failure.REFUSED, 1L), result.figures().failures());
            assertEquals("join: [{\"code\":\"forbidden\"}]", result.firsts().get(Failure.REFUSED));
            var deliveries = result.fanout().orElseThrow();
            assertEquals(CLIENTS - 1, deliveries.receivers());
            assertEquals(10 * (CLIENTS - 1), deliveries.delivered());
        }
    }

    @Test
    void anEchoOfSomethingElseIsWrongAndAnAnswerTwiceUnexpected() throws Exception {
        var server = new PacketServer[1];
        try (var opened =
                new PacketServer(
                        (socket, packet) -> {
                            if (packet.startsWith("420[\"echo\"")) {
                                socket.trySend("430[\"y\"]");
                                socket.trySend("431[\"y\"]");
                            } else {
                                server[0].enters(socket, packet);
                            }
                        })) {
            server[0] = opened;
            LiveResult result = run(opened.address(), LiveWork.ECHO, p -> p.clients(1).rate(20));
            assertEquals(
                    Map.of(Failure.WRONG, 5L, Failure.UNEXPECTED, 5L), result.figures().failures());
        }
    }

    @Test
    void anEchoThatIsRefusedIsNotAWrongOne() throws Exception {
        try (var server =
                new ChannelServer(c -> c.messages(new Limit.Bucket(4, Duration.ofMinutes(1))))) {
            LiveResult result =
                    run(
                            server.address(),
                            LiveWork.ECHO,
                            p -> p.clients(1).rate(20).password(ChannelServer.PASSWORD));
            Map<Failure, Long> failures = result.figures().failures();
            assertTrue(failures.containsKey(Failure.REFUSED), failures.toString());
            assertFalse(failures.containsKey(Failure.WRONG), failures.toString());
            assertTrue(result.firsts().get(Failure.REFUSED).contains("limited"));
        }
    }

    @Test
    void whoIsNotAnsweredGivesUpAndIsLost() throws Exception {
        var server = new PacketServer[1];
        try (var opened =
                new PacketServer(
                        (socket, packet) -> {
                            if (!packet.startsWith("420[\"echo\"")) {
                                server[0].enters(socket, packet);
                            }
                        })) {
            server[0] = opened;
            LiveResult result =
                    run(opened.address(), LiveWork.ECHO, p -> p.duration(Duration.ofSeconds(5)));
            assertEquals(Map.of(Failure.TIMEOUT, (long) CLIENTS), result.figures().failures());
            assertEquals(0, result.figures().requests());
        }
    }

    /** The first is sent away as soon as it is in; the others come in when it has gone. */
    @Test
    void whoIsLostBeforeTheBeginningEndsNothing() throws Exception {
        var server = new PacketServer[1];
        var first = new AtomicReference<WebSocket>();
        var others = new ConcurrentLinkedQueue<WebSocket>();
        var gone = new AtomicBoolean();
        try (var opened =
                new PacketServer(
                        (socket, packet) -> {
                            if (packet.startsWith("420[\"echo\"")) {
                                socket.trySend(
                                        "430" + packet.substring(3).replace("\"echo\",", ""));
                            } else if (!packet.startsWith("40")) {
                                server[0].enters(socket, packet);
                            } else if (first.compareAndSet(null, socket)) {
                                server[0].enters(socket, packet);
                                socket.close(4001, "go");
                            } else if (gone.get()) {
                                server[0].enters(socket, packet);
                            } else {
                                others.add(socket);
                            }
                        },
                        socket -> {
                            if (socket == first.get()) {
                                gone.set(true);
                                others.forEach(other -> server[0].enters(other, "40"));
                            }
                        })) {
            server[0] = opened;
            LiveResult result = run(opened.address(), LiveWork.ECHO, p -> p.rate(40));
            assertEquals(Map.of(Failure.CLOSED, 1L), result.figures().failures());
            assertEquals(10, result.figures().latency().getTotalCount());
        }
    }

    /** The next client takes another connection. */
    @Test
    void aTicketThatDoesNotComeIsMissedByOneClient() throws Exception {
        var server = new PacketServer[1];
        var over = new CountDownLatch(1);
        var asked = new AtomicInteger();
        try (var opened = new PacketServer((socket, packet) -> server[0].enters(socket, packet))) {
            server[0] = opened;
            Supplier<Response> usual = opened.ticket;
            opened.ticket =
                    () -> {
                        if (asked.incrementAndGet() == 1) {
                            await(over);
                        }
                        return usual.get();
                    };
            LiveResult result =
                    run(opened.address(), LiveWork.CONNECT, p -> p.inFlight(1).password("a"));
            assertEquals(Map.of(Failure.TIMEOUT, 1L), result.figures().failures());
            assertEquals(CLIENTS - 1, result.opening().ready());
        } finally {
            over.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aCheckWaitsForAnAnswerNoLongerThanItIsTold() throws Exception {
        var server = new PacketServer[1];
        try (var opened = new PacketServer((socket, packet) -> server[0].enters(socket, packet))) {
            server[0] = opened;
            LivePlan plan =
                    LivePlan.on(
                            opened.address(),
                            "test",
                            "/socket.io/",
                            LiveWork.CONNECT,
                            p -> p.timeout(Duration.ofMillis(100)));
            assertEquals(Optional.of("no answer within 100 ms"), LiveCheck.of(plan));
        }
    }

    @Test
    void aPingIsAnsweredAndTheEndIsAGoodBye() throws Exception {
        var pongs = new AtomicInteger();
        var server = new PacketServer[1];
        try (var opened =
                new PacketServer(
                        (socket, packet) -> {
                            if (packet.equals("3")) {
                                pongs.incrementAndGet();
                                return;
                            }
                            if (server[0].enters(socket, packet)) {
                                socket.trySend("6");
                                socket.trySend("2");
                            }
                        })) {
            server[0] = opened;
            LiveResult result =
                    run(
                            opened.address(),
                            LiveWork.CONNECT,
                            p -> p.timeout(Duration.ofSeconds(30)).hold(Duration.ofMillis(100)));
            assertEquals(Map.of(), result.figures().failures());
            assertEquals(CLIENTS, pongs.get());
            assertEquals(CLIENTS, opened.goodByes.get());
            assertTrue(result.clean());
        }
    }
}
