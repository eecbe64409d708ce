// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.http.Registration;
import io.sirocco.http.Response;
import io.sirocco.http.Server;
import io.sirocco.net.TransportKind;
import io.sirocco.testkit.Eventually;
import io.sirocco.testkit.ManualClock;
import io.sirocco.web.proxy.UpstreamStats.ServerStats;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that join an upstream of a running balancer, over sockets. */
@Timeout(120)
class RegistrationOverHttpTest {
    private static final String TOKEN = "0123456789abcdef0123456789";

    @TempDir Path folder;
    private final List<Server> servers = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private Running running;

    private static String toml(int adminPort, String more) {
        return """
        [[listen]]
        address = "127.0.0.1:0"
        [admin]
        address = "127.0.0.1:%d"
        registration-token-file = "registration.token"
        [[upstream]]
        name = "api"
        registration = true
        %s
        [[upstream]]
        name = "closed"
        servers = ["http://127.0.0.1:1"]
        [[site]]
        [[site.route]]
        path = "/*"
        proxy = "api"
        [[site.route]]
        path = "/closed"
        proxy = "closed"
        """
                .formatted(adminPort, more);
    }

    private void serve(String more) throws Exception {
        Files.writeString(folder.resolve("registration.token"), TOKEN);
        running = Running.of(folder, TransportKind.AUTO, toml(0, more));
    }

    @AfterEach
    void stop() {
        servers.forEach(Server::close);
        if (running != null) running.close();
        http.close();
    }

    private Server node(String name) {
        Server node =
                Server.start(
                        config -> config.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                        routes -> routes.get("/*", request -> Response.text(name)));
        servers.add(node);
        return node;
    }

    private String upstream(String pool) {
        return "http://127.0.0.1:" + running.adminPort() + "/upstreams/" + pool;
    }

    private String get() throws Exception {
        Client.Answer answer = Client.get(running.port(), "/x");
        return answer.status() + " " + (answer.status() == 200 ? answer.body() : "");
    }

    private List<String> names() {
        return running.upstream("api").servers().stream().map(ServerStats::name).toList();
    }

    /** The status, and the code of an error. */
    private String send(String method, String url, String token, String body) throws Exception {
        var response =
                http.send(
                        HttpRequest.newBuilder(URI.create(url))
                                .method(method, BodyPublishers.ofString(body))
                                .header("Authorization", "Bearer " + token)
                                .build(),
                        BodyHandlers.ofString());
        return response.statusCode()
                + response.body().replaceFirst("(?s).*\"code\":\"(\\w+)\".*", " $1");
    }

    @Test
    void aServerJoinsAndLeavesWhileItsRequestFinishes() throws Exception {
        serve("");
        assertEquals("503 ", get());
        var reached = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        Server slow =
                Server.start(
                        config -> config.listen(new InetSocketAddress("127.0.0.1", 0)).loops(1),
                        routes ->
                                routes.get(
                                        "/*",
                                        request -> {
                                            reached.countDown();
                                            release.await();
                                            return Response.text("slow");
                                        }));
        Registration joined = slow.join(upstream("api"), TOKEN);
        Eventually.await("a change", joined::isRegistered);
        var answer = new FutureTask<>(this::get);
        Thread.ofVirtual().start(answer);
        reached.await();
        node("other").join(upstream("api"), TOKEN);
        Eventually.await("a change", () -> names().size() == 2);
        var stopped = new FutureTask<>(() -> slow.stop(Duration.ofSeconds(30)));
        Thread.ofVirtual().start(stopped);
        Eventually.await("a change", () -> names().size() == 1);
        for (int i = 0; i < 4; i++) {
            assertEquals("200 other", get());
        }
        release.countDown();
        assertEquals("200 slow", answer.get());
        assertTrue(stopped.get());
    }

    @Tag("peers")
    @Test
    void aProcessThatIsKilledIsGoneWhileOthersStay() throws Exception {
        serve("");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                JoiningNode.class.getName(),
                                upstream("api"),
                                TOKEN)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("node.log").toFile())
                        .start();
        try {
            Eventually.await("a change", () -> names().size() == 1);
            assertEquals("200 process", get());
            node("other").join(upstream("api"), TOKEN);
            Eventually.await("a change", () -> names().size() == 2);
        } finally {
            process.destroyForcibly().waitFor();
        }
        for (int i = 0; i < 4; i++) {
            assertEquals("200 other", get()); // tried again elsewhere
        }
        Eventually.await("a change", () -> names().size() == 1);
        assertEquals("200 other", get());
    }

    @Test
    void aBalancerThatRestartsHasItsServersAgain() throws Exception {
        serve("");
        var clock = new ManualClock();
        Server node =
                Server.start(
                        config ->
                                config.listen(new InetSocketAddress("127.0.0.1", 0))
                                        .loops(1)
                                        .clock(clock),
                        routes -> routes.get("/*", request -> Response.text("node")));
        servers.add(node);
        Registration joined = node.join(upstream("api"), TOKEN);
        Eventually.await("a change", joined::isRegistered);
        int port = running.adminPort();
        running.close();
        running = Running.of(folder, TransportKind.AUTO, toml(port, ""));
        Eventually.await(
                "the next heartbeat",
                () -> {
                    clock.advance(10); // no more, or the heartbeat has no time for a response
                    return names().size() == 1;
                });
        assertEquals("200 node", get());
    }

    @Test
    void aReloadKeepsServersThatHaveJoined() throws Exception {
        serve("");
        Server node = node("node");
        node.join(upstream("api"), TOKEN);
        Eventually.await("a change", () -> names().size() == 1);
        assertEquals("200 node", get());
        int port = running.adminPort();
        for (int i = 0; i < 5; i++) {
            running.reload(toml(port, "retries = " + i)); // another upstream each time
            assertEquals("200 node", get());
        }
        running.reload(toml(port, "retries = 4").replace("path = \"/closed\"", "path = \"/c\""));
        assertEquals("200 node", get());
        assertEquals(2, running.upstream("api").servers().getFirst().requests());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {"port": 7001}                                   | 201
                    {"url": "http://127.0.0.1:7001/", "weight": 3}   | 201
                    {"url": "https://10.1.2.3:7001", "ttl": 1.5}     | 201
                    {"url": "http://10.2.0.1:7001"}                  | 403 forbidden_address
                    {"url": "http://127.0.0.2:7001"}                 | 403 forbidden_address
                    {"url": "http://169.254.169.254"}                | 403 forbidden_address
                    {"url": "http://0.0.0.0:7001"}                   | 403 forbidden_address
                    {"url": "http://[::1]:7001"}                     | 403 forbidden_address
                    {"url": "http://localhost:7001"}                 | 400 bad_arguments
                    {"url": "unix:/run/app.sock"}                    | 400 bad_arguments
                    {"url": "http://127.0.0.1:7001/path"}            | 400 bad_arguments
                    {"url": "http://u@127.0.0.1:7001"}               | 400 bad_arguments
                    {"url": "http://127.0.0.1:99999"}                | 400 bad_arguments
                    {"port": 7001, "url": "http://127.0.0.1:7001"}   | 400 bad_arguments
                    {"port": 7001, "scheme": "ftp"}                  | 400 bad_arguments
                    {"port": 0}                                      | 400 bad_arguments
                    {"port": 7001, "weight": 0}                      | 400 bad_arguments
                    {"port": 7001, "ttl": 60}                        | 400 bad_arguments
                    {"port": 7001, "ttl": "x"}                       | 400 bad_arguments
                    {"port": 7001, "host": "a"}                      | 400 bad_arguments
                    {}                                               | 400 bad_arguments
                    []                                               | 400 bad_arguments
                    {                                                | 400 bad_arguments
                    """)
    void addressesAreChecked(String body, String expected) throws Exception {
        serve("registration-networks = [\"10.1.0.0/16\", \"127.0.0.0/8\", \"169.254.0.0/16\"]");
        assertEquals(
                expected,
                send("POST", upstream("api"), TOKEN, body).replaceFirst("\\{.*", "").strip());
        assertEquals(expected.equals("201") ? 1 : 0, names().size());
    }

    @Test
    void tokensPoolsAndTheirScope() throws Exception {
        serve("");
        String body = "{\"port\": 7001}";
        assertEquals("401 unauthorized", send("POST", upstream("api"), "wrong", body));
        assertEquals("401 unauthorized", send("DELETE", upstream("api") + "?port=1", "", ""));
        assertEquals("404 unknown_upstream", send("POST", upstream("none"), TOKEN, body));
        assertEquals("404 unknown_upstream", send("POST", upstream("closed"), TOKEN, body));
        assertEquals(List.of(), names());
        assertTrue(send("PUT", upstream("api"), TOKEN, body).startsWith("201"));
        assertTrue(send("PUT", upstream("api"), TOKEN, body).startsWith("200"));
        assertEquals(List.of("http://127.0.0.1:7001"), names());
        assertEquals("204", send("DELETE", upstream("api") + "?port=7001", TOKEN, ""));
        assertEquals(List.of(), names());
        assertEquals("204", send("DELETE", upstream("api") + "?port=7001", TOKEN, ""));
        assertEquals(List.of(), names());
    }

    @Test
    void theTokenOfServersOpensNothingElse() throws Exception {
        Files.writeString(folder.resolve("admin.token"), "the-operators-own-token");
        Files.writeString(folder.resolve("registration.token"), TOKEN);
        String toml = toml(0, "").replace("[admin]", "[admin]\ntoken-file = \"admin.token\"");
        running = Running.of(folder, TransportKind.AUTO, toml);
        String admin = "http://127.0.0.1:" + running.adminPort();
        assertTrue(send("POST", admin + "/drain", TOKEN, "").startsWith("401"));
        assertTrue(send("GET", admin + "/metrics", TOKEN, "").startsWith("401"));
        String body = "{\"port\": 7001}";
        String operator = "the-operators-own-token";
        assertTrue(send("POST", upstream("api"), operator, body).startsWith("201"));
    }

    @Test
    void aFloodOfRegistrationsIsLimited() throws Exception {
        serve("max-registered = 10\nregistration-networks = [\"10.0.0.0/8\"]");
        Server node = node("node");
        Registration joined = node.join(upstream("api"), TOKEN);
        Eventually.await("a change", joined::isRegistered);
        int refused = 0;
        for (int i = 0; i < 100; i++) {
            String body = "{\"url\": \"http://10.0.%d.%d:80\"}".formatted(i / 50, i % 50);
            if (send("POST", upstream("api"), TOKEN, body).equals("503 too_many_servers")) {
                refused++;
            }
        }
        assertTrue(refused >= 50, refused + " refused"); // some may be gone meanwhile
        assertTrue(names().size() <= 10, names().toString());
        assertTrue(names().contains("http://127.0.0.1:" + node.port()));
    }
}
