// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.app.Running;
import io.sirocco.app.Talker;
import io.sirocco.net.TransportKind;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs of other languages publish over HTTP, and an operator sends clients away. */
class PublishTest {
    private static final String SERVER =
            """
            [[listen]]
            address = "127.0.0.1:0"
            [admin]
            address = "127.0.0.1:0"
            token-file = "token"
            [live]
            on = true
            """;

    private final HttpClient http = HttpClient.newHttpClient();
    private Running running;

    @BeforeEach
    void serve(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("token"), "0123456789abcdef");
        running = Running.of(folder, TransportKind.NIO, SERVER);
    }

    @AfterEach
    void stop() {
        running.close();
        http.shutdownNow();
    }

    private HttpResponse<String> post(String path, String body, String... fields) throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + running.adminPort() + path))
                        .POST(BodyPublishers.ofString(body));
        if (fields.length > 0) {
            request.headers(fields);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> publish(String body) throws Exception {
        return post("/live/publish", body, "Authorization", "Bearer 0123456789abcdef");
    }

    private void refuses(int status, String code, String body) throws Exception {
        HttpResponse<String> answer = publish(body);
        assertEquals(status, answer.statusCode(), body);
        assertTrue(
                answer.body().startsWith("{\"error\":{"), body + " is answered " + answer.body());
        assertTrue(
                answer.body().contains("\"code\":\"" + code + "\""),
                body + " is answered " + answer.body());
    }

    @Test
    void anEventReachesTheRoomAndHasAPosition() throws Exception {
        try (Talker in = Talker.in(running.port(), "").join("kitchen");
                Talker out = Talker.in(running.port(), "")) {
            HttpResponse<String> answer =
                    publish(
                            "{\"room\":\"kitchen\",\"event\":\"smell\",\"arguments\":[\"toast\",{\"n\":1}]}");
            assertEquals(200, answer.statusCode());
            assertTrue(answer.body().startsWith("{\"position\":\""), answer.body());
            assertEquals("42[\"smell\",\"toast\",{\"n\":1}]", in.next());
            assertEquals("437[1]", out.ask("[\"echo\",1]"), "nothing came before it");
        }
    }

    @Test
    void severalRoomsAndEverybodyAreReachedOnce() throws Exception {
        try (Talker both = Talker.in(running.port(), "").join("a").join("b")) {
            assertEquals(200, publish("{\"rooms\":[\"a\",\"b\"],\"event\":\"once\"}").statusCode());
            assertEquals("42[\"once\"]", both.next());
            assertEquals(200, publish("{\"all\":true,\"event\":\"news\"}").statusCode());
            assertEquals("42[\"news\"]", both.next());
        }
    }

    @Test
    void aClientIsReachedByItsIdAndNotByARoomNamedLikeIt() throws Exception {
        try (var ada = new Talker(running.port(), "");
                Talker spy = Talker.in(running.port(), "")) {
            String id = ada.next().replaceAll(".*\"sid\":\"([^\"]+)\".*", "$1");
            spy.join(id);
            assertEquals("437[]", spy.ask("[\"publish\",\"" + id + "\",\"forged\"]"));
            publish("{\"room\":\"" + id + "\",\"event\":\"to the room\"}");
            HttpResponse<String> answer =
                    publish("{\"client\":\"" + id + "\",\"event\":\"to the client\"}");
            assertEquals(200, answer.statusCode(), answer.body());
            assertEquals("42[\"to the client\"]", ada.next());
            assertEquals("42[\"to the room\"]", spy.next());
            assertEquals("437[1]", spy.ask("[\"echo\",1]"));
            refuses(400, "bad_arguments", "{\"client\":\"a\",\"room\":\"a\",\"event\":\"x\"}");
            refuses(400, "bad_arguments", "{\"room\":\"\\u0000" + id + "\",\"event\":\"x\"}");
        }
    }

    @Test
    void withoutTheTokenNothingIsPublished() throws Exception {
        try (Talker in = Talker.in(running.port(), "").join("a")) {
            String body = "{\"room\":\"a\",\"event\":\"x\"}";
            assertEquals(401, post("/live/publish", body).statusCode());
            assertEquals(
                    401,
                    post("/live/publish", body, "Authorization", "Bearer fedcba9876543210")
                            .statusCode());
            assertEquals(401, post("/live/close", "{}").statusCode());
            assertEquals("437[1]", in.ask("[\"echo\",1]"));
        }
    }

    @Test
    void whatIsWrongIsSaid() throws Exception {
        refuses(400, "bad_arguments", "nonsense");
        refuses(400, "bad_arguments", "[]");
        refuses(400, "bad_arguments", "{\"event\":\"x\"}"); // nobody by mistake, nor everybody
        refuses(400, "bad_arguments", "{\"rom\":\"a\",\"event\":\"x\"}");
        refuses(400, "bad_arguments", "{\"room\":\"a\",\"all\":true,\"event\":\"x\"}");
        refuses(400, "bad_arguments", "{\"room\":\"a\"}");
        refuses(400, "bad_arguments", "{\"room\":\"\",\"event\":\"x\"}");
        refuses(400, "bad_arguments", "{\"rooms\":[],\"event\":\"x\"}");
        refuses(400, "bad_arguments", "{\"room\":\"a\",\"event\":\"connect\"}");
        refuses(400, "bad_arguments", "{\"room\":\"a\",\"event\":\"sirocco:closed\"}");
        refuses(400, "bad_arguments", "{\"room\":\"a\",\"event\":\"x\",\"arguments\":\"y\"}");
        refuses(404, "unknown_namespace", "{\"namespace\":\"/x\",\"room\":\"a\",\"event\":\"x\"}");
        String large = "{\"room\":\"a\",\"event\":\"x\",\"arguments\":[\"" + "y".repeat(1 << 20);
        assertEquals(413, publish(large + "\"]}").statusCode());
    }

    @Test
    void aClientIsSentAwayAndToldWhy() throws Exception {
        try (var client = new Talker(running.port(), "")) {
            String id = client.next().replaceAll(".*\"sid\":\"([^\"]+)\".*", "$1");
            HttpResponse<String> answer =
                    post(
                            "/live/close",
                            "{\"client\":\"" + id + "\",\"code\":\"rude\",\"message\":\"go\"}",
                            "Authorization",
                            "Bearer 0123456789abcdef");
            assertEquals(200, answer.statusCode());
            String told = client.next();
            assertTrue(told.startsWith("42[\"sirocco:closed\",{"), told);
            assertTrue(told.contains("\"code\":\"rude\""), told);
            assertEquals("41", client.next());
        }
    }

    @Test
    void countsAreForPrometheus() throws Exception {
        try (Talker talker = Talker.in(running.port(), "").join("a")) {
            publish("{\"room\":\"a\",\"event\":\"x\"}");
            assertEquals("42[\"x\"]", talker.next());
            String metrics =
                    http.send(
                                    HttpRequest.newBuilder(
                                                    URI.create(
                                                            "http://127.0.0.1:"
                                                                    + running.adminPort()
                                                                    + "/metrics"))
                                            .header("Authorization", "Bearer 0123456789abcdef")
                                            .build(),
                                    BodyHandlers.ofString())
                            .body();
            for (String line :
                    new String[] {
                        "sirocco_live_clients 1",
                        "sirocco_live_rooms 1",
                        "sirocco_live_connects_total 1",
                        "sirocco_live_messages_received_total 1",
                        "sirocco_live_messages_sent_total 3", // CONNECT, the answer, the event
                        "sirocco_live_closes_total{reason=\"lost\"} 0"
                    }) {
                assertTrue(metrics.contains("\n" + line + "\n"), line + " in\n" + metrics);
            }
        }
    }
}
