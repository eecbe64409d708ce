// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import static io.sirocco.home.mqtt.Mosquitto.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a real mosquitto. */
@Tag("peers")
class MqttConnectionTest {
    private static final String AVAILABILITY = "homeassistant/CLU1/availability";

    private final CapturedLog log = new CapturedLog();
    private final MqttConnection mqtt =
            new MqttConnection(Duration.ofMillis(20), Duration.ofMillis(100), log::add);

    @AfterEach
    void close() {
        mqtt.close();
        log.close();
    }

    private void connected() {
        await("connected", mqtt::connected);
    }

    private static BiConsumer<String, String> into(List<String> list) {
        return (topic, payload) -> list.add(topic + " " + payload);
    }

    @Test
    void messagesGoBothWays() throws IOException {
        List<String> received = new CopyOnWriteArrayList<>();
        try (Mosquitto broker = Mosquitto.start()) {
            mqtt.subscribe("home/+/set", into(received));
            mqtt.connect(broker.settings("CLU1"));
            connected();
            var capture = broker.capture("home/#");
            mqtt.publish("home/a/state", "żółw", false);
            mqtt.publish("home/a/kept", "1", true);
            capture.awaitLine("0 home/a/state żółw");
            capture.awaitLine("0 home/a/kept 1");
            broker.capture("home/#").awaitLine("1 home/a/kept 1");
            broker.publish("home/b/set", "ON");
            await("received", () -> received.contains("home/b/set ON"));
        }
    }

    @Test
    void startsWhileTheBrokerIsDown() throws IOException {
        List<String> received = new CopyOnWriteArrayList<>();
        try (Mosquitto broker = Mosquitto.stopped()) {
            mqtt.connect(broker.settings("CLU1"));
            mqtt.subscribe("a", into(received));
            mqtt.publish("a", "waits", false);
            await("failed again", () -> !log.containing("still no connection").isEmpty());
            List<String> failures = log.containing("no connection to the MQTT broker tcp");
            assertEquals(
                    List.of(
                            "no connection to the MQTT broker tcp://127.0.0.1:%1$d: connection refused: nothing listens at 127.0.0.1:%1$d; start the broker, or correct host and port in MQTTUrl"
                                    .formatted(broker.port)),
                    failures);
            assertFalse(mqtt.connected());
            broker.begin();
            await("received", () -> received.contains("a waits"));
            connected();
            await("acknowledged", () -> mqtt.waiting() == 0);
        }
    }

    @Test
    void statusNamesTheBrokerAndTheProblem() throws IOException {
        try (Mosquitto broker = Mosquitto.stopped()) {
            assertEquals(new MqttStatus("", false, "", 0), mqtt.status());
            mqtt.connect(broker.settings("CLU1"));
            mqtt.publish("a", "waits", false);
            await("failed", () -> !mqtt.status().problem().isEmpty());
            assertEquals("tcp://127.0.0.1:" + broker.port, mqtt.status().broker());
            assertEquals(1, mqtt.status().waiting());
            broker.begin();
            connected();
            assertEquals("", mqtt.status().problem());
            broker.kill();
            await("lost", () -> !mqtt.status().problem().isEmpty());
            mqtt.disconnect();
            await("off", () -> mqtt.status().equals(new MqttStatus("", false, "", 0)));
        }
    }

    @Test
    void defect4AfterARestartOfTheBrokerSubscriptionsActAgainAndConnectedIsRight()
            throws IOException {
        List<String> received = new CopyOnWriteArrayList<>();
        List<Boolean> changes = new CopyOnWriteArrayList<>();
        try (Mosquitto broker = Mosquitto.start()) {
            mqtt.onConnection(changes::add);
            mqtt.connect(broker.settings("CLU1"));
            mqtt.subscribe("before", into(received));
            connected();
            mqtt.subscribe("after", into(received));
            var cancelled = mqtt.subscribe("cancelled", into(received));
            for (int round = 0; round < 3; round++) {
                broker.kill();
                await("lost", () -> !mqtt.connected());
                cancelled.cancel();
                broker.begin();
                connected();
                broker.publish("cancelled", "" + round);
                broker.publish("before", "" + round);
                broker.publish("after", "" + round);
                String last = "after " + round;
                await("received", () -> received.contains(last));
            }
        }
        assertEquals(
                List.of("before 0", "after 0", "before 1", "after 1", "before 2", "after 2"),
                received);
        await("lost", () -> changes.size() == 8);
        assertEquals(List.of(true, false, true, false, true, false, true, false), changes);
    }

    @Test
    void defect3ResetCancelsSubscriptionsOfObjectsAndKeepsTheConnection() throws IOException {
        List<String> received = new CopyOnWriteArrayList<>();
        List<Boolean> changes = new CopyOnWriteArrayList<>();
        try (Mosquitto broker = Mosquitto.start()) {
            mqtt.onConnection(changes::add);
            mqtt.connect(broker.settings("CLU1"));
            mqtt.subscribe("controller", into(received));
            var ofObject = mqtt.subscribe("object", into(received));
            connected();
            for (int reset = 0; reset < 6; reset++) {
                ofObject.cancel();
                mqtt.connect(broker.settings("CLU1")); // the script sets MQTTUrl again
                ofObject = mqtt.subscribe("object", into(received));
                broker.awaitSubscription("CLU1", "object", reset + 2);
                broker.publish("object", "" + reset);
                broker.publish("controller", "" + reset);
                String last = "controller " + reset;
                await("received", () -> received.contains(last));
            }
            assertEquals(List.of(true), changes);
            assertEquals(12, received.size(), received::toString);
        }
    }

    @Test
    void otherSettingsMoveTheConnectionWithItsSubscriptions() throws IOException {
        List<String> received = new CopyOnWriteArrayList<>();
        try (Mosquitto one = Mosquitto.start();
                Mosquitto other = Mosquitto.start()) {
            mqtt.subscribe("a", into(received));
            mqtt.connect(one.settings("CLU1"));
            connected();
            var capture = one.capture(AVAILABILITY);
            mqtt.connect(other.settings("CLU1"));
            capture.awaitPayload(AVAILABILITY, "offline");
            await(
                    "lost or moved",
                    () -> log.containing("connected to the MQTT broker").size() == 2);
            connected();
            other.publish("a", "1");
            await("received", () -> received.contains("a 1"));
        }
    }

    @Test
    void offIsOff() throws IOException {
        try (Mosquitto broker = Mosquitto.start()) {
            mqtt.publish("a", "dropped", false);
            assertEquals(0, mqtt.waiting());
            mqtt.connect(broker.settings("CLU1"));
            connected();
            var capture = broker.capture("#");
            mqtt.disconnect();
            capture.awaitLine("0 " + AVAILABILITY + " offline");
            await("off", () -> !mqtt.connected());
            assertEquals(0, mqtt.waiting());
            mqtt.connect(broker.settings("CLU1"));
            connected();
        }
    }

    @Test
    void availabilityIsRetainedAndTheLastWillSaysOffline() throws IOException {
        try (Mosquitto broker = Mosquitto.start()) {
            mqtt.connect(broker.settings("CLU1"));
            broker.capture(AVAILABILITY).awaitPayload(AVAILABILITY, "online");
            var capture = broker.capture(AVAILABILITY);
            capture.awaitLine("1 " + AVAILABILITY + " online");
            broker.publish("a", "b", "-i", "CLU1"); // the broker closes the older of two
            capture.awaitLine("0 " + AVAILABILITY + " offline");
            capture.awaitLine("0 " + AVAILABILITY + " online");
            capture.clear();
            mqtt.close();
            capture.awaitLine("0 " + AVAILABILITY + " offline");
            broker.capture(AVAILABILITY).awaitLine("1 " + AVAILABILITY + " offline");
        }
    }

    @Test
    void passwordIsRequiredAndNeverLogged() throws IOException, InterruptedException {
        String url = "tcp://clu:%s@127.0.0.1:%d";
        try (Mosquitto broker =
                Mosquitto.stopped("password_file passwords", "allow_anonymous false")) {
            var passwd =
                    new ProcessBuilder(
                                    "mosquitto_passwd", "-c", "-b", "passwords", "clu", "s3cr@t:/%")
                            .directory(broker.folder.toFile())
                            .inheritIO()
                            .start();
            assertEquals(0, passwd.waitFor());
            broker.configure(
                    "password_file " + broker.folder.resolve("passwords"), "allow_anonymous false");
            broker.begin();
            MqttSettings wrong =
                    MqttSettings.of(
                            url.formatted("hidd3n", broker.port),
                            "CLU1",
                            "homeassistant",
                            broker.folder);
            mqtt.connect(wrong);
            await("refused", () -> !log.containing("user name or password wrong").isEmpty());
            assertFalse(mqtt.connected());
            MqttSettings right =
                    MqttSettings.of(
                            url.formatted("s3cr@t:%2F%25", broker.port),
                            "CLU1",
                            "homeassistant",
                            broker.folder);
            mqtt.connect(right);
            connected();
            assertEquals(List.of(), log.containing("hidd3n"));
            assertEquals(List.of(), log.containing("s3cr@t"));
            assertFalse((wrong + " " + right).matches(".*(hidd3n|s3cr).*"), wrong + " " + right);
        }
    }

    @Test
    void theLogSaysWhatTheOwnerHasToCorrect() throws IOException {
        try (Mosquitto broker = Mosquitto.start("allow_anonymous false");
                var http = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                var closing = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            mqtt.connect(broker.settings("CLU1"));
            awaitProblem("the broker needs a user name and a password; put them into MQTTUrl");
            mqtt.connect(settings("ssl://127.0.0.1:" + broker.port));
            awaitProblem("the broker has closed the connection; if its port is not for TLS");
            mqtt.connect(settings("ssl://127.0.0.1:" + http.getLocalPort()));
            try (Socket accepted = http.accept()) {
                accepted.getInputStream().read(); // ClientHello has begun
                accepted.getOutputStream()
                        .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
                awaitProblem("no TLS at 127.0.0.1:%d; correct".formatted(http.getLocalPort()));
            }
            mqtt.connect(settings("tcp://no-such-host.invalid"));
            awaitProblem("the host name 'no-such-host.invalid' is unknown; check it in MQTTUrl");
            mqtt.connect(settings("tcp://127.0.0.1:" + closing.getLocalPort()));
            try (Socket accepted = closing.accept()) {
                accepted.getInputStream().readNBytes(14); // CONNECT has begun
            }
            awaitProblem("the broker has closed the connection; if its port is for TLS");
        }
        for (String line : log.containing("no connection to the MQTT broker ")) {
            assertFalse(line.matches(".*(Exception|Error|io\\.|java|com\\.).*"), line);
        }
    }

    private static MqttSettings settings(String url) {
        return MqttSettings.of(url, "CLU1", "homeassistant", Path.of("none"));
    }

    private void awaitProblem(String start) {
        await(() -> mqtt.status().problem().startsWith(start), () -> mqtt.status().problem());
    }

    @Test
    void tenThousandMessagesWhileTheBrokerIsDownAreBoundedAndLoggedOnce() throws IOException {
        try (Mosquitto broker = Mosquitto.stopped()) {
            mqtt.connect(broker.settings("CLU1"));
            for (int i = 0; i < 10_000; i++) {
                mqtt.publish("a", "" + i, false);
            }
            assertEquals(1_000, mqtt.waiting());
            assertEquals(1, log.containing("wait for the broker").size());
            List<String> received = new CopyOnWriteArrayList<>();
            mqtt.subscribe("a", (topic, payload) -> received.add(payload));
            broker.begin();
            await("acknowledged", () -> mqtt.waiting() == 0);
            await("received", () -> received.size() >= 1_000);
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                expected.add("" + i);
            }
            assertEquals(expected, received);
            await("logged", () -> log.containing("000 MQTT messages were dropped").size() == 1);
            assertEquals(1, log.containing("wait for the broker").size());
            assertTrue(mqtt.send("a", "more", false).join());
        }
    }

    /** Before, the broker kept an old value: the later ones were dropped. */
    @Test
    void theLastRetainedMessageOfATopicIsKeptWhenTheQueueIsFull() throws IOException {
        try (Mosquitto broker = Mosquitto.stopped()) {
            mqtt.connect(broker.settings("CLU1"));
            for (int i = 0; i < 3_000; i++) {
                mqtt.publish("a", "" + i, true);
            }
            assertEquals(1_000, mqtt.waiting());
            assertEquals(List.of(), log.containing("wait for the broker"));
            broker.begin();
            await("acknowledged", () -> mqtt.waiting() == 0);
            broker.capture("a").awaitLine("1 a 2999");
        }
    }

    @Test
    void largeMessagesThatWaitAreBoundedToo() throws IOException {
        try (Mosquitto broker = Mosquitto.stopped()) {
            mqtt.connect(broker.settings("CLU1"));
            for (int i = 0; i < 20; i++) {
                mqtt.publish("a", "x".repeat(1 << 20), false);
            }
            assertEquals(16, mqtt.waiting());
        }
    }

    @Test
    void messagesInFlightWhenTheBrokerIsKilledArriveAfterItsRestart() throws IOException {
        List<String> received = new CopyOnWriteArrayList<>();
        try (Mosquitto broker = Mosquitto.start()) {
            mqtt.subscribe("a", (topic, payload) -> received.add(payload));
            mqtt.connect(broker.settings("CLU1"));
            connected();
            for (int i = 0; i < 900; i++) {
                mqtt.publish("a", "" + i, false);
                if (i == 450) {
                    broker.kill();
                }
            }
            broker.begin();
            await("acknowledged", () -> mqtt.waiting() == 0);
            await("received", () -> received.contains("899"));
        }
    }

    @Test
    void brokerThatAcceptsAndNeverResponds() throws IOException {
        try (var silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            mqtt.connect(
                    MqttSettings.of(
                            "tcp://127.0.0.1:" + silent.getLocalPort(),
                            "CLU1",
                            "homeassistant",
                            Path.of("none")));
            try (Socket first = silent.accept();
                    Socket second = silent.accept()) { // the timeout of 4 s has ended the first
                assertTrue(first.isConnected() && second.isConnected());
                assertFalse(mqtt.connected());
                List<String> failures = log.containing("no connection to the MQTT broker tcp");
                assertEquals(1, failures.size());
                assertTrue(
                        failures.getFirst().contains("no response to CONNECT"), failures::toString);
                assertTimeoutPreemptively(Duration.ofSeconds(5), mqtt::close);
            }
        }
    }

    /** Before, it ended in an exception: there are no settings any more. */
    @Test
    void aRefusedSubscriptionAfterDisconnectIsOfNoInterest() throws Exception {
        mqtt.subscribe("a", (topic, payload) -> {});
        try (var server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            mqtt.connect(settings("tcp://127.0.0.1:" + server.getLocalPort()));
            try (Socket broker = server.accept()) {
                readPacket(broker, 0x10); // CONNECT
                broker.getOutputStream().write(new byte[] {0x20, 2, 0, 0});
                byte[] subscribe = readPacket(broker, 0x82);
                mqtt.disconnect();
                readPacket(broker, 0x33); // PUBLISH of offline, retained
                byte[] refusal = {(byte) 0x90, 3, subscribe[0], subscribe[1], (byte) 0x80};
                broker.getOutputStream().write(refusal);
                readPacket(broker, 0xe0); // DISCONNECT
            }
        }
        mqtt.executor().submit(() -> {}).get(30, TimeUnit.SECONDS);
        assertEquals(List.of(), log.containing("has failed"));
        assertEquals(List.of(), log.containing("refuses a subscription"));
    }

    /** Reads a packet of up to 127 bytes; returns what follows its length. */
    private static byte[] readPacket(Socket from, int type) throws IOException {
        from.setSoTimeout(30_000);
        assertEquals(type, from.getInputStream().read());
        return from.getInputStream().readNBytes(from.getInputStream().read());
    }

    @Test
    @Tag("heavy") // the keep alive is 10 s
    void brokerThatStopsRespondingIsLostAndFoundAgain() throws IOException, InterruptedException {
        try (Mosquitto broker = Mosquitto.start()) {
            mqtt.connect(broker.settings("CLU1"));
            connected();
            broker.signal("STOP");
            mqtt.publish("a", "1", false);
            await("lost", () -> !mqtt.connected());
            broker.signal("CONT");
            await("acknowledged", () -> mqtt.connected() && mqtt.waiting() == 0);
        }
    }

    @Test
    void closeEndsWhileTheBrokerDoesNotRespond() throws IOException, InterruptedException {
        try (Mosquitto broker = Mosquitto.start()) {
            mqtt.connect(broker.settings("CLU1"));
            connected();
            broker.signal("STOP");
            assertTimeoutPreemptively(Duration.ofSeconds(5), mqtt::close);
        }
    }

    @Test
    void connectionThatIsClosedBeforeTheBrokerAcceptsDoesNotStay()
            throws IOException, InterruptedException {
        try (Mosquitto broker = Mosquitto.start()) {
            broker.signal("STOP");
            mqtt.connect(broker.settings("CLU1"));
            await("sent", broker::hasUnread);
            mqtt.close();
            broker.signal("CONT");
            await(
                    () -> broker.log().matches("(?s).* as CLU1 .*Client CLU1 (closed|disc).*"),
                    broker::log);
        }
    }

    @Test
    void attemptsLeaveNothingBehind() throws IOException {
        try (Mosquitto broker = Mosquitto.stopped();
                var quick =
                        new MqttConnection(Duration.ofMillis(1), Duration.ofMillis(2), log::add)) {
            quick.connect(broker.settings("CLU1"));
            await("failed", () -> log.containing("still no connection").size() > 500);
            long threads =
                    Thread.getAllStackTraces().keySet().stream()
                            .filter(each -> each.getName().equals("sirocco-home-mqtt-io"))
                            .count();
            assertTrue(threads <= 10, threads + " threads");
        }
    }

    @Test
    void overlappingFiltersReceiveAMessageEach() throws IOException {
        List<String> received = new CopyOnWriteArrayList<>();
        try (Mosquitto broker = Mosquitto.start()) {
            mqtt.subscribe("a/#", (topic, payload) -> received.add("# " + payload));
            mqtt.subscribe("a/b", (topic, payload) -> received.add("b " + payload));
            mqtt.connect(broker.settings("CLU1"));
            connected();
            broker.publish("a/b", "1");
            broker.publish("a/c", "end");
            await("received", () -> received.contains("# end"));
            assertEquals(List.of("# 1", "b 1", "# end"), received);
        }
    }

    @Test
    void malformedTopicsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> mqtt.publish("", "", false));
        assertThrows(IllegalArgumentException.class, () -> mqtt.publish("a/#", "", false));
        assertThrows(IllegalArgumentException.class, () -> mqtt.subscribe("a/#/b", (a, b) -> {}));
    }

    /** Reception ended for good after an Error. */
    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, StackOverflowError.class})
    void callbackThatFailsDisturbsNoOther(Class<? extends Throwable> failure) throws IOException {
        List<String> received = new CopyOnWriteArrayList<>();
        try (Mosquitto broker = Mosquitto.start()) {
            mqtt.subscribe(
                    "a",
                    (topic, payload) -> {
                        if (failure == StackOverflowError.class) {
                            throw new StackOverflowError("on purpose");
                        }
                        throw new IllegalStateException("on purpose");
                    });
            mqtt.subscribe("a", into(received));
            mqtt.connect(broker.settings("CLU1"));
            connected();
            broker.publish("a", "1");
            broker.publish("a", "2");
            await("received", () -> received.contains("a 2"));
            assertEquals(2, log.containing("a callback for a has failed").size());
        }
    }

    /** Before, its exception vanished. */
    @Test
    void aTaskThatFailsIsLogged() {
        mqtt.executor()
                .execute(
                        () -> {
                            throw new IllegalStateException("on purpose");
                        });
        await("logged", () -> log.containing("a task has failed").size() == 1);
    }

    @Test
    void noThreadOutlivesTheProgram() throws IOException {
        try (Mosquitto broker = Mosquitto.start()) {
            mqtt.connect(broker.settings("CLU1"));
            connected();
            List<String> lasting =
                    Thread.getAllStackTraces().keySet().stream()
                            .filter(each -> !each.isDaemon())
                            .map(Thread::getName)
                            .filter(name -> name.contains("mqtt") || name.contains("Rx"))
                            .toList();
            assertEquals(List.of(), lasting);
        }
    }
}
