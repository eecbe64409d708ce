// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.Clu;
import io.sirocco.home.CluClient;
import io.sirocco.home.protocol.Bytes;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.net.Loops;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole controller at a real mosquitto; its scripts switch MQTT on in OnInit. */
@Tag("peers")
class ControllerAtBrokerTest {
    private static final Inet4Address LOOPBACK = Inet4Address.ofLiteral("127.0.0.1");
    private static final CipherKey PROJECT =
            new CipherKey(
                    bytes("000102030405060708090a0b0c0d0e0f"),
                    bytes("101112131415161718191a1b1c1d1e1f"));
    private static final String KEYS =
            """
            {"key":"AAECAwQFBgcICQoLDA0ODw==","iv":"EBESExQVFhcYGRobHB0eHw==",
             "defaultIV":"ICEiIyQlJicoKSorLC0uLw==","pin":"MDAwMDAwMDA="}""";
    private static final String MAIN =
            """
            CLU = OBJECT:new(0, 0x7f000001, "CLU1")
            MQT1 = OBJECT:new(999, "MQT1")
            MQT1:add_event(1, function() MQT1:execute(10, "home/out", MQT1:get(1)) end)
            CLU:add_event(0, function()
                CLU:set(20, "tcp://127.0.0.1:%d")
                CLU:set(21, true)
                MQT1:execute(0, "home/in")
            end)
            function checkAlive() return "0d123456" end
            SYSTEM.Init()
            repeat SYSTEM.Loop() until 1 == 2
            """;

    private static final String LOST = "no connection to the MQTT broker tcp://127.0.0.1:";

    @TempDir Path directory;
    private Mosquitto broker;
    private Mosquitto.Capture capture;
    private int subscriptions; // of the script, since the broker has started

    private static Bytes bytes(String hex) {
        return Bytes.of(HexFormat.of().parseHex(hex));
    }

    private Clu start() throws Exception {
        return Clu.start(
                settings ->
                        settings.directory(directory)
                                .address(LOOPBACK)
                                .port(0)
                                .tftpPort(0)
                                .broadcasts(false));
    }

    private static boolean logs(Clu clu, String start) {
        return clu.log().lines().stream().anyMatch(line -> line.text().startsWith(start));
    }

    /** What the broker sends to the script, the script sends back. */
    private void isThere(String message) throws Exception {
        broker.awaitSubscription("CLU1", "home/in", ++subscriptions);
        broker.publish("home/in", message);
        capture.awaitPayload("home/out", message);
    }

    /**
     * Defect 3: after a RESET, and after one start of four, MQTT was off. Defect 4: after a restart
     * of the broker nothing was received.
     */
    @Test
    void defect3And4MqttIsBackAfterEachStartResetAndRestartOfTheBroker() throws Exception {
        broker = Mosquitto.start();
        try (Loops loops = Loops.start(settings -> settings.loops(1).name("test"))) {
            capture = broker.capture("home/out");
            Files.createDirectories(directory.resolve("root/a"));
            Files.writeString(directory.resolve("keys.json"), KEYS);
            Files.writeString(directory.resolve("root/a/MAIN.LUA"), MAIN.formatted(broker.port));
            for (int start = 0; start < 4; start++) {
                try (Clu clu = start()) {
                    isThere("start " + start);
                    assertTrue(clu.mqtt().connected());
                }
            }
            try (Clu clu = start();
                    CluClient client = CluClient.open(loops, LOOPBACK, clu.address(), PROJECT)) {
                isThere("again");
                var availability = broker.capture("homeassistant/CLU1/availability");
                availability.awaitPayload("homeassistant/CLU1/availability", "online");
                for (int reset = 0; reset < 6; reset++) {
                    client.reset().get(30, TimeUnit.SECONDS);
                    isThere("reset " + reset);
                }
                assertEquals(1, availability.lines().size(), "the connection stays");
                for (int restart = 0; restart < 3; restart++) {
                    broker.kill();
                    Mosquitto.await("lost", () -> !clu.mqtt().connected());
                    Mosquitto.await("in the log of the owner", () -> logs(clu, LOST));
                    broker.begin();
                    capture = broker.capture("home/out");
                    subscriptions = 0;
                    isThere("restart " + restart);
                    client.reset().get(30, TimeUnit.SECONDS);
                    isThere("restart and reset " + restart);
                }
            }
        } finally {
            broker.close();
        }
    }
}
