// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.app.admin.Subject.State;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The admin server on the wire. */
class AdminTest {
    @TempDir Path folder;
    private final Stage stage = new Stage();

    @AfterEach
    void stop() {
        stage.close();
    }

    /** All that is answered to bytes, which end the connection. */
    private static String send(int port, String bytes) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }

    private static String ask(Admin admin, String method, String target, String... fields)
            throws IOException {
        String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        boolean host = List.of(fields).stream().anyMatch(field -> field.startsWith("Host:"));
        return send(
                admin.port(),
                "%s %s HTTP/1.1\r\n%sConnection: close\r\n%s\r\n"
                        .formatted(
                                method,
                                target,
                                host ? "" : "Host: localhost:" + admin.port() + "\r\n",
                                more));
    }

    private static int status(String answer) {
        return Integer.parseInt(answer.substring(9, 12));
    }

    private static String body(String answer) {
        return answer.substring(answer.indexOf("\r\n\r\n") + 4);
    }

    private Admin open() throws IOException {
        return stage.admin(Optional.empty(), true);
    }

    private Admin locked(String token) throws IOException {
        return stage.admin(Optional.of(Files.writeString(folder.resolve("token"), token)), true);
    }

    // ---- what it tells and does

    @Test
    void healthIsGoodWhileTheProcessLivesAndReadyWhileItServes() throws Exception {
        try (Admin admin = open()) {
            assertEquals("ok\n", body(ask(admin, "GET", "/health")));
            assertEquals(200, status(ask(admin, "GET", "/ready")));
            for (State state : List.of(State.STARTING, State.DRAINING)) {
                stage.state = state;
                String ready = ask(admin, "GET", "/ready");
                assertEquals(503, status(ready));
                assertEquals(state.label() + "\n", body(ready));
                assertEquals(200, status(ask(admin, "GET", "/health")));
            }
        }
    }

    @Test
    void aPostDrainsAndAGetDoesNot() throws Exception {
        try (Admin admin = open()) {
            assertEquals(405, status(ask(admin, "GET", "/drain")));
            assertEquals(State.SERVING, stage.state);
            assertEquals(202, status(ask(admin, "POST", "/drain", "Content-Length: 0")));
            assertEquals(State.DRAINING, stage.state);
        }
    }

    @Test
    void aReloadThatIsRefusedSaysWhy() throws Exception {
        try (Admin admin = open()) {
            stage.problem = "sirocco.toml:3:1: unknown key 'prot'";
            String refused = ask(admin, "POST", "/reload", "Content-Length: 0");
            assertEquals(422, status(refused));
            assertEquals("sirocco.toml:3:1: unknown key 'prot'\n", body(refused));
            stage.problem = "";
            assertEquals(200, status(ask(admin, "POST", "/reload", "Content-Length: 0")));
            assertEquals(1, stage.reloads);
        }
    }

    /** The text of {@code /metrics} after a few requests of each kind. */
    private String scraped() throws IOException {
        String hello = "GET /hello/you HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        for (int i = 0; i < 3; i++) {
            send(stage.server.port(), hello);
        }
        send(stage.server.port(), "GET / HTTP/1.1\r\n\r\n");
        stage.dropped = 5;
        stage.refusals = Map.of("allow \"\\\n", 7L);
        try (Admin admin = open()) {
            String answer = ask(admin, "GET", "/metrics");
            assertTrue(answer.contains("\r\nContent-Type: text/plain; version=0.0.4;"), answer);
            return body(answer);
        }
    }

    @Tag("peers")
    @Test
    void prometheusOwnToolHasNothingToSayOfTheMetrics() throws Exception {
        var tool = Stream.of("/usr/bin/promtool", "/usr/local/bin/promtool").map(Path::of);
        Optional<Path> promtool = tool.filter(Files::isExecutable).findFirst();
        assumeTrue(promtool.isPresent(), "promtool");
        Path text = Files.writeString(folder.resolve("metrics"), scraped());
        Process check =
                new ProcessBuilder(promtool.get().toString(), "check", "metrics")
                        .redirectInput(text.toFile())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(check.getInputStream().readAllBytes());
        assertEquals("", said);
        assertEquals(0, check.waitFor());
    }

    @Test
    void theMetricsHaveTheRightValues() throws Exception {
        var samples = new HashMap<String, Double>();
        for (String line : scraped().lines().filter(one -> !one.startsWith("#")).toList()) {
            int value = line.lastIndexOf(' ');
            Double before =
                    samples.put(line.substring(0, value), Double.valueOf(line.substring(value)));
            assertEquals(null, before, line);
        }
        String route = "{route=\"/hello/{name}\"";
        assertEquals(
                3,
                samples.get(
                        "sirocco_http_requests_total" + route + ",method=\"GET\",status=\"200\"}"));
        assertEquals(
                1,
                samples.get(
                        "sirocco_http_requests_total"
                                + "{route=\"(refused)\",method=\"GET\",status=\"400\"}"));
        String duration = "sirocco_http_request_duration_seconds_";
        assertEquals(3, samples.get(duration + "bucket" + route + ",le=\"30\"}"));
        assertEquals(3, samples.get(duration + "bucket" + route + ",le=\"+Inf\"}"));
        assertEquals(3, samples.get(duration + "count" + route + "}"));
        assertTrue(samples.get(duration + "sum" + route + "}") > 0);
        assertEquals(1, samples.get("sirocco_http_refused_total{rule=\"HOST_MISSING\"}"));
        assertEquals(7, samples.get("sirocco_access_refused_total{rule=\"allow \\\"\\\\\\n\"}"));
        assertEquals(5, samples.get("sirocco_access_log_dropped_total"));
        assertEquals(1, samples.get("sirocco_ready"));
        String transport = stage.server.transport().label();
        String loop = "{loop=\"1\",transport=\"" + transport + "\"}";
        assertEquals(1, samples.get("sirocco_loop_transport_info" + loop));
        assertEquals(
                4,
                samples.get("sirocco_connections_accepted_total{loop=\"0\"}")
                        + samples.get("sirocco_connections_accepted_total{loop=\"1\"}"));
    }

    @Test
    void eventsBeginWithWhatIsRememberedAndGoOnEachSecond() throws Exception {
        try (Admin admin = open();
                var socket = new Socket(InetAddress.getLoopbackAddress(), admin.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(ISO_8859_1));
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            var mapper = JsonMapper.shared();
            long last = -1;
            int seconds = 0;
            for (String event = ""; seconds < 2; ) {
                String line = in.readLine();
                if (line.startsWith("event: ")) {
                    event = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    JsonNode news = mapper.readTree(line.substring(6));
                    assertEquals("serving", news.get("now").get("state").asString());
                    for (JsonNode sample : news.get("samples")) {
                        long number = sample.get("number").asLong();
                        assertTrue(last < 0 || number == last + 1);
                        last = number;
                        assertEquals(2, sample.get("busy").size());
                    }
                    assertEquals(seconds++ == 0 ? "history" : "second", event);
                }
            }
        }
    }

    @Test
    void pagesRunNothingThatIsNotTheirOwn() throws Exception {
        try (Admin admin = open()) {
            for (String path :
                    List.of("/", "/dashboard.js", "/chart.js", "/dashboard.css", "/metrics")) {
                String answer = ask(admin, "GET", path);
                assertEquals(200, status(answer), path);
                assertTrue(answer.contains("Content-Security-Policy: default-src 'none';"), path);
                assertTrue(answer.contains("X-Content-Type-Options: nosniff"), path);
                assertFalse(body(answer).matches("(?s).*https?://(?!www\\.w3\\.org/2000).*"), path);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "GET /",
                "POST /drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
            })
    void connectionsThatSendLittleDoNotKeepHealthFromBeingAnswered(String bytes) throws Exception {
        var idlers = new ArrayList<Socket>();
        try (Admin admin = locked("0123456789abcdef0123")) {
            for (int i = 0; i < 300; i++) {
                var idler = new Socket(InetAddress.getLoopbackAddress(), admin.port());
                idlers.add(idler);
                idler.getOutputStream().write(bytes.getBytes(ISO_8859_1));
            }
            assertEquals(200, status(ask(admin, "GET", "/health")));
            Socket oldest = idlers.getFirst();
            oldest.setSoTimeout(20_000);
            String got = new String(oldest.getInputStream().readAllBytes(), ISO_8859_1);
            assertFalse(got.contains(" 408 "), "it has made room before its time was over");
            Socket youngest = idlers.getLast();
            youngest.setSoTimeout(1);
            assertThrows(SocketTimeoutException.class, () -> untilQuiet(youngest));
            for (Socket each : idlers) each.close(); // or the drain would wait for them
        } finally {
            for (Socket each : idlers) each.close();
        }
    }

    private static void untilQuiet(Socket socket) throws IOException {
        while (socket.getInputStream().read() >= 0) {}
    }

    // ---- who may

    @Test
    void theTokenIsAskedForEverywhereButForHealth() throws Exception {
        try (Admin admin = locked("0123456789abcdef0123")) {
            for (String path : List.of("/", "/metrics", "/events", "/dashboard.js")) {
                String answer = ask(admin, "GET", path);
                assertEquals(401, status(answer), path);
                assertTrue(answer.contains("/?token=..."), answer);
                assertTrue(answer.contains("WWW-Authenticate: Bearer"), path);
            }
            assertEquals(401, status(ask(admin, "POST", "/drain", "Content-Length: 0")));
            assertEquals(State.SERVING, stage.state);
            assertEquals(200, status(ask(admin, "GET", "/health")));
            assertEquals(200, status(ask(admin, "GET", "/ready")));
            for (String wrong :
                    List.of("Bearer 0123456789abcdef012", "Bearer", "Basic MDEyMw==", "")) {
                assertEquals(401, status(ask(admin, "GET", "/metrics", "Authorization: " + wrong)));
            }
            String right = "Authorization: Bearer 0123456789abcdef0123";
            assertEquals(200, status(ask(admin, "GET", "/metrics", right)));
            assertEquals(202, status(ask(admin, "POST", "/drain", "Content-Length: 0", right)));
        }
    }

    @Test
    void healthMayBeClosedToo() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "0123456789abcdef0123");
        try (Admin admin = stage.admin(Optional.of(file), false)) {
            assertEquals(401, status(ask(admin, "GET", "/health")));
            assertEquals(401, status(ask(admin, "GET", "/ready")));
        }
    }

    @Test
    void theTokenInTheAddressBecomesACookieThatDoesNotTellIt() throws Exception {
        try (Admin admin = locked("0123456789abcdef0123")) {
            assertEquals(401, status(ask(admin, "GET", "/?token=wrong")));
            assertEquals(401, status(ask(admin, "GET", "/metrics?token=0123456789abcdef0123")));
            String answer = ask(admin, "GET", "/?token=0123456789abcdef0123");
            assertEquals(303, status(answer));
            assertTrue(answer.contains("\r\nLocation: /\r\n"), answer);
            String cookie =
                    answer.lines()
                            .filter(line -> line.startsWith("Set-Cookie: "))
                            .findFirst()
                            .orElseThrow();
            assertTrue(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict"));
            assertFalse(cookie.contains("0123456789abcdef0123"));
            String pair = cookie.substring("Set-Cookie: ".length()).split(";")[0];
            assertEquals(200, status(ask(admin, "GET", "/", "Cookie: " + pair)));
            assertEquals(401, status(ask(admin, "GET", "/", "Cookie: " + pair + "0")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1:1", "[::1]:9", "a.localhost", "LOCALHOST"})
    void withoutATokenNamesOfThisMachineAreServed(String host) throws Exception {
        try (Admin admin = open()) {
            assertEquals(200, status(ask(admin, "GET", "/metrics", "Host: " + host)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.test", "localhost.evil.test", "127.0.0.1.evil.test", "10.0.0.1"})
    void withoutATokenANameThatWasPointedHereIsRefused(String host) throws Exception {
        try (Admin admin = open()) {
            assertEquals(403, status(ask(admin, "GET", "/metrics", "Host: " + host)));
            assertEquals(403, status(ask(admin, "GET", "/", "Host: " + host)));
            assertEquals(
                    403,
                    status(ask(admin, "POST", "/drain", "Host: " + host, "Content-Length: 0")));
            assertEquals(State.SERVING, stage.state);
        }
    }

    @Test
    void aPageOfAnotherSiteCanNeitherPostNorRead() throws Exception {
        try (Admin admin = open()) {
            String none = "Content-Length: 0";
            for (String field :
                    List.of(
                            "Origin: http://evil.test",
                            "Origin: null",
                            "Origin: http://localhost:1",
                            "Sec-Fetch-Site: cross-site",
                            "Sec-Fetch-Site: same-site")) {
                assertEquals(403, status(ask(admin, "POST", "/drain", none, field)), field);
            }
            String cross = "Sec-Fetch-Site: cross-site";
            assertEquals(
                    403,
                    status(ask(admin, "POST", "/drain", none, cross, "Sec-Fetch-Mode: navigate")));
            assertEquals(403, status(ask(admin, "GET", "/events", cross, "Sec-Fetch-Mode: cors")));
            assertEquals(State.SERVING, stage.state);
            assertEquals(200, status(ask(admin, "GET", "/", cross, "Sec-Fetch-Mode: navigate")));
            String own = "Origin: http://localhost:" + admin.port();
            assertEquals(202, status(ask(admin, "POST", "/drain", none, own)));
        }
    }

    @Test
    void aMissingTokenIsMadeForTheOwnerAlone() throws Exception {
        Path file = folder.resolve("admin.token");
        try (Admin admin = stage.admin(Optional.of(file), true)) {
            assertEquals(
                    PosixFilePermissions.fromString("rw-------"),
                    Files.getPosixFilePermissions(file));
            String token = Files.readString(file).strip();
            assertTrue(token.matches("[\\w-]{43}"), token);
            assertEquals(
                    200, status(ask(admin, "GET", "/metrics", "Authorization: Bearer " + token)));
        }
    }

    @Test
    void whatCannotBeIsExplained() throws Exception {
        assertRefused("needs a token: set token-file", "0.0.0.0", Optional.empty());
        Path weak = Files.writeString(folder.resolve("weak"), "short\n");
        assertRefused("has 5 characters, but needs 16", "127.0.0.1", Optional.of(weak));
        Path nowhere = folder.resolve("none").resolve("token");
        assertRefused(
                "the directory " + nowhere.getParent() + " does not exist",
                "127.0.0.1",
                Optional.of(nowhere));
        try (Admin admin = open()) {
            var taken =
                    assertThrows(
                            UncheckedIOException.class, () -> stage.admin(admin.port()).close());
            assertTrue(taken.getMessage().contains("cannot listen"), taken.getMessage());
        }
    }

    private void assertRefused(String why, String address, Optional<Path> token) {
        var refused =
                assertThrows(
                        IOException.class,
                        () ->
                                Admin.start(
                                                new InetSocketAddress(address, 0),
                                                token,
                                                true,
                                                stage,
                                                stage.metrics)
                                        .close());
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
    }

    @Test
    void itAnswersWhileTheServerItIsAboutIsStopped() throws Exception {
        try (Admin admin = open()) {
            stage.server.stop(java.time.Duration.ofSeconds(1));
            stage.state = State.DRAINING;
            assertEquals(200, status(ask(admin, "GET", "/metrics")));
            assertEquals(503, status(ask(admin, "GET", "/ready")));
        }
    }
}
