// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sirocco.testkit.FreePort;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The devices of the demo at a real broker: Home Assistant finds them, and they take commands. */
@Tag("peers")
@Timeout(120)
class DemoMqttTest {
    private static final Path MOSQUITTO = Path.of("/usr/sbin/mosquitto");
    private static final Path SUBSCRIBE = Path.of("/usr/bin/mosquitto_sub");
    private static final String HALL_LAMP = "light/CLU_DEMO_HallLamp";
    private static final String BLIND = "cover/CLU_DEMO_BedroomBlind";
    private static final String HEATING = "climate/CLU_DEMO_Heating";

    @TempDir private Path folder;
    private String port;
    private Process broker;
    private Process subscriber;
    private BufferedReader topics;

    @BeforeEach
    void startBroker() throws Exception {
        assumeTrue(Files.isExecutable(MOSQUITTO), "mosquitto");
        assumeTrue(Files.isExecutable(SUBSCRIBE), "mosquitto-clients");
        port = Integer.toString(FreePort.tcp());
        Path settings = folder.resolve("mosquitto.conf");
        Files.writeString(settings, "listener " + port + " 127.0.0.1\nallow_anonymous true\n");
        broker =
                new ProcessBuilder(MOSQUITTO.toString(), "-v", "-c", settings.toString())
                        .redirectErrorStream(true)
                        .start();
        BufferedReader lines = broker.inputReader();
        readUntil(lines, line -> line.endsWith(" running"));
        Thread.ofVirtual().start(() -> lines.lines().forEach(line -> {}));
    }

    @AfterEach
    void stopBroker() {
        for (Process each : new Process[] {subscriber, broker}) {
            if (each != null) {
                each.destroyForcibly().onExit().join();
            }
        }
    }

    private RunningHome home() throws Exception {
        return new RunningHome(folder.resolve("home"), "--mqtt", "tcp://127.0.0.1:" + port);
    }

    private void subscribe() throws IOException {
        subscriber =
                new ProcessBuilder(SUBSCRIBE.toString(), "-p", port, "-v", "-t", "homeassistant/#")
                        .start();
        topics = subscriber.inputReader();
    }

    /** Reads messages until the payload of one of a topic contains a text. */
    private void await(String topic, String part) throws IOException {
        readUntil(topics, line -> line.startsWith("homeassistant/" + topic) && line.contains(part));
    }

    private static void readUntil(BufferedReader lines, Predicate<String> last) throws IOException {
        for (String line; (line = lines.readLine()) != null; ) {
            if (last.test(line)) {
                return;
            }
        }
        throw new AssertionError("it has ended");
    }

    private void command(String topic, String message) throws Exception {
        String set = "homeassistant/" + topic + "/set";
        Process process =
                new ProcessBuilder("mosquitto_pub", "-p", port, "-t", set, "-m", message).start();
        assertEquals(0, process.waitFor());
    }

    @Test
    void devicesAreLightsCoversASensorAndAThermostat() throws Exception {
        try (var _ = home()) {
            subscribe();
            Set<String> missing =
                    new HashSet<>(
                            List.of(
                                    "light/CLU_DEMO_KitchenLamp/config {\"name\":\"Kitchen lamp\"",
                                    "light/CLU_DEMO_KitchenLamp/state {\"state\":\"ON\"}",
                                    HALL_LAMP + "/state {\"state\":\"OFF\"}",
                                    "light/CLU_DEMO_LivingRoomLamp/state {\"state\":\"ON\",\"brightness\":102}",
                                    BLIND + "/state {\"position\":100}",
                                    "sensor/CLU_DEMO_LivingRoomTemperature/state 19.",
                                    HEATING + "/config {\"name\":\"Living room heating\"",
                                    HEATING + "/state {\"mode\":\"heat\",\"temperature\":21.0,",
                                    "CLU_DEMO/availability online"));
            readUntil(
                    topics,
                    line -> {
                        missing.removeIf(start -> line.startsWith("homeassistant/" + start));
                        return missing.isEmpty();
                    });
        }
        await("CLU_DEMO/availability", "offline");
    }

    @Test
    void commandsOfHomeAssistantActAndTheirStateComesBack() throws Exception {
        try (var home = home()) {
            subscribe();
            await(HALL_LAMP + "/state", "{\"state\":\"OFF\"}");
            command(HALL_LAMP, "{\"state\":\"ON\"}");
            await(HALL_LAMP + "/state", "{\"state\":\"ON\"}");
            assertEquals("1", home.script("HallLamp:get(0)"));
            command("light/CLU_DEMO_LivingRoomLamp", "{\"state\":\"ON\",\"brightness\":128}");
            await("light/CLU_DEMO_LivingRoomLamp/state", "{\"state\":\"ON\",\"brightness\":128}");
            command(BLIND, "{ \"position\": 90 }");
            await(BLIND + "/state", "{\"position\":90}");
            assertEquals("90", home.script("BedroomBlind:get(1)"));
            command(HEATING, "{ \"mode\": \"off\" }");
            await(HEATING + "/state", "\"mode\":\"off\"");
            assertEquals("0", home.script("Heating:get(2)"));
            command(HEATING, "{ \"temperature\": 23.5 }");
            await(HEATING + "/state", "\"temperature\":23.5");
            assertEquals("23.5", home.script("Heating:get(1)"));
        }
    }

    @Test
    void aChangeByAScriptIsPublishedAlsoAfterARestartOfTheScripts() throws Exception {
        try (var home = home()) {
            subscribe();
            await("light/CLU_DEMO_KitchenLamp/state", "{\"state\":\"ON\"}");
            home.script("KitchenLamp:set(0, 0)");
            await("light/CLU_DEMO_KitchenLamp/state", "{\"state\":\"OFF\"}");
            home.post("/home/reset", "{}");
            await("light/CLU_DEMO_KitchenLamp/state", "{\"state\":\"ON\"}");
            command("light/CLU_DEMO_KitchenLamp", "{\"state\":\"OFF\"}");
            await("light/CLU_DEMO_KitchenLamp/state", "{\"state\":\"OFF\"}");
        }
    }
}
