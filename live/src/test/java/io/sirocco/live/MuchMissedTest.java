// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Broker;
import io.sirocco.live.broker.Depth;
import io.sirocco.live.broker.MemoryBroker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that has missed more than may wait to be sent to it comes back, and is sent it. */
class MuchMissedTest {
    private static final Duration TWO_MINUTES = Duration.ofMinutes(2);
    private static final String LONG = "x".repeat(3_000);
    private static final int MISSED = 3_000; // 9 MB

    /** Has a client miss messages; answers the auth with which it comes back. */
    private static String missing(Service service, int messages, String... rooms) {
        Peer peer = Peer.session(service.port).send("40");
        String pid = Peer.field(peer.next(), "pid");
        Client client = service.live.clients().iterator().next();
        for (String room : rooms) {
            client.join(room);
        }
        service.live.broadcast("first").toCompletableFuture().join();
        String last = Peer.offset(peer.next());
        peer.abort();
        service.await("it is away", () -> !client.isConnected());
        for (int i = 0; i < messages; i++) {
            service.live.broadcast("m", i, LONG).toCompletableFuture().join();
        }
        return "{\"pid\":\"" + pid + "\",\"offset\":\"" + last + "\"}";
    }

    private static void expect(int number, String event) {
        assertTrue(event.startsWith("42[\"m\"," + number + ","), event);
    }

    @Test
    void isSentOverAWebSocket() {
        try (var service = new Service(c -> c.recovery(TWO_MINUTES))) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            String auth = missing(service, MISSED);
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                again.next();
                for (int i = 0; i < MISSED; i++) {
                    expect(i, again.next());
                }
                service.live.broadcast("m", MISSED, "");
                expect(MISSED, again.next());
                again.send("41");
                assertEquals("LEFT", service.next());
            }
        }
    }

    @Test
    void isSentByPolls() throws IOException {
        try (var service = new Service(c -> c.recovery(TWO_MINUTES))) {
            String auth = missing(service, MISSED);
            try (var poller = new Poller(service.port)) {
                String first = poller.connect(auth);
                List<String> events = new ArrayList<>(List.of(first.split("\u001e")));
                while (events.size() < MISSED + 1) {
                    events.addAll(List.of(poller.poll().split("\u001e")));
                }
                for (int i = 0; i < MISSED; i++) {
                    expect(i, events.get(i + 1));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsPublishedMeanwhileComesBehindItOnceAndInOrder(boolean smallBudget) throws Exception {
        int budget = smallBudget ? 10_000 : 1 << 20;
        try (var service =
                new Service(c -> c.recovery(TWO_MINUTES).budget(budget, Overflow.CLOSE))) {
            String auth = missing(service, MISSED);
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                var more =
                        CompletableFuture.runAsync(
                                () -> {
                                    for (int i = MISSED; i < 2 * MISSED; i++) {
                                        service.live.broadcast("m", i, LONG);
                                        if (i % 50 == 0) {
                                            sleep();
                                        }
                                    }
                                });
                again.next();
                int known = 0;
                for (; known < 2 * MISSED; known++) {
                    String next = again.next();
                    if (next.startsWith("closed") || next.equals("lost")) {
                        assertTrue(smallBudget && known > MISSED, next); // it was too slow, then
                        break;
                    }
                    expect(known, next);
                }
                more.join();
            }
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(1); // so that the client can keep up
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void moreThanMayBeReplayedIsAGapBehindThat() {
        try (var service = new Service(c -> c.recovery(TWO_MINUTES).replay(1_500))) {
            String auth = missing(service, MISSED);
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                again.next();
                for (int i = 0; i < 1_500; i++) {
                    expect(i, again.next());
                }
                again.expects("42[\"sirocco:gap\",{\"lost\":true}]");
                service.live.broadcast("m", MISSED, "");
                expect(MISSED, again.next());
            }
        }
    }

    @Test
    void whatIsForgottenMeanwhileIsAGap() throws Exception {
        var asked = new CountDownLatch(2);
        var may = new CompletableFuture<Void>();
        var depth = new Depth(5_000, 64 << 20, Duration.ofMinutes(10));
        Broker broker =
                Between.memory(
                        MemoryBroker.create(depth),
                        "replay",
                        (arguments, memory) -> {
                            asked.countDown();
                            if (asked.getCount() == 0) {
                                may.join();
                            }
                            return memory.call();
                        });
        try (var service = new Service(c -> c.recovery(TWO_MINUTES).broker(broker))) {
            String auth = missing(service, MISSED);
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                assertTrue(asked.await(10, TimeUnit.SECONDS));
                for (int i = 0; i < 6_000; i++) {
                    service.live.room("elsewhere").send("n", i).toCompletableFuture().join();
                }
                may.complete(null);
                again.next();
                String next = again.next();
                int number = 0;
                while (!next.contains("sirocco:gap")) {
                    expect(number++, next);
                    next = again.next();
                }
                assertTrue(number < MISSED);
                service.live.broadcast("m", -1, "");
                expect(-1, again.next());
            }
        }
    }

    @Test
    void roomsThatItJoinsAndLeavesMeanwhileAreThoseOfThatMoment() throws Exception {
        var asked = new CountDownLatch(2);
        var may = new CompletableFuture<Void>();
        Broker broker =
                Between.memory(
                        MemoryBroker.create(),
                        "replay",
                        (arguments, memory) -> {
                            asked.countDown();
                            if (asked.getCount() == 0) {
                                may.join();
                            }
                            return memory.call();
                        });
        try (var service = new Service(c -> c.recovery(TWO_MINUTES).broker(broker))) {
            String auth = missing(service, MISSED, "old");
            service.live.room("old").send("to those who left").toCompletableFuture().join();
            service.live.room("new").send("before it came").toCompletableFuture().join();
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                assertTrue(asked.await(10, TimeUnit.SECONDS));
                Client client = service.live.clients().iterator().next();
                client.join("new");
                client.leave("old");
                service.live.room("new").send("since it came").toCompletableFuture().join();
                may.complete(null);
                again.next();
                for (int i = 0; i < MISSED; i++) {
                    expect(i, again.next());
                }
                String next = again.next();
                assertTrue(next.startsWith("42[\"since it came\""), next);
                service.live.broadcast("m", MISSED, "");
                expect(MISSED, again.next());
            }
        }
    }

    @Test
    void aRoomThatItLeavesAndJoinsAgainMeanwhileLosesNothing() throws Exception {
        int twoParts = 120;
        var asked = new CountDownLatch(2);
        var may = new CompletableFuture<Void>();
        Broker broker =
                Between.memory(
                        MemoryBroker.create(),
                        "replay",
                        (arguments, memory) -> {
                            asked.countDown();
                            if (asked.getCount() == 0) {
                                may.join();
                            }
                            return memory.call();
                        });
        try (var service = new Service(c -> c.recovery(TWO_MINUTES).broker(broker))) {
            String auth = missing(service, twoParts, "room");
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                assertTrue(asked.await(10, TimeUnit.SECONDS));
                Client client = service.live.clients().iterator().next();
                client.leave("room");
                service.live.broadcast("m", twoParts, "").toCompletableFuture().join();
                client.join("room");
                service.live.room("room").send("m", twoParts + 1, "").toCompletableFuture().join();
                may.complete(null);
                again.next();
                for (int i = 0; i < twoParts + 2; i++) {
                    expect(i, again.next());
                }
                service.live.broadcast("m", twoParts + 2, "");
                expect(twoParts + 2, again.next());
            }
        }
    }

    @Test
    void aBrokerThatFailsMeanwhileEndsTheConnectionAndNothingElse() throws Exception {
        var asked = new CountDownLatch(2);
        Broker broker =
                Between.memory(
                        MemoryBroker.create(),
                        "replay",
                        (arguments, memory) -> {
                            asked.countDown();
                            return asked.getCount() > 0
                                    ? memory.call()
                                    : CompletableFuture.failedStage(
                                            new io.sirocco.live.broker.BrokerException("away"));
                        });
        try (var service = new Service(c -> c.recovery(TWO_MINUTES).broker(broker))) {
            String auth = missing(service, MISSED);
            try (Peer again = Peer.session(service.port).send("40" + auth)) {
                assertTrue(again.end().startsWith("closed 1012"));
                assertEquals(1, service.live.clients().size());
            }
        }
    }
}
