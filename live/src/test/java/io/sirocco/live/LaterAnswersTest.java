// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.client.LiveClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Answers that handlers give later, and requests of one client that run side by side. */
class LaterAnswersTest {

    @Test
    void aStageIsAwaitedAndHoldsBackNoLaterRequest() throws Exception {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            var later = new CompletableFuture<Object>();
            service.live.onRequest("slow", (c, a) -> later);
            service.live.onRequest("fast", (c, a) -> "at once");
            peer.send("420[\"slow\"]").send("421[\"fast\"]").expects("431[\"at once\"]");
            later.complete(List.of(1, 2));
            peer.expects("430[[1,2]]");
            peer.send("422[\"slow\"]").expects("432[[1,2]]"); // it has ended already
        }
    }

    @Test
    void aStageIsAwaitedOverLongPolling() throws Exception {
        try (var service = new Service();
                var poller = new Poller(service.port)) {
            var later = new CompletableFuture<Object>();
            service.live.onRequest("slow", (c, a) -> later);
            service.live.onRequest("fast", (c, a) -> "at once");
            poller.connect("");
            poller.say("420[\"slow\"]\u001e421[\"fast\"]");
            assertEquals("431[\"at once\"]", poller.poll());
            later.complete(7);
            assertEquals("430[7]", poller.poll());
        }
    }

    @Test
    void aStageMayEndWithSeveralArgumentsBytesOrNothing() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.onRequest("echo", (c, a) -> CompletableFuture.completedStage(a));
            service.live.onRequest(
                    "none", (c, a) -> CompletableFuture.completedFuture(Arguments.none()));
            service.live.onRequest("null", (c, a) -> CompletableFuture.completedFuture(null));
            service.live.onRequest(
                    "bytes", (c, a) -> CompletableFuture.supplyAsync(() -> new byte[] {1}));
            peer.send("420[\"echo\",1,{\"a\":[2]}]").expects("430[1,{\"a\":[2]}]");
            peer.send("421[\"none\"]").expects("431[]");
            peer.send("422[\"null\"]").expects("432[null]");
            peer.send("423[\"bytes\"]");
            peer.expects("461-3[{\"_placeholder\":true,\"num\":0}]").expects("binary 01");
        }
    }

    @Test
    void aStageThatFailsIsAnsweredLikeAHandlerThatThrows() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.onError((c, event, e) -> service.say(event + " " + e));
            var refusal = RequestException.refused("sold_out", "no more");
            service.live.onRequest("refused", (c, a) -> CompletableFuture.failedStage(refusal));
            service.live.onRequest(
                    "wrapped",
                    (c, a) ->
                            CompletableFuture.supplyAsync(
                                    () -> {
                                        throw refusal;
                                    }));
            service.live.onRequest(
                    "broken",
                    (c, a) -> CompletableFuture.failedStage(new IllegalStateException("inside")));
            service.live.onRequest(
                    "odd", (c, a) -> CompletableFuture.completedStage(new Object[1][1]));
            String told = "[{\"error\":{\"code\":\"sold_out\",\"message\":\"no more\"}}]";
            peer.send("420[\"refused\"]").expects("430" + told);
            peer.send("421[\"wrapped\"]").expects("431" + told);
            peer.send("422[\"broken\"]")
                    .expects("432[{\"error\":{\"code\":\"failed\",\"message\":\"it failed\"}}]");
            assertEquals("broken java.lang.IllegalStateException: inside", service.next());
            peer.send("42[\"broken\"]"); // without an acknowledgement
            assertEquals("broken java.lang.IllegalStateException: inside", service.next());
            peer.send("423[\"odd\"]").expects("433[[[null]]]");
        }
    }

    @Test
    void aStageThatEndsWithWhatJsonCannotSayIsAFailure() {
        class Cycle {
            public Cycle getSelf() {
                return this;
            }
        }
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.onError((c, event, e) -> service.say(event));
            service.live.onRequest(
                    "cycle", (c, a) -> CompletableFuture.supplyAsync(() -> new Cycle()));
            peer.send("420[\"cycle\"]")
                    .expects("430[{\"error\":{\"code\":\"failed\",\"message\":\"it failed\"}}]");
            assertEquals("cycle", service.next());
        }
    }

    @Test
    void aStageThatTakesTooLongIsATimeoutAndWhatItSaysLaterIsIgnored() {
        try (var service = new Service(c -> c.handlerTimeout(Duration.ofMillis(500)));
                Peer peer = Peer.client(service.port)) {
            var later = new CompletableFuture<Object>();
            service.live.onRequest("slow", (c, a) -> later);
            service.live.onRequest("fast", (c, a) -> "at once");
            peer.send("420[\"slow\"]");
            String answer = peer.next();
            assertTrue(answer.startsWith("430[{\"error\":{\"code\":\"timeout\""), answer);
            later.complete("too late");
            peer.send("421[\"fast\"]").expects("431[\"at once\"]");
            assertEquals(0, service.live.metrics().requests());
        }
    }

    @Test
    void aStageOfAClientThatHasGoneIsIgnored() {
        try (var service = new Service()) {
            var later = new CompletableFuture<Object>();
            service.live.onRequest(
                    "slow",
                    (c, a) -> {
                        service.say("asked");
                        return later;
                    });
            service.live.onClose((c, reason) -> service.say("gone"));
            Peer peer = Peer.client(service.port).send("420[\"slow\"]");
            assertEquals("asked", service.next());
            peer.abort();
            assertEquals("gone", service.next());
            assertTrue(
                    later.complete("for nobody"), "it was not cancelled: others may wait for it");
            service.await("no request is open", () -> service.live.metrics().requests() == 0);
        }
    }

    @Test
    void stagesThatHaveNotEndedAreBounded() {
        try (var service = new Service(c -> c.unanswered(3));
                Peer peer = Peer.client(service.port)) {
            var later = new CompletableFuture<Object>();
            service.live.onRequest("slow", (c, a) -> later);
            for (int i = 0; i < 4; i++) {
                peer.send("42" + i + "[\"slow\"]");
            }
            String limited = peer.next();
            assertTrue(limited.startsWith("433[{\"error\":{\"code\":\"limited\""), limited);
            later.complete(1);
        }
    }

    // ---- side by side

    @Test
    void requestsOfOneClientRunSideBySideWhereThatIsAskedFor() {
        try (var service = new Service(c -> c.concurrentRequests(3));
                Peer peer = Peer.client(service.port)) {
            var meet = new CyclicBarrier(3);
            service.live.onRequest("meet", (c, a) -> meet.await(20, TimeUnit.SECONDS) >= 0);
            peer.send("420[\"meet\"]").send("421[\"meet\"]").send("422[\"meet\"]");
            var answers = List.of(peer.next(), peer.next(), peer.next()).stream().sorted().toList();
            assertEquals(List.of("430[true]", "431[true]", "432[true]"), answers);
        }
    }

    @Test
    void noMoreRunSideBySideThanThatAndEventsStayInOrder() {
        try (var service = new Service(c -> c.concurrentRequests(2));
                Peer peer = Peer.client(service.port)) {
            var running = new AtomicInteger();
            var may = new Semaphore(0);
            service.live.onRequest(
                    "work",
                    (c, a) -> {
                        service.say("running " + running.incrementAndGet());
                        may.acquire();
                        return running.getAndDecrement() <= 2;
                    });
            service.live.on("event", Integer.class, (c, n) -> service.say("event " + n));
            peer.send("420[\"work\"]");
            assertEquals("running 1", service.next());
            peer.send("42[\"event\",1]").send("42[\"event\",2]");
            assertEquals("event 1", service.next());
            assertEquals("event 2", service.next());
            peer.send("421[\"work\"]").send("422[\"work\"]");
            assertEquals("running 2", service.next());
            may.release();
            assertEquals("running 2", service.next());
            may.release(2);
            for (int i = 0; i < 3; i++) {
                String answer = peer.next();
                assertTrue(answer.endsWith("[true]"), answer);
            }
        }
    }

    @Test
    void whatRunsSideBySideComesAfterOnConnectAndBeforeOnClose() throws Exception {
        try (var service = new Service(c -> c.concurrentRequests(4))) {
            var connected = new CountDownLatch(1);
            var may = new CountDownLatch(1);
            service.live.onConnect(
                    c -> {
                        try {
                            connected.await(20, TimeUnit.SECONDS);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        service.say("connect");
                    });
            service.live.onRequest(
                    "work",
                    (c, a) -> {
                        service.say("work");
                        may.await(20, TimeUnit.SECONDS);
                        service.say("done");
                        return true;
                    });
            service.live.onClose((c, reason) -> service.say("close"));
            Peer peer = Peer.client(service.port).send("420[\"work\"]");
            connected.countDown();
            assertEquals("connect", service.next());
            assertEquals("work", service.next());
            peer.abort();
            service.await("it is gone", () -> service.live.clients().isEmpty());
            may.countDown();
            assertEquals("done", service.next());
            assertEquals("close", service.next());
        }
    }

    @Test
    void oneThatTakesTooLongIsInterruptedAndHoldsUpNoOther() {
        var deadline = Duration.ofMillis(50);
        try (var service = new Service(c -> c.concurrentRequests(2).handlerTimeout(deadline));
                Peer peer = Peer.client(service.port)) {
            service.live.onRequest(
                    "for ever",
                    (c, a) -> {
                        try {
                            new CountDownLatch(1).await();
                            return "never";
                        } catch (InterruptedException e) {
                            service.say("interrupted");
                            throw e;
                        }
                    });
            service.live.onRequest("fast", (c, a) -> "at once");
            peer.send("420[\"for ever\"]").send("421[\"fast\"]").expects("431[\"at once\"]");
            String answer = peer.next();
            assertTrue(answer.startsWith("430[{\"error\":{\"code\":\"timeout\""), answer);
            assertEquals("interrupted", service.next());
            peer.send("422[\"fast\"]").expects("432[\"at once\"]");
        }
    }

    // ---- arguments that are handed on

    @Test
    void argumentsThatAreSentOnArriveAsTheyCame() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.on("all", (c, a) -> service.live.broadcast("all", a));
            service.live.on("more", (c, a) -> c.send("more", "first", a));
            peer.send("42[\"all\",1,{\"b\":2}]").expects("42[\"all\",1,{\"b\":2}]");
            peer.send("42[\"more\",1,2]").expects("42[\"more\",\"first\",1,2]");
        }
    }

    @Test
    void argumentsReturnedByAHandlerArriveOnEitherSide() {
        try (var service = new Service(c -> c.recovery(Duration.ofMinutes(1)));
                LiveClient client =
                        LiveClient.create("http://127.0.0.1:" + service.port, c -> {})) {
            service.live.onRequest("echo", (c, a) -> a);
            client.onRequest("echo", a -> a);
            client.onRequest("later", a -> CompletableFuture.supplyAsync(() -> a));
            client.connect().join();
            var bytes = new byte[] {1, 2};
            Duration patience = Duration.ofSeconds(10);
            Arguments echo =
                    client.request("echo", patience, Arguments.class, "a", List.of(bytes), 7);
            assertEquals(3, echo.size());
            assertArrayEquals(bytes, echo.as(1, byte[][].class)[0]);
            assertEquals(7, echo.asInt(2));
            Client there = service.live.clients().iterator().next();
            echo = there.request("echo", patience, Arguments.class, "a", bytes, 7);
            assertEquals("a", echo.asString(0));
            assertArrayEquals(bytes, echo.asBytes(1));
            assertEquals(7, there.request("later", patience, Integer.class, 7));
        }
    }
}
