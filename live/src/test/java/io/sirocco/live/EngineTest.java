// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.live.broker.Limit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions over both transports, packet by packet. */
class EngineTest {

    @Test
    void aHandshakeTellsTheDocumentedFields() {
        try (var service = new Service()) {
            HttpResponse<String> answer = Peer.get(service.port, "EIO=4&transport=polling");
            assertEquals(200, answer.statusCode());
            assertTrue(
                    answer.body()
                            .matches(
                                    "0\\{\"sid\":\"[\\w-]{20}\",\"upgrades\":\\[\"websocket\"],"
                                            + "\"pingInterval\":25000,\"pingTimeout\":20000,"
                                            + "\"maxPayload\":1000000}"),
                    answer.body());
        }
    }

    @Test
    void eachBadHandshakeHasItsCode() {
        try (var service = new Service()) {
            assertError(service, "EIO=4&transport=x", 0, "Transport unknown");
            assertError(service, "EIO=4", 0, "Transport unknown");
            assertError(service, "EIO=4&transport=polling&sid=x", 1, "Session ID unknown");
            assertError(service, "EIO=3&transport=polling", 5, "Unsupported protocol version");
            HttpResponse<String> post = Peer.post(service.port, "EIO=4&transport=polling", "40");
            assertEquals(400, post.statusCode());
            assertEquals("{\"code\":2,\"message\":\"Bad handshake method\"}", post.body());
        }
    }

    private static void assertError(Service service, String query, int code, String message) {
        HttpResponse<String> answer = Peer.get(service.port, query);
        assertEquals(400, answer.statusCode());
        assertEquals("{\"code\":" + code + ",\"message\":\"" + message + "\"}", answer.body());
    }

    @Test
    void pollingCarriesPacketsBothWays() {
        try (var service = new Service()) {
            service.live.on("echo", (client, a) -> client.send("echo", a.asString(0)));
            String session = Peer.polling(service.port);
            assertEquals("ok", Peer.post(service.port, session, "40").body());
            assertTrue(Peer.get(service.port, session).body().startsWith("40{\"sid\":"));
            Peer.post(service.port, session, "42[\"echo\",\"a\"]\u001e42[\"echo\",\"é\"]");
            String body = Peer.get(service.port, session).body();
            if (!body.contains("\u001e")) {
                body += "\u001e" + Peer.get(service.port, session).body();
            }
            assertEquals("42[\"echo\",\"a\"]\u001e42[\"echo\",\"é\"]", body);
        }
    }

    @Test
    void bytesTravelInBase64OverPolling() {
        try (var service = new Service()) {
            service.live.on("echo", (client, a) -> client.send("echo", a.asBytes(0)));
            String session = Peer.polling(service.port);
            Peer.post(service.port, session, "40");
            Peer.get(service.port, session);
            Peer.post(
                    service.port,
                    session,
                    "451-[\"echo\",{\"_placeholder\":true,\"num\":0}]\u001ebAQIDBA==");
            assertEquals(
                    "451-[\"echo\",{\"_placeholder\":true,\"num\":0}]\u001ebAQIDBA==",
                    Peer.get(service.port, session).body());
        }
    }

    @Test
    void aSecondPollClosesTheSession() {
        try (var service = new Service()) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            String session = Peer.polling(service.port);
            Peer.post(service.port, session, "40");
            Peer.get(service.port, session);
            var request = Peer.request(service.port, session).build();
            var both =
                    CompletableFuture.supplyAsync(() -> Peer.ask(request))
                            .thenCombine(
                                    CompletableFuture.supplyAsync(() -> Peer.ask(request)),
                                    (a, b) -> a.statusCode() + b.statusCode());
            assertEquals(200 + 400, both.join());
            assertEquals("LOST", service.next());
            assertEquals(400, Peer.get(service.port, session).statusCode());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientThatGoesWhileItPollsIsLostAtOnce(boolean byReset) throws IOException {
        try (var service = new Service();
                var other = new Poller(service.port);
                var poller = new Poller(service.port)) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            poller.connect("");
            poller.beginPoll();
            service.await("it polls", () -> service.requestsInProgress() == 1);
            if (byReset) {
                poller.reset();
            } else {
                poller.end();
            }
            assertEquals("LOST", service.next());
            String answer = other.ask("GET " + poller.session(), "");
            assertEquals("{\"code\":1,\"message\":\"Session ID unknown\"}", answer);
        }
    }

    /** As browsers do behind a reset; what the first was answered may have got lost with that. */
    @Test
    void aPollThatIsAskedOnceMoreClosesTheSession() {
        try (var service = new Service()) {
            service.live.on("echo", (client, a) -> client.send("echo", a.asString(0)));
            service.live.onClose((client, reason) -> service.say(reason.name()));
            String session = Peer.polling(service.port);
            Peer.post(service.port, session + "&t=a", "40");
            Peer.get(service.port, session + "&t=b");
            Peer.post(service.port, session + "&t=c", "42[\"echo\",\"x\"]");
            assertEquals("42[\"echo\",\"x\"]", Peer.get(service.port, session + "&t=d").body());
            assertEquals(400, Peer.get(service.port, session + "&t=d").statusCode());
            assertEquals("LOST", service.next());
        }
    }

    @Test
    void aPostThatIsMadeOnceMoreBehindAResetIsTakenOnce() throws IOException {
        try (var service = new Service();
                var first = new Poller(service.port);
                var second = new Poller(service.port)) {
            service.live.on("note", (client, a) -> service.say(a.asString(0)));
            first.connect("");
            String post = "POST " + first.session() + "&t=";
            assertEquals("ok", first.ask(post + "a", "42[\"note\",\"x\"]"));
            assertEquals("ok", first.ask(post + "a", "42[\"note\",\"x\"]")); // it has the answer
            assertEquals("x", service.next());
            assertEquals("x", service.next());
            first.reset();
            service.await("it is noticed", () -> service.connections() == 1);
            assertEquals("ok", second.ask(post + "a", "42[\"note\",\"x\"]"));
            assertEquals("ok", second.ask(post + "b", "42[\"note\",\"y\"]"));
            assertEquals("y", service.next());
        }
    }

    @Test
    void aMarkThatIsTheSameForAllRequestsSaysNothing() {
        try (var service = new Service()) {
            service.live.on("echo", (client, a) -> client.send("echo", a.asString(0)));
            String opening = Peer.get(service.port, "EIO=4&transport=polling&t=mine").body();
            String session = Peer.query(opening) + "&t=mine";
            Peer.post(service.port, session, "40");
            assertTrue(Peer.get(service.port, session).body().startsWith("40{\"sid\":"));
            Peer.post(service.port, session, "42[\"echo\",\"x\"]");
            assertEquals("42[\"echo\",\"x\"]", Peer.get(service.port, session).body());
        }
    }

    @Test
    void pollingIsUpgradedWithoutALoss() {
        try (var service = new Service()) {
            service.live.on("echo", (client, a) -> client.send("echo", a.asInt(0)));
            String session = Peer.polling(service.port);
            Peer.post(service.port, session, "40");
            Peer.get(service.port, session);
            var poll = CompletableFuture.supplyAsync(() -> Peer.get(service.port, session).body());
            Peer peer =
                    Peer.open(
                            service.port,
                            session.replace("EIO=4&transport=polling", "transport=websocket"));
            peer.send("2probe").expects("3probe");
            assertEquals("6", poll.join());
            Peer.post(service.port, session, "42[\"echo\",1]");
            peer.send("5");
            peer.expects("42[\"echo\",1]");
            peer.send("42[\"echo\",2]").expects("42[\"echo\",2]");
            assertEquals(400, Peer.get(service.port, session).statusCode());
            assertEquals("websocket", service.live.clients().iterator().next().info().transport());
        }
    }

    @Test
    void aClientThatDoesNotAnswerAPingIsLost() {
        try (var service =
                new Service(c -> c.ping(Duration.ofMillis(500), Duration.ofMillis(500)))) {
            service.live.onClose((client, reason) -> service.say(reason.name()));
            Peer peer = Peer.client(service.port);
            peer.expects("2").send("3").expects("2");
            assertEquals("LOST", service.next());
            assertTrue(peer.end().startsWith("closed"));
        }
    }

    @Test
    void aPongThatNobodyAskedForClosesTheSession() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            peer.send("3");
            assertTrue(peer.end().startsWith("closed 1008"));
        }
    }

    @Test
    void whatBreaksTheProtocolClosesTheSessionAndNoOther() {
        try (var service = new Service();
                Peer other = Peer.client(service.port)) {
            service.live.onRequest("alive", (client, a) -> true);
            for (String bad :
                    new String[] {
                        "9",
                        "0",
                        "5",
                        "4",
                        "49",
                        "42",
                        "42{}",
                        "42[]",
                        "42[1]",
                        "42[\"a\"",
                        "42[\"connect\"]",
                        "42/x,[\"a\"]",
                        "40",
                        "43[]",
                        "45-[\"a\"]",
                        "44\"a\""
                    }) {
                try (Peer peer = Peer.client(service.port)) {
                    peer.send(bad);
                    String end = peer.end();
                    assertTrue(end.startsWith("closed 1008"), bad + ": " + end);
                }
            }
            other.send("420[\"alive\"]").expects("430[true]");
        }
    }

    @Test
    void aForeignPageIsRefusedAndANamedOneMayReadTheAnswer() {
        try (var service = new Service(c -> c.origins("https://app.example.org"))) {
            String query = "EIO=4&transport=polling";
            assertEquals(
                    403,
                    Peer.get(service.port, query, "Origin", "https://evil.example").statusCode());
            HttpResponse<String> good =
                    Peer.get(service.port, query, "Origin", "https://app.example.org");
            assertEquals(200, good.statusCode());
            assertEquals(
                    "https://app.example.org",
                    good.headers().firstValue("Access-Control-Allow-Origin").orElse(""));
            HttpResponse<String> preflight =
                    Peer.ask(
                            Peer.request(service.port, query, "Origin", "https://app.example.org")
                                    .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                                    .build());
            assertEquals(204, preflight.statusCode());
            assertThrows(
                    IllegalStateException.class,
                    () ->
                            Peer.open(
                                    service.port,
                                    "transport=websocket",
                                    Peer.HTTP
                                            .newWebSocketBuilder()
                                            .header("Origin", "https://evil.example")));
        }
    }

    @Test
    void originsMayBeAllBelowAHostOrThoseOfFilesAndNothingElseIsNamed() {
        String query = "EIO=4&transport=polling";
        try (var service =
                new Service(c -> c.origins("HTTPS://*.Example.org:443", "null", "file://"))) {
            for (String good :
                    List.of(
                            "https://a.example.org",
                            "https://a.b.example.org",
                            "null",
                            "file://")) {
                assertEquals(200, Peer.get(service.port, query, "Origin", good).statusCode(), good);
            }
            for (String bad :
                    List.of(
                            "https://example.org",
                            "https://.example.org",
                            "http://a.example.org",
                            "https://a.example.org:8443",
                            "https://a.example.org.evil.com",
                            "https://evil.com/.example.org",
                            "https://evil.com#.example.org",
                            "https://a@b.example.org")) {
                assertEquals(403, Peer.get(service.port, query, "Origin", bad).statusCode(), bad);
            }
        }
        for (String wrong :
                List.of("*", "https://a.org/", "a.org", "https://a.*.org", "https://*", "")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Live.create(c -> c.origins(wrong)),
                    wrong);
        }
    }

    @Test
    void aClientWithAnotherParserIsToldSoInThatParser() {
        byte[] connect = HexFormat.of().parseHex("82a474797065" + "00" + "a36e7370a12f");
        try (var service = new Service();
                Peer peer = Peer.session(service.port).send(connect)) {
            String packet = peer.next();
            assertTrue(packet.startsWith("binary 83a47479706504a36e7370a12fa46461746182"), packet);
            assertTrue(packet.contains(HexFormat.of().formatHex("unsupported_parser".getBytes())));
            assertTrue(peer.end().startsWith("closed"));
            assertEquals(Map.of("parser", 1L), service.live.metrics().refused());
            String polling = Peer.polling(service.port);
            Peer.post(service.port, polling, "b" + Base64.getEncoder().encodeToString(connect));
            assertTrue(Peer.get(service.port, polling).body().startsWith("bg6R0eXBl"));
        }
        try (var service = new Service();
                Peer peer = Peer.client(service.port).send(connect)) { // who is in may not
            assertTrue(peer.end().startsWith("closed"));
            assertEquals(Map.of(), service.live.metrics().refused());
        }
    }

    @Test
    void halfOfASurrogatePairArrives() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.onRequest("echo", (client, a) -> a);
            service.live.broadcast("x", "\uD83C\uDF72", "a\uD83Cb", "\uDF72\uD83C");
            peer.expects("42[\"x\",\"\uD83C\uDF72\",\"a\\ud83cb\",\"\\udf72\\ud83c\"]");
            peer.send("421[\"echo\",\"\\ud83c\"]").expects("431[\"\\ud83c\"]");
        }
    }

    private record Reading(double celsius, Float humidity) {}

    @Test
    void numbersThatJsonCannotSayArriveAsNullAsJavaScriptSendsThem() {
        try (var service = new Service();
                Peer peer = Peer.client(service.port)) {
            service.live.onRequest("ask", (client, a) -> List.of(Double.NaN, "NaN"));
            service.live.broadcast("x", Double.NaN, Float.POSITIVE_INFINITY, 1.5, "NaN");
            peer.expects("42[\"x\",null,null,1.5,\"NaN\"]");
            service.live.broadcast("x", new Reading(Double.NEGATIVE_INFINITY, Float.NaN));
            peer.expects("42[\"x\",{\"celsius\":null,\"humidity\":null}]");
            service.live.broadcast("x", new double[] {1, Double.NaN}, new float[] {Float.NaN, 2});
            peer.expects("42[\"x\",[1.0,null],[null,2.0]]");
            service.live.broadcast("x", List.of(Map.of("a", Double.NaN)));
            peer.expects("42[\"x\",[{\"a\":null}]]");
            peer.send("421[\"ask\"]").expects("431[[null,\"NaN\"]]");
        }
    }

    @Test
    void connectsThatAreRefusedAreLoggedOnceInAWhile() {
        PrintStream before = System.err;
        var log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, UTF_8));
        try (var service =
                new Service(
                        c ->
                                c.connects(new Limit.Bucket(1, Duration.ofHours(1)))
                                        .address(request -> "one\naddress"))) {
            String query = "EIO=4&transport=polling";
            assertEquals(200, Peer.get(service.port, query).statusCode());
            for (int i = 0; i < 20; i++) {
                assertEquals(429, Peer.get(service.port, query).statusCode());
            }
        } finally {
            System.setErr(before);
        }
        String[] lines = log.toString(UTF_8).split("\n");
        assertEquals(
                1, Arrays.stream(lines).filter(l -> l.contains("429")).count(), log.toString());
        assertTrue(log.toString(UTF_8).contains("\"one\\naddress\""), log.toString());
    }

    @Test
    void aBodyThatIsTooLongIsRefusedAndAMessageClosesTheSocket() {
        try (var service = new Service(c -> c.maxMessage(1_000))) {
            String session = Peer.polling(service.port);
            assertEquals(
                    413, Peer.post(service.port, session, "4" + "x".repeat(2_000)).statusCode());
            try (Peer peer = Peer.client(service.port)) {
                peer.send("42[\"" + "x".repeat(2_000) + "\"]");
                assertTrue(peer.end().startsWith("closed 1009"));
            }
        }
    }

    @Test
    void tooManyConnectsAreAnsweredWith429AndTooManyClientsWith503() {
        try (var service = new Service(c -> c.connects(new Limit.Bucket(2, Duration.ofHours(1))))) {
            Peer.polling(service.port);
            Peer.polling(service.port);
            assertEquals(429, Peer.get(service.port, "EIO=4&transport=polling").statusCode());
        }
        try (var service = new Service(c -> c.clients(1))) {
            Peer.polling(service.port);
            assertEquals(503, Peer.get(service.port, "EIO=4&transport=polling").statusCode());
        }
    }

    @Test
    void aTransportMayBeForbidden() {
        try (var service = new Service(c -> c.transports("websocket"));
                Peer peer = Peer.client(service.port)) {
            assertEquals(400, Peer.get(service.port, "EIO=4&transport=polling").statusCode());
            peer.send("41");
        }
    }

    @Test
    void whoSendsNoConnectIsClosed() {
        try (var service = new Service(c -> c.connectTimeout(Duration.ofMillis(50)));
                Peer peer = Peer.session(service.port)) {
            assertTrue(peer.end().startsWith("closed"));
            assertEquals(0, service.live.clients().size());
        }
    }
}
