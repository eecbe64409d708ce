// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Home Assistant itself, set up as its owner does it: a user, and the integration MQTT. It has a
 * free port and a folder of its own; the test is skipped where it cannot be installed. Used by one
 * thread.
 */
final class Hass implements AutoCloseable {
    private static final Path INSTALL =
            Path.of("src/test/peers/homeassistant/install").toAbsolutePath();
    private static final Path FOLDER = Path.of("target/peers/homeassistant").toAbsolutePath();
    private static final int INSTALL_MINUTES = 20;
    private static final int PATIENCE_SECONDS = 120; // its start takes some
    private static final String CLIENT = "http://127.0.0.1/";
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Path folder = Files.createTempDirectory("sirocco-hass");
    private final int port = FreePort.tcp();
    private final HttpClient client = HttpClient.newHttpClient();
    private Process process;
    private String token = "";

    private Hass() throws IOException {
        Files.writeString(
                folder.resolve("configuration.yaml"),
                """
                homeassistant:
                  name: Home
                  time_zone: UTC
                  unit_system: metric
                http:
                  server_host: 127.0.0.1
                  server_port: %d
                api:
                config:
                onboarding:
                logger:
                  default: warning
                """
                        .formatted(port));
    }

    static Hass start(Mosquitto broker) throws Exception {
        install();
        var hass = new Hass();
        try {
            hass.begin();
            hass.createUser();
            hass.addBroker(broker.port);
            return hass;
        } catch (Exception | AssertionError e) {
            hass.close();
            throw e;
        }
    }

    private static void install() throws Exception {
        Files.createDirectories(FOLDER);
        Process installs =
                new ProcessBuilder(INSTALL.toString(), FOLDER.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(FOLDER.resolve("output").toFile())
                        .start();
        boolean ended = installs.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES);
        installs.destroyForcibly().waitFor();
        assumeTrue(
                ended && installs.exitValue() == 0,
                "Home Assistant cannot be installed: see " + FOLDER.resolve("output"));
    }

    private void begin() throws Exception {
        process =
                new ProcessBuilder(FOLDER.resolve("run").toString(), folder.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(
                                ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
                        .start();
        await("starts", () -> status("/api/onboarding") == 200);
    }

    private int status(String path) throws Exception {
        assertTrue(process.isAlive(), this::log);
        try {
            return get(path).statusCode();
        } catch (IOException e) {
            return 0; // it does not listen yet
        }
    }

    private void createUser() throws Exception {
        var user =
                Map.of(
                        "client_id", CLIENT,
                        "name", "Owner",
                        "username", "owner",
                        "password", "a password",
                        "language", "en");
        String code = post("/api/onboarding/users", user).get("auth_code").asString();
        String form =
                "grant_type=authorization_code&client_id="
                        + CLIENT.replace(":", "%3A").replace("/", "%2F")
                        + "&code="
                        + code;
        HttpRequest request =
                HttpRequest.newBuilder(uri("/auth/token"))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(BodyPublishers.ofString(form))
                        .build();
        token = json(client.send(request, BodyHandlers.ofString())).get("access_token").asString();
    }

    private void addBroker(int brokerPort) throws Exception {
        String flows = "/api/config/config_entries/flow";
        JsonNode form = post(flows, Map.of("handler", "mqtt"));
        JsonNode end =
                post(
                        flows + "/" + form.get("flow_id").asString(),
                        Map.of(
                                "broker",
                                "127.0.0.1",
                                "port",
                                brokerPort,
                                "other_settings",
                                Map.of("set_client_cert", false, "set_ca_cert", "off")));
        assertEquals("create_entry", end.get("type").asString(), end::toString);
    }

    /** Calls a service for one entity. */
    void call(String service, String entity, Map<String, Object> data) throws Exception {
        var all = new java.util.HashMap<>(data);
        all.put("entity_id", entity);
        post("/api/services/" + service, all);
    }

    /** Waits until the state of an entity, with its attributes, is as wanted. */
    void await(String entity, Predicate<JsonNode> wanted) throws Exception {
        var last = new JsonNode[1];
        await(
                () -> entity + " is " + last[0],
                () -> {
                    HttpResponse<String> response = get("/api/states/" + entity);
                    last[0] = response.statusCode() == 200 ? json(response) : null;
                    return last[0] != null && wanted.test(last[0]);
                });
    }

    void awaitState(String entity, String state) throws Exception {
        await(entity, json -> json.get("state").asString().equals(state));
    }

    /** Returns the ids of the entities of some devices. */
    List<String> entities(String... devices) throws Exception {
        return json(get("/api/states"))
                .valueStream()
                .map(each -> each.get("entity_id").asString())
                .filter(id -> Stream.of(devices).anyMatch(each -> id.contains("." + each + "_")))
                .sorted()
                .toList();
    }

    /**
     * Returns the warnings and errors about MQTT in its log, without those about the connection:
     * the broker restarts.
     */
    List<String> complaints() {
        return log().lines()
                .filter(line -> line.matches(".*\\b(WARNING|ERROR)\\b.*"))
                .filter(line -> line.contains("mqtt"))
                .filter(line -> !line.contains("[homeassistant.components.mqtt.client]"))
                .toList();
    }

    String log() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Ends it, and starts it again with what it has stored. */
    void restart() throws Exception {
        end();
        begin();
    }

    private void end() {
        process.destroy();
        process.onExit().completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        process.destroyForcibly().onExit().join();
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private void await(String what, Condition condition) throws Exception {
        await(() -> what, condition);
    }

    private void await(java.util.function.Supplier<String> what, Condition condition)
            throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.holds()) {
            assertTrue(System.nanoTime() < end, () -> "not in time: " + what.get() + "\n" + log());
            LockSupport.parkNanos(20_000_000); // it has one core
        }
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(
                HttpRequest.newBuilder(uri(path))
                        .header("Authorization", "Bearer " + token)
                        .build(),
                BodyHandlers.ofString());
    }

    private JsonNode post(String path, Object body) throws Exception {
        return json(
                client.send(
                        HttpRequest.newBuilder(uri(path))
                                .header("Authorization", "Bearer " + token)
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
                                .build(),
                        BodyHandlers.ofString()));
    }

    private JsonNode json(HttpResponse<String> response) {
        assertEquals(200, response.statusCode(), () -> response + response.body() + "\n" + log());
        return JSON.readTree(response.body());
    }

    @Override
    public void close() throws IOException {
        client.shutdownNow();
        if (process != null) {
            end();
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.toList().reversed()) {
                Files.delete(each);
            }
        }
    }
}
