// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static io.sirocco.home.mqtt.Mosquitto.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.home.mqtt.Mosquitto;
import io.sirocco.home.project.Controller;
import io.sirocco.home.project.ProjectObject;
import io.sirocco.home.project.TestProject;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.testkit.FreePort;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A controller, another one whose lamp it shows in Home Assistant, and a real mosquitto: whichever
 * of them restarts, and in whatever order, everything acts again by itself.
 */
@Tag("peers")
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
    @TempDir Path directory;
    private final int port = FreePort.udp();
    private Mosquitto broker;
    private CluRig rig;
    private Clu first;
    private Clu second;
    private int number;

    @BeforeEach
    void open() throws Exception {
        broker = Mosquitto.start();
        Path folder = Files.createDirectories(directory.resolve("first"));
        var lamp =
                new ProjectObject(
                        "Lamp",
                        "DOU1",
                        "DOUT",
                        List.of(new ProjectObject.Feature("Value", 0, Optional.empty())),
                        true,
                        false);
        TestProject.write(
                folder.resolve("project.omp"),
                CipherKey.random(new SecureRandom()),
                new Controller(
                        221010198, "Second", "CLU2", Optional.of(SECOND), "", "", List.of(lamp)));
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
