// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static io.sirocco.home.mqtt.Mosquitto.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.home.mqtt.Mosquitto;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A controller, another one whose lamp it shows in Home Assistant, and a real mosquitto: whichever
 * of them restarts, and in whatever order, everything acts again by itself.
 */
class MqttRecoveryTest {
    private static final Inet4Address FIRST = Inet4Address.ofLiteral("127.72.2.1");
    private static final Inet4Address SECOND = Inet4Address.ofLiteral("127.72.2.2");
    private static final String LAMP = "homeassistant/light/CLU2_DOU1";
    private static final String RAIN = "homeassistant/sensor/rain";

    /** The broker's port is to be filled in. */
    private static final String MAIN =
            """
            CLU = OBJECT:new(0, 0x7f480201, "CLU1")
            CLU2 = OBJECT:new(1, 0x7f480202, "CLU2")
            MQT = OBJECT:new(999, "MQT1")
            CLU:set(20, "tcp://127.0.0.1:%d")
            CLU:set(21, 1)
            CLU:set(23, 1)
            CLU:add_event(0, function()
                CLU:execute(20, "Rain", "rain", "", "mm", "")
                CLU:execute(21, "rain", 5)
            end)
            CLU:add_event(20, function() command = CLU:get(25) end)
            MQT:add_event(1, function() message = MQT:get(1) end)
            MQT:execute(0, "home/to/clu")
            function checkAlive() return "0d123456" end
            SYSTEM.Init()
            repeat SYSTEM.Loop() until 1 == 2
            """;

    private static final String SECOND_MAIN =
            """
            DOU1 = OBJECT:new(4, "DOU1")
            DOU1:set(0, 0)
            """
                    + CluRig.MAIN;
    private static final String PROPERTIES =
            """
            <object-stream><ProjectProperties id="1"><projectCipherKey id="2">
            <keyBytes id="3">AAECAwQFBgcICQoLDA0ODw==</keyBytes>
            <ivBytes id="4">EBESExQVFhcYGRobHB0eHw==</ivBytes>
            </projectCipherKey></ProjectProperties></object-stream>
            """;
    private static final String SYSTEM =
            """
            <object-stream><specificObject id="1"><name>Lamp</name><nameOnCLU>DOU1</nameOnCLU>
              <type>DOUT</type><clu id="2"><name>Second</name><nameOnCLU>CLU2</nameOnCLU>
                <serialNumber>221010198</serialNumber><ipAddress>127.72.2.2</ipAddress></clu>
              <features><feature><name>Value</name><index>0</index></feature></features>
            </specificObject></object-stream>
            """;

    @TempDir Path directory;
    private final int port = freePort();
    private Mosquitto broker;
    private CluRig rig;
    private Clu first;
    private Clu second;
    private int number;

    private static int freePort() {
        try (var socket = new DatagramSocket(0)) {
            return socket.getLocalPort();
        } catch (SocketException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void open() throws Exception {
        broker = Mosquitto.start();
        Path folder = Files.createDirectories(directory.resolve("first"));
        try (var zip = new ZipOutputStream(Files.newOutputStream(folder.resolve("project.omp")))) {
            entry(zip, "properties.xml", PROPERTIES);
            entry(zip, "system.xml", SYSTEM);
        }
        rig = new CluRig(folder, MAIN.formatted(broker.port), settings -> at(settings, FIRST));
        rig.clu.close(); // it is to find the other
        Path other = directory.resolve("second");
        CluRig.write(other, SECOND_MAIN, rig.project);
        second =
                rig.start(
                        settings -> {
                            at(settings, SECOND);
                            settings.directory(other);
                        });
        first = rig.start(settings -> at(settings, FIRST));
    }

    private void at(CluSettings settings, Inet4Address address) {
        settings.address(address).port(port).remotePort(port).broadcasts(false);
    }

    private static void entry(ZipOutputStream zip, String name, String text) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(text.getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
    }

    @AfterEach
    void close() throws IOException {
        first.close();
        second.close();
        rig.close();
        broker.close();
    }

    @Test
    void afterAReset() throws Exception {
        acts();
        for (int i = 0; i < 3; i++) {
            reset(first);
            acts();
        }
    }

    @Test
    void afterARestartOfTheBroker() throws Exception {
        acts();
        broker.kill();
        lost();
        broker.begin(); // it has forgotten everything
        acts();
    }

    @Test
    void afterAResetWhileTheBrokerIsDown() throws Exception {
        acts();
        broker.kill();
        lost();
        reset(first);
        assertEquals("0d123456", evaluate(first, "checkAlive()"));
        broker.begin();
        acts();
        reset(first);
        acts();
    }

    @Test
    void afterAResetAtTheMomentAtWhichTheBrokerRestarts() throws Exception {
        acts();
        for (int i = 0; i < 3; i++) {
            broker.kill();
            CompletableFuture<?> reset = first.reset();
            broker.begin();
            reset.get(30, TimeUnit.SECONDS);
            reset(first);
            acts();
        }
    }

    @Test
    void afterAResetOfTheOtherController() throws Exception {
        acts();
        reset(second);
        acts();
        broker.kill();
        reset(second);
        reset(first);
        broker.begin();
        acts();
    }

    @Test
    void whenTheBrokerStartsAfterTheController() throws Exception {
        broker.kill();
        first.close();
        first = rig.start(settings -> at(settings, FIRST));
        broker.begin();
        acts();
    }

    private void reset(Clu clu) throws Exception {
        try (CluClient client = rig.client(clu, rig.project)) {
            client.reset().get(30, TimeUnit.SECONDS);
        }
    }

    private void lost() {
        await("lost", () -> !first.mqtt().connected());
    }

    /** The subscription of MqttTopic, discovery, states, and commands. */
    private void acts() throws Exception {
        await("connected", () -> first.mqtt().connected());
        Mosquitto.Capture capture = broker.capture("homeassistant/#");
        await("lamp", () -> !capture.payloads(LAMP + "/config").isEmpty());
        await("rain", () -> !capture.payloads(RAIN + "/config").isEmpty());
        capture.awaitPayload(RAIN + "/state", "5");
        capture.awaitPayload("homeassistant/CLU1/availability", "online");
        capture.awaitPayload("homeassistant/CLU2/availability", "online");
        String value = "" + ++number;
        publishUntil(first, "home/to/clu", value, "message");
        publishUntil(first, RAIN + "/set", value, "command");
        String on = number % 2 == 1 ? "ON" : "OFF";
        publishUntil(
                second, LAMP + "/set", "{\"state\":\"" + on + "\"}", "DOU1:get(0)", number % 2);
        capture.awaitPayload(LAMP + "/state", "{\"state\":\"" + on + "\"}");
    }

    private void publishUntil(Clu clu, String topic, String payload, String script) {
        publishUntil(clu, topic, payload, script, Integer.parseInt(payload));
    }

    /** Publishes again and again: the broker keeps nothing for a subscription that comes later. */
    private void publishUntil(Clu clu, String topic, String payload, String script, int expected) {
        await(
                topic,
                () -> {
                    try {
                        broker.publish(topic, payload);
                        return evaluate(clu, "tonumber(" + script + ") == " + expected)
                                .equals("true");
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
    }

    private static String evaluate(Clu clu, String script) throws Exception {
        return clu.evaluate(script).get(30, TimeUnit.SECONDS);
    }
}
