// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.live.client.LiveClient;
import io.sirocco.net.Tls;
import io.sirocco.net.TlsClient;
import io.sirocco.testkit.Certificates;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What brought Fire-IO down, or was wrong with it; docs/from-fire-io.md has the list. */
class FireIoDefectsTest {
    private static final Duration LONG = Duration.ofSeconds(20);

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
                                                        Duration.ofMillis(300),
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
            service.live.on(name, (client, a) -> client.send(name, a.asString(0)));
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
    void d5AForwardedPortThatIsNoneIsNobodysAffair() {
        try (var service = service()) {
            HttpResponse<String> answer =
                    Peer.get(service.port, "EIO=4&transport=polling", "X-Forwarded-Port", "x");
            assertEquals(200, answer.statusCode());
            alive(service);
        }
    }

    /** Would tell that it was read. */
    static final class Gadget implements Serializable {
        private static final long serialVersionUID = 1;
        private static final AtomicInteger READ = new AtomicInteger();

        private void readObject(ObjectInputStream in) {
            READ.incrementAndGet();
        }
    }

    @Test
    void d6AnObjectOfJavaIsNotRead() throws IOException {
        try (var service = service()) {
            var bytes = new ByteArrayOutputStream();
            try (var out = new ObjectOutputStream(bytes)) {
                out.writeObject(new Gadget());
            }
            try (Peer before = Peer.session(service.port);
                    Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
                before.send(bytes.toByteArray());
                assertTrue(before.end().startsWith("closed"));
                service.live.on("o", (c, a) -> service.say(a.as(0, Object.class).getClass() + ""));
                peer.send("451-[\"o\",{\"_placeholder\":true,\"num\":0}]");
                peer.send(bytes.toByteArray());
                assertEquals("class [B", service.next());
                peer.send("42[\"o\",{\"@class\":\"" + Gadget.class.getName() + "\"}]");
                assertEquals("class java.util.LinkedHashMap", service.next());
            }
            assertEquals(0, Gadget.READ.get());
        }
    }

    @Test
    void d6WhatIsNestedWithoutEndEndsItsConnectionAndNoOther() {
        try (var service = service();
                Peer peer = Peer.session(service.port)) {
            peer.send("40{\"a\":" + "[".repeat(100_000));
            assertTrue(peer.end().startsWith("closed"));
            alive(service);
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
    void d9ThePasswordTravelsOverTlsAndOnlyToWhomWeTrust(@TempDir Path folder) throws Exception {
        Live live = Live.create(c -> c.password("p"));
        live.onRequest("alive", (client, a) -> true);
        var authority = Certificates.authority(folder, "authority");
        Certificates.Pair pair = authority.sign("localhost", "EC", "localhost");
        Tls tls = Tls.of(s -> s.certificate(pair.chain(), pair.key()));
        Server server =
                Server.start(
                        c -> c.listen(new InetSocketAddress("127.0.0.1", 0), tls),
                        routes -> routes.mount("/socket.io", live));
        String url = "https://localhost:" + server.port();
        var trusted = TlsClient.trusting(authority.authority());
        try (var client =
                        LiveClient.create(url, c -> c.auth(Map.of("password", "p")).tls(trusted));
                var stranger =
                        LiveClient.create(
                                url, c -> c.auth(Map.of("password", "p")).noReconnect())) {
            client.connect();
            assertTrue(client.request("alive", LONG, Boolean.class));
            var refused =
                    assertThrows(
                            ExecutionException.class,
                            () -> stranger.connect().get(20, TimeUnit.SECONDS));
            assertInstanceOf(IOException.class, refused.getCause());
        } finally {
            server.stop(Duration.ZERO);
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
    void d12ThereIsNoBalancerToAskAndNobodyRegisters() {
        try (var service = service()) {
            for (String path : List.of("list", "register/80/testpassword2")) {
                URI uri =
                        URI.create("http://127.0.0.1:" + service.port + "/fireio/balancer/" + path);
                assertEquals(404, Peer.ask(HttpRequest.newBuilder(uri).build()).statusCode());
            }
            URI old = URI.create("http://127.0.0.1:" + service.port + "/fireio/register/p");
            assertEquals(404, Peer.ask(HttpRequest.newBuilder(old).build()).statusCode());
        }
    }

    @Test
    void d13WhoIsInMaySendToNoRoomUnlessAHandlerSaysSo() {
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}");
                Peer other = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.clients().forEach(client -> client.join("kitchen"));
            peer.send("42[\"kitchen\",1]").send("42[\"message\",{\"room\":\"kitchen\"}]");
            peer.send("420[\"join\",\"hall\"]");
            assertTrue(peer.next().contains("unknown_event"));
            other.send("420[\"alive\"]").expects("430[true]"); // and nothing before
            service.live.clients().forEach(c -> assertEquals(Set.of("kitchen"), c.rooms()));
        }
    }

    @Test
    void d14TenThousandPipelinedEchoesComeBackInOrder() {
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.on("e", (client, a) -> client.send("e", a.asInt(0)));
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
            service.live.onRequest("echo", (client, a) -> a.asString(0));
            String large = "é".repeat(400_000);
            peer.send("420[\"echo\",\"" + large + "\"]");
            peer.expects("430[\"" + large + "\"]");
        }
    }

    @Test
    void d16APacketIsBoundedInPiecesAndInBytes() {
        try (var service = new Service(c -> c.maxMessage(10_000).attachments(2))) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            try (Peer peer = Peer.client(service.port)) {
                peer.send("453-[\"a\",{\"_placeholder\":true,\"num\":0}]");
                assertTrue(peer.end().startsWith("closed 1009"));
                assertEquals("LIMITED", service.next());
            }
            try (Peer peer = Peer.client(service.port)) {
                peer.send("452-[\"a\",{\"_placeholder\":true,\"num\":0}]");
                peer.send(new byte[9_000]).send(new byte[9_000]);
                assertTrue(peer.end().startsWith("closed 1009"));
                assertEquals("LIMITED", service.next());
            }
            try (Peer peer = Peer.client(service.port)) {
                peer.send("42[\"" + "x".repeat(20_000) + "\"]");
                assertTrue(peer.end().startsWith("closed 1009"));
                assertEquals("LIMITED", service.next());
            }
        }
    }

    @Test
    void d17AServerStopsAndSaysSo() {
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            service.server.stop(Duration.ofSeconds(5));
            assertEquals("STOPPED", service.next());
            assertTrue(peer.end().startsWith("closed"));
            assertThrows(IllegalStateException.class, () -> Peer.session(service.port));
        }
    }

    @Test
    void d18ARouteBesideKeepsToHttp() throws IOException {
        try (var service =
                        new Service(
                                c -> {},
                                routes ->
                                        routes.get(
                                                "/time/{zone}",
                                                q ->
                                                        Response.text(
                                                                q.param("zone")
                                                                        + q.query("x")
                                                                                .orElse("-"))));
                var socket = new Socket(InetAddress.getLoopbackAddress(), service.port)) {
            String requests =
                    "HEAD /time/utc HTTP/1.1\r\nHost: a:80\r\n\r\n"
                            + "GET /time/a%20b?x=1 HTTP/1.1\r\nHost: a:80\r\n\r\n"
                            + "GET /time/b/c HTTP/1.1\r\nHost: a:80\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(requests.getBytes());
            String said = new String(socket.getInputStream().readAllBytes());
            String[] answers = said.split("(?=HTTP/1.1 )");
            assertEquals(3, answers.length, said);
            assertTrue(answers[0].contains("Content-Length: 4"), said);
            assertTrue(answers[0].endsWith("\r\n\r\n"), said);
            assertTrue(answers[1].endsWith("\r\n\r\na b1"), said);
            assertTrue(answers[2].startsWith("HTTP/1.1 404 "), said);
        }
    }

    /** All of RFC 6455: .ci/web/kosoku. */
    @Test
    void d18AMessageMayComeInFragmentsWithAPingInItsMidst() {
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.onRequest("echo", (client, a) -> a.asString(0));
            String large = "x".repeat(70_000);
            peer.part("420[\"echo\",\"").ping().part(large).ping().send("\"]");
            peer.expects("pong").expects("pong").expects("430[\"" + large + "\"]");
        }
    }

    @Test
    void d19ARequestThatFailsOrIsNotAnsweredHoldsUpNoOther() {
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.onRequest("echo", (client, a) -> a.asInt(0));
            service.live.onRequest("asks back", (c, a) -> c.request("x", LONG, String.class));
            peer.send("420[\"asks back\"]").expects("421[\"x\"]"); // and is not answered
            try (Peer other = Peer.client(service.port, "{\"password\":\"p\"}")) {
                other.send("421[\"nobody answers this\"]");
                assertTrue(other.next().contains("unknown_event"));
                other.send("422[\"echo\",\"x\"]");
                assertTrue(other.next().contains("bad_arguments"));
                other.send("423[\"echo\",7]").expects("433[7]");
            }
            peer.send("431[\"late\"]").expects("430[\"late\"]");
        }
    }

    /** Tags and clients that were none: LiveTest. */
    @Test
    void d21TextIsUtf8WhateverTheTransport() throws IOException {
        try (var service = service();
                var poller = new Poller(service.port)) {
            String text = "é€😀\u2028";
            service.live.onRequest("echo", String.class, (client, said) -> said + text);
            poller.connect("{\"password\":\"p\"}");
            poller.say("420[\"echo\",\"" + text + "\"]");
            assertEquals("430[\"" + text + text + "\"]", poller.poll());
            try (Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
                peer.send("420[\"echo\",\"" + text + "\"]");
                peer.expects("430[\"" + text + text + "\"]");
            }
        }
    }

    /** It had 1,001 bytes for each of ours, and as many every 2 s. */
    @Test
    void d22AMessageCostsItsFrameAndNothingIsConfirmed() throws IOException {
        try (var service = service();
                var socket = new Socket(InetAddress.getLoopbackAddress(), service.port)) {
            String head =
                    "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\n"
                            + "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                            + "Sec-WebSocket-Version: 13\r\n\r\n";
            socket.getOutputStream().write(head.getBytes());
            socket.getOutputStream().write(masked("40{\"password\":\"p\"}"));
            socket.setSoTimeout(10_000);
            var in = new DataInputStream(socket.getInputStream());
            String said = "";
            while (!said.contains("40{\"sid\":") || !said.endsWith("}")) {
                said += (char) in.read();
            }
            for (int i = 0; i < 3; i++) {
                socket.getOutputStream().write(masked("420[\"alive\"]"));
                byte[] answer = in.readNBytes(2 + 9);
                assertEquals("430[true]", new String(answer, 2, 9));
                assertEquals((byte) 0x81, answer[0]);
                assertEquals(9, answer[1]);
            }
            assertEquals(0, in.available());
        }
    }

    private static byte[] masked(String text) {
        byte[] payload = text.getBytes();
        byte[] frame = new byte[payload.length + 6];
        frame[0] = (byte) 0x81;
        frame[1] = (byte) (0x80 | payload.length);
        System.arraycopy(payload, 0, frame, 6, payload.length); // the mask is zero
        return frame;
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

    /** The log of the tests goes to standard error. */
    @Test
    void d24WhatGoesWrongIsLoggedAndNotPrinted() {
        PrintStream console = System.out;
        PrintStream errors = System.err;
        var printed = new ByteArrayOutputStream();
        var logged = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true));
        System.setErr(new PrintStream(logged, true));
        try (var service = service();
                Peer peer = Peer.client(service.port, "{\"password\":\"p\"}")) {
            service.live.onRequest(
                    "broken",
                    (client, a) -> {
                        throw new IOException("d24");
                    });
            peer.send("420[\"broken\"]");
            assertTrue(peer.next().contains("failed"));
        } finally {
            System.setOut(console);
            System.setErr(errors);
        }
        assertEquals("", printed.toString());
        assertTrue(logged.toString().contains("d24"), logged.toString());
    }
}
