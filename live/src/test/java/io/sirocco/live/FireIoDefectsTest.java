// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What brought Fire-IO down, or was wrong with it; docs/from-fire-io.md has the list. */
class FireIoDefectsTest {

    private static void alive(Service service) {
        try (Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            peer.send("420[\"alive\"]").expects("430[true]");
        }
    }

    private static Service service() {
        var service = new Service(c -> c.password("p"));
        service.live.onRequest("alive", (client, a) -> true);
        return service;
    }

    @Test
    void d1ConnectingAndClosingWithoutAWordHarmsNobody() throws IOException {
        try (var service = service()) {
            for (int i = 0; i < 50; i++) {
                new Socket(InetAddress.getLoopbackAddress(), service.port).close();
            }
            Peer.session(service.port).abort();
            alive(service);
        }
    }

    @Test
    void d2ManyBytesAndAHalfCloseHarmNobody() throws IOException {
        try (var service = service();
                var socket = new Socket(InetAddress.getLoopbackAddress(), service.port)) {
            socket.getOutputStream().write("GET /socket.io/?".concat("x".repeat(5_000)).getBytes());
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
            alive(service);
        }
    }

    @Test
    void d3WhoConnectsAndDoesNotAuthenticateDisturbsNoPing() {
        try (var service =
                        new Service(
                                c ->
                                        c.password("p")
                                                .ping(
                                                        Duration.ofSeconds(1),
                                                        Duration.ofSeconds(5)));
                Peer pending = Peer.session(service.port);
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.onRequest("alive", (client, a) -> true);
            assertEquals("2", pending.next());
            peer.expects("2").send("3").expects("2");
            alive(service);
        }
    }

    @Test
    void d4TheNameOfAnEventIsNoRegularExpression() {
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            String name = "(a+)+$:*?[x";
            service.live.on(name, (client, a) -> client.send(name, a.string(0)));
            peer.send("42[\"" + name + "\",\"a:b\"]").expects("42[\"" + name + "\",\"a:b\"]");
            peer.send("42[\"" + "a".repeat(5_000) + "!\"]");
            alive(service);
        }
    }

    @Test
    void d5AHandlerThatAnswersNullAnswersNull() {
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.onRequest("nothing", (client, a) -> null);
            peer.send("420[\"nothing\"]").expects("430[null]");
        }
    }

    @Test
    void d7ThePasswordIsNotTakenFromTheUrl() {
        try (var service = service();
                Peer peer = Peer.open(service.port, "transport=websocket&password=p")) {
            peer.next();
            peer.send("40");
            assertTrue(peer.next().startsWith("44{"));
        }
    }

    @Test
    void d8TheSecondUseOfATicketTakesOverNobody() {
        try (var service = new Service(c -> c.tickets(Duration.ofMinutes(1)))) {
            String auth = "{\"ticket\":\"" + service.live.ticket("ada") + "\"}";
            try (Peer first = Peer.client(service.port, auth);
                    Peer second = Peer.session(service.port).send("40" + auth)) {
                assertTrue(second.next().startsWith("44{"));
                service.live.broadcast("still", 1);
                first.expects("42[\"still\",1]");
            }
        }
    }

    @Test
    void d8TenThousandTicketsThatNobodyUsesAreRememberedNowhere() {
        try (var service = new Service(c -> c.tickets(Duration.ofMinutes(1)))) {
            String last = "";
            for (int i = 0; i < 10_000; i++) {
                last = service.live.ticket("user" + i);
            }
            Peer.client(service.port, "{\"ticket\":\"" + last + "\"}").close();
        }
    }

    @Test
    void d10AForwardedAddressIsNotBelieved() {
        try (var service = service()) {
            service.live.onConnect(client -> service.say(client.info().address()));
            var builder = Peer.HTTP.newWebSocketBuilder().header("X-Real-IP", "203.0.113.7");
            try (Peer peer = Peer.open(service.port, "transport=websocket", builder)) {
                peer.next();
                peer.send("40{\"password\":\"p\"}");
                assertEquals("127.0.0.1", service.next());
            }
        }
    }

    @Test
    void d11WhatAHandlerThrowsIsNotTold() {
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.onRequest(
                    "broken",
                    (client, a) -> {
                        throw new IOException("<script>secret");
                    });
            peer.send("420[\"broken\"]");
            peer.expects("430[{\"error\":{\"code\":\"failed\",\"message\":\"it failed\"}}]");
        }
    }

    @Test
    void d14TenThousandPipelinedEchoesComeBackInOrder() {
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.on("e", (client, a) -> client.send("e", a.integer(0)));
            Thread.startVirtualThread(
                    () -> {
                        for (int i = 0; i < 10_000; i++) {
                            peer.send("42[\"e\"," + i + "]");
                        }
                    });
            for (int i = 0; i < 10_000; i++) {
                peer.expects("42[\"e\"," + i + "]");
            }
        }
    }

    @Test
    void d15AMessageOfManyKilobytesArrivesWhole() {
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.onRequest("echo", (client, a) -> a.string(0));
            String large = "é".repeat(400_000);
            peer.send("420[\"echo\",\"" + large + "\"]");
            peer.expects("430[\"" + large + "\"]");
        }
    }

    @Test
    void d19AThousandRequestsWaitForEachOtherInNothing() {
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.onRequest("echo", (client, a) -> a.integer(0));
            peer.send("421[\"nobody answers this\"]");
            assertTrue(peer.next().contains("unknown_event"));
            peer.send("422[\"echo\",7]").expects("432[7]");
        }
    }

    @Test
    void d23AClientHasOneEndWhoeverIsFirst() {
        try (var service = service()) {
            var ends = new AtomicInteger();
            service.live.onClose(
                    (client, reason) -> {
                        ends.incrementAndGet();
                        service.say(reason.name());
                    });
            var reasons = new ArrayList<String>();
            for (int i = 0; i < 20; i++) {
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}");
                service.live.clients().forEach(Client::close);
                peer.abort();
                reasons.add(service.next());
            }
            assertEquals(20, ends.get());
            assertTrue(List.of("KICKED", "LEFT", "LOST").containsAll(reasons), reasons.toString());
        }
    }

    @Test
    void aRouteBesideIsServedOnTheSamePort() {
        try (var service = service()) {
            HttpResponse<String> none =
                    Peer.get(service.port, "EIO=4&transport=polling", "X-Forwarded-Port", "x");
            assertEquals(200, none.statusCode());
        }
    }
}
