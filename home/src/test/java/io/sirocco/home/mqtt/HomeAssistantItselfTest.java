// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.home.Clu;
import io.sirocco.home.project.Controller;
import io.sirocco.home.project.ProjectObject;
import io.sirocco.home.project.ProjectObject.Feature;
import io.sirocco.home.project.TestProject;
import io.sirocco.home.protocol.CipherKey;
import io.sirocco.testkit.FreePort;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Home Assistant itself, over a real mosquitto: it has the objects of a controller that runs MQTT
 * and of another one, switches them, and follows what their scripts do.
 */
@Tag("heavy")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class HomeAssistantItselfTest {
    private static final Inet4Address HOUSE = Inet4Address.ofLiteral("127.72.3.1");
    private static final Inet4Address GARDEN = Inet4Address.ofLiteral("127.72.3.2");
    private static final String LOOP =
            """
            function checkAlive() return "true" end
            SYSTEM.Init()
            repeat SYSTEM.Loop() until 1 == 2
            """;
    private static final String GARDEN_MAIN =
            """
            CLU2 = OBJECT:new(0, 0x7f480302, "CLU2")
            DOU2 = OBJECT:new(4, "DOU2")
            DOU2:set(0, 1)
            """
                    + LOOP;
    private static final String HOUSE_MAIN =
            """
            CLU1 = OBJECT:new(0, 0x7f480301, "CLU1")
            CLU2 = OBJECT:new(1, 0x7f480302, "CLU2")
            CLU1:set(20, "@BROKER@")
            CLU1:set(21, true)
            CLU1:set(23, true)
            DOU1 = OBJECT:new(4, "DOU1")
            DOU1:set(0, 1)
            DIM1 = OBJECT:new(5, "DIM1")
            DIM1:set(0, 0.5)
            LED1 = OBJECT:new(5000, "LED1")
            LED1:set(3, 10)
            LED1:set(4, 20)
            LED1:set(5, 30)
            LED1:set(15, 0)
            function LED1.execute(self, method, value) self:set(method == 12 and 15 or method, value) end
            ROL1 = OBJECT:new(5001, "ROL1")
            ROL1:set(2, 42)
            function ROL1.execute(self, method, value) if method == 10 then self:set(2, value) end end
            THE1 = OBJECT:new(18, "THE1")
            THE1:set(6, 1)
            THE1:set(12, 21)
            THE1:set(14, 19.5)
            function THE1.execute(self, method) self:set(6, method == 0 and 1 or 0) end
            PAN1 = OBJECT:new(5002, "PAN1")
            PAN1:set(0, 21.5)
            PAN2 = OBJECT:new(5003, "PAN2")
            PAN2:set(0, 300)
            CLU1:add_event(0, function()
              CLU1:execute(20, "Rain", "rain", "precipitation", "mm")
              CLU1:execute(21, "rain", 3)
            end)
            """
                    + LOOP;

    @TempDir Path directory;
    private final CipherKey key = CipherKey.random(new SecureRandom());
    private final int port = FreePort.udp(); // of both

    private static ProjectObject object(
            String type, String name, String title, Feature... features) {
        return new ProjectObject(title, name, type, List.of(features), true, false);
    }

    private static Feature feature(int index, String name, String unit) {
        return new Feature(name, index, Optional.of(unit).filter(text -> !text.isEmpty()));
    }

    private static Controller controller(
            int serial, String name, Inet4Address address, ProjectObject... objects) {
        return new Controller(
                serial,
                name,
                "CLU" + serial,
                Optional.of(address),
                "3_1",
                "19_1",
                List.of(objects));
    }

    private static Controller house() {
        return controller(
                1,
                "House",
                HOUSE,
                object("DOUT", "DOU1", "Lamp", feature(0, "Value", "")),
                object("DIMM", "DIM1", "Dimmer", feature(0, "Value", "")),
                object(
                        "LEDRGB",
                        "LED1",
                        "Strip",
                        feature(3, "RedValue", ""),
                        feature(4, "GreenValue", ""),
                        feature(5, "BlueValue", ""),
                        feature(15, "WhiteValue", "")),
                object("ROLLER_SHUTTER", "ROL1", "Shutter", feature(2, "Position", "")),
                object(
                        "THERMOSTAT",
                        "THE1",
                        "Heating",
                        feature(6, "State", ""),
                        feature(12, "TargetTemp", "°C"),
                        feature(14, "CurrentTemp", "°C")),
                object("PANELSENSTEMP", "PAN1", "Temperature", feature(0, "Value", "°C")),
                object("PANELSENSLIGHT", "PAN2", "Brightness", feature(0, "Value", "lx")),
                object("BUTTON", "DIN1", "Button"),
                object("PANEL_BUTTON", "PBU1", "Panel button"));
    }

    private Clu start(Inet4Address address, int serial, String main) throws Exception {
        Path folder = directory.resolve("" + serial);
        Files.createDirectories(folder.resolve("root/a"));
        Files.writeString(folder.resolve("root/a/CONFIG.JSON"), "{\"sn\":" + serial + "}");
        Files.writeString(folder.resolve("root/a/MAIN.LUA"), main);
        Controller garden =
                controller(
                        2,
                        "Garden",
                        GARDEN,
                        object("DOUT", "DOU2", "Lamp", feature(0, "Value", "")));
        TestProject.write(folder.resolve("project.omp"), key, house(), garden);
        return Clu.start(
                settings ->
                        settings.directory(folder)
                                .address(address)
                                .port(port)
                                .remotePort(port)
                                .tftpPort(0)
                                .broadcasts(false));
    }

    private static String value(Clu clu, String expression) throws Exception {
        return clu.evaluate(expression).get(30, TimeUnit.SECONDS);
    }

    @Test
    void showsSwitchesAndFollows() throws Exception {
        try (Mosquitto broker = Mosquitto.start();
                Hass hass = Hass.start(broker);
                Clu garden = start(GARDEN, 2, GARDEN_MAIN)) {
            String main = HOUSE_MAIN.replace("@BROKER@", "tcp://127.0.0.1:" + broker.port);
            try (Clu house = start(HOUSE, 1, main)) {
                showsAll(hass);
                assertEquals(
                        List.of(
                                "climate.house_heating",
                                "cover.house_shutter",
                                "event.house_button",
                                "event.house_panel_button",
                                "light.garden_lamp",
                                "light.house_dimmer",
                                "light.house_lamp",
                                "light.house_strip",
                                "sensor.house_brightness",
                                "sensor.house_rain",
                                "sensor.house_temperature"),
                        hass.entities("house", "garden"));
                switches(hass, house, garden);
                follows(hass, house, garden);
                presses(hass, house);
                house.reset().get(30, TimeUnit.SECONDS);
                showsAll(hass);
                broker.kill();
                hass.awaitState("light.house_lamp", "unavailable");
                broker.begin();
                showsAll(hass);
                switches(hass, house, garden);
                house.reset().get(30, TimeUnit.SECONDS);
                value(garden, "DOU2:set(0, 1)");
                hass.restart();
                showsAll(hass);
                switches(hass, house, garden);
            }
            for (String entity : hass.entities("house", "garden")) {
                hass.awaitState(entity, "unavailable");
            }
            assertEquals(List.of(), hass.complaints());
        }
    }

    private static void showsAll(Hass hass) throws Exception {
        hass.awaitState("light.house_lamp", "on");
        hass.awaitState("light.garden_lamp", "on");
        hass.await("light.house_dimmer", each -> attribute(each, "brightness").equals("127"));
        hass.await(
                "light.house_strip", each -> attribute(each, "rgbw_color").equals("[10,20,30,0]"));
        hass.await("cover.house_shutter", each -> attribute(each, "current_position").equals("42"));
        hass.awaitState("climate.house_heating", "heat");
        hass.await("climate.house_heating", each -> attribute(each, "temperature").equals("21.0"));
        hass.await(
                "climate.house_heating",
                each -> attribute(each, "current_temperature").equals("19.5"));
        hass.awaitState("sensor.house_temperature", "21.5");
        hass.await(
                "sensor.house_temperature",
                each -> attribute(each, "unit_of_measurement").equals("°C"));
        hass.awaitState("sensor.house_brightness", "300.0");
        hass.awaitState("sensor.house_rain", "3");
        hass.await("event.house_button", each -> !isUnavailable(each));
    }

    private static boolean isUnavailable(tools.jackson.databind.JsonNode state) {
        return state.get("state").asString().equals("unavailable");
    }

    private static String attribute(tools.jackson.databind.JsonNode state, String name) {
        var value = state.get("attributes").path(name);
        return value.isString() ? value.asString() : value.toString();
    }

    private static void switches(Hass hass, Clu house, Clu garden) throws Exception {
        for (String each : List.of("light.house_lamp", "light.garden_lamp")) {
            hass.call("light/turn_off", each, Map.of());
            hass.awaitState(each, "off");
        }
        assertEquals("0", value(house, "DOU1:get(0)"));
        assertEquals("0", value(garden, "DOU2:get(0)"));
        hass.call("light/turn_on", "light.house_dimmer", Map.of("brightness", 128));
        hass.await("light.house_dimmer", each -> attribute(each, "brightness").equals("128"));
        assertEquals("0.501961", value(house, "DIM1:get(0)"));
        hass.call("light/turn_on", "light.house_strip", Map.of("rgbw_color", List.of(1, 2, 3, 4)));
        hass.await("light.house_strip", each -> attribute(each, "rgbw_color").equals("[1,2,3,4]"));
        assertEquals("4", value(house, "LED1:get(15)"));
        hass.call("cover/set_cover_position", "cover.house_shutter", Map.of("position", 70));
        hass.await("cover.house_shutter", each -> attribute(each, "current_position").equals("70"));
        hass.call("cover/close_cover", "cover.house_shutter", Map.of());
        hass.awaitState("cover.house_shutter", "closed");
        assertEquals("0", value(house, "ROL1:get(2)"));
        hass.call("climate/set_temperature", "climate.house_heating", Map.of("temperature", 22.5));
        hass.await("climate.house_heating", each -> attribute(each, "temperature").equals("22.5"));
        assertEquals("22.5", value(house, "THE1:get(12)"));
        hass.call("climate/set_hvac_mode", "climate.house_heating", Map.of("hvac_mode", "off"));
        hass.awaitState("climate.house_heating", "off");
        assertEquals("0", value(house, "THE1:get(6)"));
    }

    private static void follows(Hass hass, Clu house, Clu garden) throws Exception {
        value(house, "DOU1:set(0, 1)");
        value(garden, "DOU2:set(0, 1)");
        hass.awaitState("light.house_lamp", "on");
        hass.awaitState("light.garden_lamp", "on");
        value(house, "PAN1:set(0, 20)");
        hass.awaitState("sensor.house_temperature", "20.0");
    }

    private static void presses(Hass hass, Clu house) throws Exception {
        for (String press : List.of("press", "double_press", "long_press")) {
            value(house, "CLU1:execute(30, 'CLU1->DIN1', '" + press + "')");
            hass.await("event.house_button", each -> attribute(each, "event_type").equals(press));
        }
    }
}
