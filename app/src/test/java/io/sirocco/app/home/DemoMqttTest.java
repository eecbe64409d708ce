// SPDX-License-Identifier: Apache-2.0
package io.sirocco.app.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The devices of the demo at a real broker: they are announced, and take commands. */
@Timeout(120)
class DemoMqttTest {
    private static final Path MOSQUITTO = Path.of("/usr/sbin/mosquitto");
    private static final Path SUBSCRIBE = Path.of("/usr/bin/mosquitto_sub");

    @TempDir private Path folder;

    @Test
    void devicesAreAnnouncedAndTakeCommands() throws Exception {
        assumeTrue(Files.isExecutable(MOSQUITTO), "mosquitto");
        assumeTrue(Files.isExecutable(SUBSCRIBE), "mosquitto-clients");
        String port = Integer.toString(freePort());
        Path settings = folder.resolve("mosquitto.conf");
        Files.writeString(settings, "listener " + port + " 127.0.0.1\nallow_anonymous true\n");
        Process broker =
                new ProcessBuilder(MOSQUITTO.toString(), "-v", "-c", settings.toString())
                        .redirectErrorStream(true)
                        .start();
        Process subscriber = null;
        try (var home =
                new RunningHome(folder.resolve("home"), "--mqtt", "tcp://127.0.0.1:" + port)) {
            readUntil(broker.inputReader(), " running");
            Thread.ofVirtual().start(() -> broker.inputReader().lines().forEach(line -> {}));
            subscriber =
                    new ProcessBuilder(
                                    SUBSCRIBE.toString(),
                                    "-p",
                                    port,
                                    "-v",
                                    "-t",
                                    "homeassistant/sensor/#")
                            .start();
            BufferedReader topics = subscriber.inputReader();
            Set<String> seen = readUntil(topics, "sensor/demo_target/state 21");
            assertTrue(
                    seen.contains("homeassistant/sensor/demo_hall_lamp/state 0"), () -> "" + seen);
            assertTrue(
                    seen.stream()
                            .anyMatch(
                                    line ->
                                            line.startsWith(
                                                    "homeassistant/sensor/demo_temperature/config {\"name\":\"Temperature\"")),
                    () -> "" + seen);
            publish(port, "demo_hall_lamp", "ON");
            readUntil(topics, "sensor/demo_hall_lamp/state 1");
            publish(port, "demo_bedroom_blind", "90");
            readUntil(topics, "sensor/demo_bedroom_blind/state 90");
            assertEquals("1", home.script("HallLamp:get(0)"));
            assertEquals("\"90\"", home.script("CLU:get(25)"));
            home.script("KitchenLamp:set(0, 0)");
            readUntil(topics, "sensor/demo_kitchen_lamp/state 0");
        } finally {
            if (subscriber != null) {
                subscriber.destroyForcibly().onExit().join();
            }
            broker.destroyForcibly().onExit().join();
        }
    }

    private static int freePort() throws Exception {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Set<String> readUntil(BufferedReader lines, String end) throws Exception {
        Set<String> seen = new HashSet<>();
        for (String line; (line = lines.readLine()) != null; ) {
            seen.add(line);
            if (line.endsWith(end)) {
                return seen;
            }
        }
        throw new AssertionError("no line ends with '" + end + "': " + seen);
    }

    private static void publish(String port, String id, String message) throws Exception {
        String topic = "homeassistant/sensor/" + id + "/set";
        Process process =
                new ProcessBuilder("mosquitto_pub", "-p", port, "-t", topic, "-m", message).start();
        assertEquals(0, process.waitFor());
    }
}
