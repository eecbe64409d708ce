// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import static io.sirocco.home.mqtt.Mosquitto.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.project.Controller;
import io.sirocco.home.project.Project;
import io.sirocco.home.project.ProjectKey;
import io.sirocco.home.project.ProjectObject;
import io.sirocco.home.project.ProjectObject.Feature;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** What Home Assistant sees, captured by mosquitto_sub from a real mosquitto. */
@Tag("peers")
class HomeAssistantTest {
    private static final String CLU = "CLU221010198";
    private static final String ROOT = "homeassistant/%s/" + CLU + "_%s";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir private Path folder;
    private final List<String> received = new CopyOnWriteArrayList<>();
    private final FakeObjects remote = new FakeObjects();
    private final CapturedLog log = new CapturedLog();
    private final MqttConnection mqtt =
            new MqttConnection(Duration.ofMillis(20), Duration.ofMillis(100), log::add);
    private Mosquitto broker;
    private Mosquitto.Capture capture;
    private HomeAssistant home;

    @BeforeEach
    void start() throws IOException {
        broker = Mosquitto.start();
        capture = broker.capture("homeassistant/#");
    }

    @AfterEach
    void end() throws IOException {
        mqtt.close();
        broker.close();
        log.close();
    }

    private void begin(Duration poll, ProjectObject... objects) {
        begin(poll, CLU, objects);
    }

    private void begin(Duration poll, String added, ProjectObject... objects) {
        home = homeAssistant("CLU0d123456", poll, objects);
        home.add(added, remote);
        mqtt.connect(broker.settings("CLU0d123456"));
        await("connected", mqtt::connected);
    }

    private HomeAssistant homeAssistant(String gateway, Duration poll, ProjectObject... objects) {
        return new HomeAssistant(
                mqtt,
                project(objects),
                "homeassistant",
                gateway,
                "test",
                (id, payload) -> received.add(id + " " + payload),
                folder.resolve("mqtt/announced.txt"),
                log::add,
                poll);
    }

    private static Optional<Project> project(ProjectObject... objects) {
        var controller =
                new Controller(
                        221010198,
                        "Main CLU",
                        CLU,
                        Optional.of(Inet4Address.ofLiteral("10.72.144.3")),
                        "3_512",
                        "19_1",
                        List.of(objects));
        return Optional.of(
                new Project(new ProjectKey(new byte[16], new byte[16]), List.of(controller)));
    }

    private void begin(ProjectObject... objects) {
        begin(Duration.ofHours(1), objects);
    }

    private static ProjectObject object(
            String type, String name, String title, Feature... features) {
        return new ProjectObject(title, name, type, List.of(features), true, false);
    }

    private static Feature feature(int index, String name, String unit) {
        return new Feature(name, index, Optional.of(unit).filter(text -> !text.isEmpty()));
    }

    private static ProjectObject[] eight() {
        return new ProjectObject[] {
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
            object(
                    "ROLLER_SHUTTER",
                    "ROL1",
                    "Shutter",
                    feature(0, "State", ""),
                    feature(2, "Position", "")),
            object("PANELSENSTEMP", "PAN1", "Temperature", feature(0, "Value", "°C")),
            object("PANELSENSLIGHT", "PAN2", "Brightness", feature(0, "Value", "lux")),
            object("BUTTON", "DIN1", "Button"),
            object("PANEL_BUTTON", "PBU1", "Panel button"),
        };
    }

    /** The eight types of the reference, and thermostats, which it does not show. */
    private static ProjectObject[] all() {
        return Stream.concat(
                        Stream.of(eight()),
                        Stream.of(
                                object(
                                        "THERMOSTAT",
                                        "THE1",
                                        "Heating",
                                        feature(6, "State", ""),
                                        feature(12, "TargetTemp", "°C"),
                                        feature(14, "CurrentTemp", "°C"))))
                .toArray(ProjectObject[]::new);
    }

    private static String root(String name) {
        String component =
                switch (name.substring(0, 3)) {
                    case "DOU", "DIM", "LED" -> "light";
                    case "ROL" -> "cover";
                    case "THE" -> "climate";
                    case "PAN" -> "sensor";
                    default -> "event";
                };
        return ROOT.formatted(component, name);
    }

    @Test
    void configurationsOfAllTypesEqualTheExpectedFiles() throws IOException {
        begin(all());
        for (ProjectObject object : all()) {
            String topic = root(object.nameOnClu()) + "/config";
            await(topic, () -> !capture.payloads(topic).isEmpty());
            try (var expected = getClass().getResourceAsStream(object.type() + ".json")) {
                String text = new String(expected.readAllBytes(), StandardCharsets.UTF_8);
                assertEquals(
                        JSON.readTree(text),
                        JSON.readTree(capture.payloads(topic).getFirst()),
                        object.type());
            }
        }
        var later = broker.capture("homeassistant/+/+/config");
        await("retained", () -> later.lines().size() == all().length);
        assertTrue(later.lines().stream().allMatch(line -> line.startsWith("1 ")));
    }

    @Test
    void objectsThatAreRemovedInvisibleOrOfOtherTypesAreNotShown() {
        begin(
                new ProjectObject("A", "DOU1", "DOUT", List.of(), true, true),
                new ProjectObject("B", "DOU2", "DOUT", List.of(), false, false),
                object("TIMER", "TIM1", "Timer"),
                object("DOUT", "DOU3", "Lamp"));
        String topic = root("DOU3") + "/config";
        await(topic, () -> !capture.payloads(topic).isEmpty());
        assertEquals(1, capture.lines().stream().filter(line -> line.contains("/config")).count());
    }

    @Test
    void reportedValuesBecomeStatesAndOnlyChangesArePublished() throws Exception {
        begin(eight());
        remote.put("DOU1", 0, "1");
        remote.put("DIM1", 0, "0.50");
        remote.put("LED1", 3, "10");
        remote.put("LED1", 4, "20");
        remote.put("LED1", 5, "30");
        remote.put("LED1", 15, "0");
        remote.put("ROL1", 0, "0");
        remote.put("ROL1", 2, "42");
        remote.put("PAN1", 0, "21.5");
        remote.put("PAN2", 0, "1");
        report();
        report();
        remote.put("PAN1", 0, "nil");
        report();
        remote.put("PAN1", 0, "22");
        report();
        capture.awaitPayload(root("PAN1") + "/state", "22.0");
        assertEquals(List.of("21.5", "22.0"), capture.payloads(root("PAN1") + "/state"));
        assertEquals(List.of("1.0"), capture.payloads(root("PAN2") + "/state"));
        assertEquals(List.of("{\"state\":\"ON\"}"), capture.payloads(root("DOU1") + "/state"));
        assertEquals(
                List.of("{\"state\":\"ON\",\"brightness\":127}"),
                capture.payloads(root("DIM1") + "/state"));
        assertEquals(
                List.of(
                        "{\"state\":\"ON\",\"brightness\":30,\"color_mode\":\"rgbw\",\"color\":{\"r\":10,\"g\":20,\"b\":30,\"w\":0}}"),
                capture.payloads(root("LED1") + "/state"));
        assertEquals(
                List.of("{\"position\":42,\"state\":\"open\"}"),
                capture.payloads(root("ROL1") + "/state"));
        broker.capture(root("ROL1") + "/state")
                .awaitLine("1 " + root("ROL1") + "/state {\"position\":42,\"state\":\"open\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "DOU1 | {\"state\":\"ON\"} | DOU1:set(0, 1.0) | {\"state\":\"ON\"}",
                "DOU1 | {\"state\":\"OFF\"} | DOU1:set(0, 0.0) | {\"state\":\"OFF\"}",
                "DIM1 | {\"state\":\"ON\",\"brightness\":128} | DIM1:set(0, 0.501961) | {\"state\":\"ON\",\"brightness\":128}",
                "DIM1 | {\"state\":\"ON\",\"brightness\":254} | DIM1:set(0, 0.996078) | {\"state\":\"ON\",\"brightness\":254}",
                "DIM1 | {\"state\":\"ON\"} | DIM1:set(0, 1.0) | {\"state\":\"ON\",\"brightness\":255}",
                "DIM1 | {\"state\":\"OFF\"} | DIM1:set(0, 0.0) | {\"state\":\"OFF\",\"brightness\":0}",
                "LED1 | {\"state\":\"ON\",\"color\":{\"r\":1,\"g\":2,\"b\":3,\"w\":4}} | LED1:execute(3, 1.0) LED1:execute(4, 2.0) LED1:execute(5, 3.0) LED1:execute(12, 4.0) | {\"state\":\"ON\",\"brightness\":4,\"color_mode\":\"rgbw\",\"color\":{\"r\":1,\"g\":2,\"b\":3,\"w\":4}}",
                "LED1 | {\"state\":\"ON\",\"brightness\":100,\"color\":{\"r\":200,\"g\":0,\"b\":50,\"w\":0}} | LED1:execute(3, 100.0) LED1:execute(4, 0.0) LED1:execute(5, 25.0) LED1:execute(12, 0.0) | {\"state\":\"ON\",\"brightness\":100,\"color_mode\":\"rgbw\",\"color\":{\"r\":100,\"g\":0,\"b\":25,\"w\":0}}",
                "LED1 | {\"state\":\"ON\",\"brightness\":9} | LED1:execute(3, 9.0) LED1:execute(4, 9.0) LED1:execute(5, 9.0) LED1:execute(12, 9.0) | {\"state\":\"ON\",\"brightness\":9,\"color_mode\":\"rgbw\",\"color\":{\"r\":9,\"g\":9,\"b\":9,\"w\":9}}",
                "LED1 | {\"state\":\"OFF\"} | LED1:execute(3, 0.0) LED1:execute(4, 0.0) LED1:execute(5, 0.0) LED1:execute(12, 0.0) | {\"state\":\"OFF\",\"brightness\":0,\"color_mode\":\"rgbw\",\"color\":{\"r\":0,\"g\":0,\"b\":0,\"w\":0}}",
                "ROL1 | OPEN | ROL1:execute(10, 100.0) | {\"position\":100,\"state\":\"open\"}",
                "ROL1 | CLOSE | ROL1:execute(10, 0.0) | {\"position\":0,\"state\":\"closed\"}",
                "ROL1 | { \"position\": 42 } | ROL1:execute(10, 42.0) | {\"position\":42,\"state\":\"open\"}",
                "ROL1 | STOP | ROL1:execute(3) | {\"position\":55,\"state\":\"open\"}",
                "THE1 | { \"temperature\": 22.5 } | THE1:set(12, 22.5) | {\"mode\":\"heat\",\"temperature\":22.5,\"current_temperature\":19.5,\"action\":\"heating\"}",
                "THE1 | { \"mode\": \"off\" } | THE1:execute(1) | {\"mode\":\"off\",\"temperature\":21.0,\"current_temperature\":19.5,\"action\":\"off\"}",
                "THE1 | { \"mode\": \"heat\" } | THE1:execute(0) | {\"mode\":\"heat\",\"temperature\":21.0,\"current_temperature\":19.5,\"action\":\"heating\"}",
            })
    void commandIsCalledAndTheStateReadBack(String name, String payload, String calls, String state)
            throws IOException {
        remote.put("ROL1", 0, "0");
        remote.put("ROL1", 2, "55");
        remote.put("THE1", 6, "1");
        remote.put("THE1", 12, "21");
        remote.put("THE1", 14, "19.5");
        begin(all());
        broker.publish(root(name) + "/set", payload);
        capture.awaitPayload(root(name) + "/state", state);
        await(calls, () -> calls.equals(String.join(" ", remote.calls())));
    }

    @Test
    void aShutterMovesAndAThermostatRests() throws Exception {
        begin(all());
        remote.put("THE1", 6, "1");
        remote.put("THE1", 12, "21");
        remote.put("THE1", 14, "21");
        remote.put("ROL1", 2, "42");
        for (String state : List.of("1", "2")) {
            remote.put("ROL1", 0, state);
            report();
        }
        capture.awaitPayload(root("ROL1") + "/state", "{\"position\":42,\"state\":\"opening\"}");
        capture.awaitPayload(root("ROL1") + "/state", "{\"position\":42,\"state\":\"closing\"}");
        capture.awaitPayload(
                root("THE1") + "/state",
                "{\"mode\":\"heat\",\"temperature\":21.0,\"current_temperature\":21.0,\"action\":\"idle\"}");
    }

    /** A project without feature State, and a unit that Home Assistant has no class for. */
    @Test
    void aShutterThatDoesNotSayHowItMovesHasAPositionOnly() throws Exception {
        begin(
                object("ROLLER_SHUTTER", "ROL1", "Shutter", feature(2, "Position", "")),
                object("PANELSENSLIGHT", "PAN2", "Brightness", feature(0, "Value", "%")));
        remote.put("ROL1", 2, "42");
        report();
        capture.awaitPayload(root("ROL1") + "/state", "{\"position\":42}");
        String config = capture.payloads(root("ROL1") + "/config").getFirst();
        assertFalse(config.contains("state_topic"), config);
        String light = capture.payloads(root("PAN2") + "/config").getFirst();
        assertFalse(light.contains("device_class"), light);
    }

    /** Before, the thread that completed one call made the next one: the event loop. */
    @Test
    void allCallsOfACommandAreMadeOnTheMqttThread() throws Exception {
        begin(all());
        remote.hold();
        broker.publish(root("LED1") + "/set", "{\"state\":\"OFF\"}");
        for (int i = 0; i < 4; i++) {
            await("called", () -> !remote.held.isEmpty());
            onMqttThread(() -> {}); // which has called, and waits for the result
            remote.held.remove().complete(null);
        }
        assertEquals(Collections.nCopies(4, "sirocco-home-mqtt"), remote.threads());
    }

    private void onMqttThread(Runnable task) throws Exception {
        mqtt.executor().submit(task).get(30, TimeUnit.SECONDS);
    }

    /** Reports, and waits until the MQTT thread has taken it: the next one would overtake it. */
    private void report() throws Exception {
        remote.report();
        onMqttThread(() -> {});
    }

    /** Before, the first exception ended the polling of a controller, and nothing was logged. */
    @Test
    void pollingGoesOnAfterAnException() throws IOException {
        remote.put("DOU1", 0, "0");
        remote.failReads(2);
        begin(Duration.ofMillis(20), all());
        capture.awaitPayload(root("DOU1") + "/state", "{\"state\":\"OFF\"}");
        await("logged", () -> log.containing("a task has failed").size() == 2);
    }

    /** Before, the entity took no command any more. */
    @Test
    void commandsGoOnAfterAnExceptionOfAReading() throws IOException {
        begin(all());
        await("read", () -> remote.reads() == 1);
        remote.failReads(1);
        broker.publish(root("DOU1") + "/set", "{\"state\":\"ON\"}");
        await("called", () -> remote.calls().size() == 1);
        broker.publish(root("DOU1") + "/set", "{\"state\":\"OFF\"}");
        await("called again", () -> remote.calls().size() == 2);
    }

    /** Before, a script that looped over them filled the heap while the MQTT thread was busy. */
    @Test
    void whatScriptsSendIsBoundedWhileTheMqttThreadIsBusy() throws Exception {
        begin(all());
        home.addSensor("Rain", "rain", "", "", "");
        home.addSensor("Wind", "wind", "", "", "");
        var busy = new CountDownLatch(1);
        mqtt.executor().execute(() -> waitFor(busy));
        home.sensorValue("wind", "7");
        for (int i = 0; i < 5_000; i++) {
            home.sensorValue("rain", "" + i);
        }
        for (int i = 0; i < 5_000; i++) {
            home.changed(CLU + "->DOU1", Press.PRESS);
            mqtt.subscribe("a", (topic, payload) -> {}).cancel();
            home.addSensor("Rain " + i, "rain" + i, "", "", "");
        }
        int waiting = mqtt.executor().getQueue().size();
        busy.countDown();
        assertTrue(waiting <= 2_100, waiting + " tasks wait");
        capture.awaitPayload("homeassistant/sensor/rain/state", "4999");
        capture.awaitPayload("homeassistant/sensor/wind/state", "7");
        assertEquals(1, log.containing("too much at once").size());
    }

    /** Before, each report of a controller was a task. */
    @Test
    void reportsThatOvertakeEachOtherAreOneTask() throws Exception {
        begin(all());
        await("subscribed", () -> remote.subscribers() == 1);
        onMqttThread(() -> {});
        var busy = new CountDownLatch(1);
        mqtt.executor().execute(() -> waitFor(busy));
        for (int i = 1; i <= 1_000; i++) {
            remote.put("PAN1", 0, "" + i);
            remote.report();
        }
        int waiting = mqtt.executor().getQueue().size();
        busy.countDown();
        assertTrue(waiting <= 100, waiting + " tasks wait");
        capture.awaitPayload(root("PAN1") + "/state", "1000.0");
    }

    /** Before, one task could hold as many characters as a script could make. */
    @Test
    void longValuesThatWaitAreBoundedToo() throws Exception {
        begin(all());
        for (int i = 0; i < 100; i++) {
            home.addSensor("Rain", "rain" + i, "", "", "");
        }
        onMqttThread(() -> {});
        var busy = new CountDownLatch(1);
        mqtt.executor().execute(() -> waitFor(busy));
        for (int i = 0; i < 100; i++) {
            home.sensorValue("rain" + i, "x".repeat(1 << 20));
        }
        busy.countDown();
        await("dropped", () -> log.containing("too much at once").size() == 1);
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Before, the broker kept a value, and Home Assistant knew nothing of it. */
    @Test
    void aValueOfASensorThatIsNotAnnouncedIsNotPublished() throws IOException {
        begin(all());
        home.sensorValue("unknown", "1");
        home.addSensor("Rain", "rain", "", "", "");
        home.sensorValue("rain", "2");
        capture.awaitPayload("homeassistant/sensor/rain/state", "2");
        assertEquals(List.of(), capture.payloads("homeassistant/sensor/unknown/state"));
        assertEquals(1, log.containing("sensor unknown").size());
    }

    @Test
    void aCommandWithoutResponseIsLoggedWithItsReason() throws IOException {
        begin(all());
        remote.setResponds(false);
        broker.publish(root("DOU1") + "/set", "{\"state\":\"ON\"}");
        String line = root("DOU1") + "/set has failed: no response in 9 s";
        await("logged", () -> log.containing(root("DOU1") + "/set").contains(line));
    }

    @Test
    void malformedCommandsAreLoggedAndDoNothing() throws IOException {
        begin(all());
        for (String payload :
                List.of(
                        "ON",
                        "",
                        "[]",
                        "{\"state\":1}",
                        "{\"state\":\"ON\",\"brightness\":256}",
                        "{\"state\":\"ON\",\"brightness\":-1}",
                        "{\"state\":\"ON\",\"brightness\":\"9\"}",
                        "{\"state\":\"ON\",\"brightness\":1e999}",
                        "{".repeat(2_000),
                        "{\"state\":\"ON\",\"x\":\"" + "x".repeat(10_000) + "\"}")) {
            broker.publish(root("DIM1") + "/set", payload);
        }
        broker.publish(root("ROL1") + "/set", "{\"position\":101}");
        broker.publish(root("LED1") + "/set", "{\"state\":\"ON\",\"color\":{\"r\":-1}}");
        for (String payload : List.of("heat", "{\"mode\":\"cool\"}", "{\"temperature\":36}")) {
            broker.publish(root("THE1") + "/set", payload);
        }
        broker.publish(root("DOU1") + "/set", "{\"state\":\"ON\"}");
        capture.awaitPayload(root("DOU1") + "/state", "{\"state\":\"ON\"}");
        assertEquals(List.of("DOU1:set(0, 1.0)"), remote.calls());
        assertEquals(10, log.containing(root("DIM1") + "/set").size());
        assertEquals(3, log.containing(root("THE1") + "/set").size());
    }

    @Test
    void controllerThatDoesNotRespondKeepsTheOldStateAndIsOffline() throws IOException {
        remote.put("DOU1", 0, "0");
        begin(Duration.ofMillis(20), eight());
        String availability = "homeassistant/" + CLU + "/availability";
        capture.awaitPayload(root("DOU1") + "/state", "{\"state\":\"OFF\"}");
        capture.awaitPayload(availability, "online");
        capture.clear();
        remote.setResponds(false);
        broker.publish(root("DOU1") + "/set", "{\"state\":\"ON\"}");
        capture.awaitPayload(root("DOU1") + "/state", "{\"state\":\"OFF\"}");
        capture.awaitPayload(availability, "offline");
        remote.setResponds(true);
        capture.awaitPayload(availability, "online");
    }

    @Test
    void valuesAreReadWhenNoneAreReported() {
        begin(Duration.ofMillis(20), eight());
        remote.put("DOU1", 0, "1");
        capture.awaitPayload(root("DOU1") + "/state", "{\"state\":\"ON\"}");
        remote.put("DOU1", 0, "0");
        capture.awaitPayload(root("DOU1") + "/state", "{\"state\":\"OFF\"}");
    }

    @Test
    void beyondWhatAControllerMayReportValuesAreRead() {
        remote.setReportable(1);
        begin(
                Duration.ofMillis(20),
                object("DOUT", "DOU1", "Lamp", feature(0, "Value", "")),
                object("DOUT", "DOU2", "Second lamp", feature(0, "Value", "")));
        await(
                "the second is read alone",
                () -> {
                    remote.report(); // the first
                    return remote.lastRead()
                            .equals(List.of(new ControllerObjects.FeatureRef("DOU2", 0)));
                });
        remote.put("DOU1", 0, "1");
        remote.put("DOU2", 0, "1");
        capture.awaitPayload(root("DOU1") + "/state", "{\"state\":\"ON\"}");
        capture.awaitPayload(root("DOU2") + "/state", "{\"state\":\"ON\"}");
        assertEquals(1, remote.reported());
    }

    @Test
    void defect4AfterARestartOfTheBrokerCommandsActAndDiscoveryIsSentAgain() throws IOException {
        remote.put("DIM1", 0, "0.5");
        begin(eight());
        capture.awaitPayload(root("DIM1") + "/state", "{\"state\":\"ON\",\"brightness\":127}");
        for (int round = 1; round <= 3; round++) {
            broker.kill();
            await("lost", () -> !mqtt.connected());
            broker.begin(); // it has forgotten everything
            await("connected", mqtt::connected);
            var later = broker.capture("homeassistant/#");
            await(
                    "configurations",
                    () ->
                            later.lines().stream().filter(each -> each.contains("/config ")).count()
                                    == 8);
            await("state", () -> !later.payloads(root("DIM1") + "/state").isEmpty());
            later.awaitPayload("homeassistant/CLU0d123456/availability", "online");
            later.awaitPayload("homeassistant/" + CLU + "/availability", "online");
            broker.publish(
                    root("DIM1") + "/set", "{\"state\":\"ON\",\"brightness\":" + round + "}");
            later.awaitPayload(
                    root("DIM1") + "/state", "{\"state\":\"ON\",\"brightness\":" + round + "}");
        }
    }

    @Test
    void defect4ABrokerThatIsDownWhenAControllerIsAddedGetsEverythingLater() throws IOException {
        broker.kill();
        mqtt.connect(broker.settings("CLU0d123456"));
        await("failed", () -> !log.containing("still no connection").isEmpty());
        broker.begin();
        begin(eight());
        var later = broker.capture("homeassistant/+/+/config");
        await("configurations", () -> later.lines().size() >= 8);
    }

    @Test
    void startOfHomeAssistantBringsDiscoveryAgain() throws IOException {
        begin(eight());
        String topic = root("DOU1") + "/config";
        await(topic, () -> !capture.payloads(topic).isEmpty());
        broker.publish("homeassistant/status", "offline");
        broker.publish("homeassistant/status", "online");
        await(topic, () -> capture.payloads(topic).size() >= 2);
    }

    @Test
    void buttonsHaveSingleDoubleAndLongPresses() throws IOException {
        begin(eight());
        for (Press press : Press.values()) {
            home.changed(CLU + "->DIN1", press);
            home.changed(CLU + "->PBU1", press);
        }
        capture.awaitPayload(root("PBU1") + "/state", "{\"event_type\":\"long_press\"}");
        assertEquals(
                List.of(
                        "{\"event_type\":\"press\"}",
                        "{\"event_type\":\"double_press\"}",
                        "{\"event_type\":\"long_press\"}"),
                capture.payloads(root("DIN1") + "/state"));
        var later = broker.capture("homeassistant/#");
        await("retained", () -> !later.lines().isEmpty());
        assertEquals(List.of(), later.payloads(root("DIN1") + "/state"));
        home.changed("CLU9->DIN1", Press.PRESS);
        await("logged", () -> !log.containing("CLU9->DIN1 is no object").isEmpty());
    }

    @Test
    void controllerOfButtonsOnlyIsOnline() {
        begin(object("BUTTON", "DIN1", "Button"));
        capture.awaitPayload("homeassistant/" + CLU + "/availability", "online");
    }

    @Test
    void closedItLeavesTheConnectionAndControllersAreOffline() throws IOException {
        begin(eight());
        capture.awaitPayload("homeassistant/" + CLU + "/availability", "online");
        home.close();
        capture.awaitPayload("homeassistant/" + CLU + "/availability", "offline");
        capture.clear();
        broker.publish("homeassistant/status", "online");
        broker.publish(root("DOU1") + "/set", "{\"state\":\"ON\"}");
        assertTrue(mqtt.send("homeassistant/last", "1", false).join());
        capture.awaitPayload("homeassistant/last", "1");
        assertEquals(3, capture.lines().size(), () -> capture.lines().toString());
        assertEquals(List.of(), remote.calls());
    }

    @Test
    void changedReadsTheStateOfAnyOtherObject() {
        begin(eight());
        remote.put("PAN1", 0, "19.5");
        home.changed(CLU + "->PAN1", Press.PRESS);
        capture.awaitPayload(root("PAN1") + "/state", "19.5");
    }

    @Test
    void defect10ValuesOfScriptsNeedNoControllerInTheProject() throws IOException {
        begin(eight());
        home.addSensor("Rain", "rain/1", "precipitation", "mm", "{{ value }}");
        home.sensorValue("rain/1", "3");
        String root = "homeassistant/sensor/rain_1";
        capture.awaitPayload(root + "/state", "3");
        var config = JSON.readTree(capture.payloads(root + "/config").getFirst());
        assertEquals("rain_1", config.get("unique_id").asString());
        assertEquals("mm", config.get("unit_of_measurement").asString());
        assertEquals("CLU0d123456", config.get("device").get("name").asString());
        broker.awaitSubscription("CLU0d123456", root + "/set", 1);
        broker.publish(root + "/set", "4");
        await("received", () -> received.contains("rain/1 4"));
        broker.kill();
        await("lost", () -> !mqtt.connected());
        broker.begin();
        await("connected", mqtt::connected);
        var later = broker.capture(root + "/#");
        later.awaitPayload(root + "/state", "3");
        await("config", () -> !later.payloads(root + "/config").isEmpty());
    }

    @Test
    void projectOfThreeThousandObjectsIsAnnouncedWhole() throws IOException {
        ProjectObject[] objects =
                IntStream.range(0, 3_000)
                        .mapToObj(i -> object("DOUT", "DOU" + i, "Lamp " + i))
                        .toArray(ProjectObject[]::new);
        begin(objects);
        await(
                "configurations",
                () ->
                        capture.lines().stream().filter(each -> each.contains("/config ")).count()
                                >= 3_000);
        assertEquals(List.of(), log.containing("dropped"));
    }

    @Test
    void controllerThatIsAddedAgainReplacesTheFirst() throws IOException {
        begin(eight());
        await("subscribed", () -> remote.subscribers() == 1);
        var second = new FakeObjects();
        home.add(CLU, second);
        await("moved", () -> remote.subscribers() == 0 && second.subscribers() == 1);
        broker.awaitSubscription("CLU0d123456", root("DOU1") + "/set", 2);
        broker.publish(root("DOU1") + "/set", "{\"state\":\"ON\"}");
        await("called", () -> second.calls().size() == 1);
        assertEquals(List.of(), remote.calls());
        home.remove(CLU);
        await("removed", () -> second.subscribers() == 0);
        String availability = "homeassistant/" + CLU + "/availability";
        capture.awaitPayload(availability, "offline");
    }

    /** Also after a restart: the file tells what was announced. */
    @Test
    void objectsThatTheProjectHasNoMoreAreDeletedAtTheBroker() throws IOException {
        remote.put("DOU1", 0, "1");
        remote.put("DOU2", 0, "1");
        ProjectObject kept = object("DOUT", "DOU1", "Lamp", feature(0, "Value", ""));
        begin(kept, object("DOUT", "DOU2", "Removed", feature(0, "Value", "")));
        String config = root("DOU2") + "/config";
        String state = root("DOU2") + "/state";
        await(config, () -> !capture.payloads(config).isEmpty());
        capture.awaitPayload(state, "{\"state\":\"ON\"}");
        home.close();
        mqtt.disconnect();
        await("disconnected", () -> !mqtt.connected());
        begin(kept);
        await(config, () -> capture.payloads(config).getLast().isEmpty());
        await(state, () -> capture.payloads(state).getLast().isEmpty());
        Mosquitto.Capture retained = broker.capture("homeassistant/#");
        broker.publish("homeassistant/last", "1");
        retained.awaitPayload("homeassistant/last", "1");
        assertEquals(List.of(), retained.payloads(config));
        assertEquals(List.of(), retained.payloads(state));
        assertEquals(1, retained.payloads(root("DOU1") + "/config").size());
    }

    /** The project names it CLU221010198, and so do its scripts. */
    @Test
    void ownControllerIsFoundByItsSerialNumberUnderAnyName() throws IOException {
        remote.put("DOU1", 0, "1");
        home = homeAssistant("CLU_OF_THE_SCRIPT", Duration.ofMillis(20), eight());
        home.addOwn(7, new FakeObjects()); // the project has no such controller
        home.addOwn(221010198, remote);
        mqtt.connect(broker.settings("CLU_OF_THE_SCRIPT"));
        capture.awaitPayload(root("DOU1") + "/state", "{\"state\":\"ON\"}");
        assertEquals(8, home.size());
        broker.publish(root("DOU1") + "/set", "{\"state\":\"OFF\"}");
        capture.awaitPayload(root("DOU1") + "/state", "{\"state\":\"OFF\"}");
        capture.awaitPayload("homeassistant/CLU_OF_THE_SCRIPT/availability", "online");
        capture.awaitPayload("homeassistant/" + CLU + "/availability", "online");
    }

    @Test
    void ownControllerStaysOnlineWhileTheBrokerIsConnected() throws IOException {
        remote.put("DOU1", 0, "1");
        home = homeAssistant(CLU, Duration.ofMillis(20), eight());
        home.addOwn(7, new FakeObjects());
        await("logged", () -> !log.containing("no controller with the serial number 7").isEmpty());
        home.addOwn(221010198, remote);
        mqtt.connect(broker.settings(CLU));
        capture.awaitPayload(root("DOU1") + "/state", "{\"state\":\"ON\"}");
        assertEquals(8, home.size());
        String topic = root("DOU1") + "/config";
        await(topic, () -> !capture.payloads(topic).isEmpty());
        var config = JSON.readTree(capture.payloads(topic).getFirst());
        String availability = "homeassistant/" + CLU + "/availability";
        assertEquals(1, config.get("availability").size());
        assertEquals(availability, config.get("availability").get(0).get("topic").asString());
        broker.publish(root("DOU1") + "/set", "{\"state\":\"OFF\"}");
        capture.awaitPayload(root("DOU1") + "/state", "{\"state\":\"OFF\"}");
        remote.setResponds(false);
        await("does not respond", () -> !log.containing("does not respond").isEmpty());
        home.close();
        assertTrue(mqtt.send("homeassistant/last", "1", false).join());
        capture.awaitPayload("homeassistant/last", "1");
        assertEquals(List.of("online"), capture.payloads(availability));
        mqtt.close();
        capture.awaitPayload(availability, "offline");
    }

    @Test
    void controllerThatTheProjectLacksIsLogged() {
        begin(Duration.ofHours(1), "CLU9", eight());
        await("logged", () -> !log.containing("does not get CLU9").isEmpty());
    }
}
