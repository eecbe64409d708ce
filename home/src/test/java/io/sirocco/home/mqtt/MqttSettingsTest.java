// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.mqtt.MqttSettings.Credentials;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MqttSettingsTest {
    private static MqttSettings settings(String url) {
        return MqttSettings.of(url, "CLU1", "homeassistant", Path.of("mqtt"));
    }

    @Test
    void urls() {
        assertEquals("tcp://broker:1883", settings("tcp://broker").server());
        assertEquals("ssl://broker:8883", settings("ssl://broker/").server());
        assertEquals("tcp://10.0.0.1:1234", settings("tcp://u:p@10.0.0.1:1234").server());
        assertEquals("tcp://[::1]:1883", settings("tcp://[::1]:1883").server());
        assertEquals("tcp://my_broker:1883", settings("tcp://u:p@my_broker").server());
        assertEquals("ssl://my_broker:1", settings("ssl://MY_Broker:1/").server());
        assertEquals(
                "tcp://xn--bcher-kva.test:1883", settings("tcp://xn--bcher-kva.test").server());
        assertEquals("homeassistant/CLU1/availability", settings("tcp://a").availabilityTopic());
    }

    @Test
    void credentialsArePercentDecoded() {
        assertEquals(Optional.empty(), settings("tcp://a").credentials());
        assertEquals(Optional.of(new Credentials("u", "")), settings("tcp://u@a").credentials());
        assertEquals(
                Optional.of(new Credentials("u@x", "p:@/ +%")),
                settings("tcp://u%40x:p:@%2F%20+%@a").credentials());
    }

    @Test
    void wrongUrlsAreRefusedWithoutTheirPassword() {
        for (String url :
                List.of(
                        "",
                        "broker:1883",
                        "http://u:secret@a",
                        "tcp://",
                        "tcp://u:secret@",
                        "tcp://u:secret@a:99999",
                        "tcp://u:secret@a:x",
                        "tcp://u:secret@my_broker:99999",
                        "tcp://u:secret@bücher.test",
                        "tcp://u:secret@a b",
                        "tcp://u:secret@a/path")) {
            String message =
                    assertThrows(IllegalArgumentException.class, () -> settings(url)).getMessage();
            assertFalse(message.contains("secret"), message);
            assertTrue(message.contains("write it as tcp://USER:PASSWORD@HOST:PORT"), message);
        }
    }
}
