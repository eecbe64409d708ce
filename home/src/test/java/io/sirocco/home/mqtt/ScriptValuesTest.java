// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.home.Clu;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values of scripts, from a whole controller to a real mosquitto. */
@Tag("peers")
class ScriptValuesTest {
    private static final String MAIN =
            """
            CLU1 = OBJECT:new(0, 0x7f000001, "CLU1")
            CLU1:set(20, "@BROKER@")
            CLU1:set(21, true)
            CLU1:add_event(0, function()
              CLU1:execute(20, "Rain", "rain", "precipitation", "mm")
              for i = 1, 100 do CLU1:execute(21, "rain", i) end
            end)
            function checkAlive() return "true" end
            SYSTEM.Init()
            repeat SYSTEM.Loop() until 1 == 2
            """;

    @TempDir Path directory;

    @Test
    void thoseOfOnInitAreNotLostWhileTheBrokerIsNotConnectedYet() throws Exception {
        try (Mosquitto broker = Mosquitto.start()) {
            var capture = broker.capture("homeassistant/sensor/rain/#");
            Files.createDirectories(directory.resolve("root/a"));
            Files.writeString(
                    directory.resolve("root/a/MAIN.LUA"),
                    MAIN.replace("@BROKER@", "tcp://127.0.0.1:" + broker.port));
            try (Clu _ =
                    Clu.start(
                            settings ->
                                    settings.directory(directory)
                                            .address(Inet4Address.ofLiteral("127.0.0.1"))
                                            .port(0)
                                            .tftpPort(0)
                                            .broadcasts(false))) {
                capture.awaitPayload("homeassistant/sensor/rain/state", "100");
                assertEquals(
                        IntStream.rangeClosed(1, 100).mapToObj(Integer::toString).toList(),
                        capture.payloads("homeassistant/sensor/rain/state").stream()
                                .distinct() // the last is sent again once the broker is connected
                                .toList());
                broker.capture("homeassistant/sensor/rain/state")
                        .awaitLine("1 homeassistant/sensor/rain/state 100"); // it is the last one
                Mosquitto.await(
                        "config",
                        () -> !capture.payloads("homeassistant/sensor/rain/config").isEmpty());
            }
        }
    }
}
