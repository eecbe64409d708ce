// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sirocco.home.mqtt.ControllerObjects.FeatureRef;
import io.sirocco.home.mqtt.HomeAssistant;
import io.sirocco.home.mqtt.Mosquitto;
import io.sirocco.home.mqtt.MqttConnection;
import io.sirocco.home.mqtt.MqttSettings;
import io.sirocco.home.project.Controller;
import io.sirocco.home.project.Project;
import io.sirocco.home.project.ProjectKey;
import io.sirocco.home.project.ProjectObject;
import io.sirocco.home.protocol.CipherKey;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The reports of another controller, a real one over the network. */
@Timeout(120)
class RemoteReportsTest {
    private static final FeatureRef LAMP = new FeatureRef("DOU1", 0);

    @TempDir Path directory;

    private static RemoteClients clients(CluRig rig, AtomicReference<CipherKey> key) {
        return new RemoteClients(
                rig.loops,
                CluRig.LOOPBACK,
                rig.clu.address().getPort(),
                RemoteClu.TIMEOUT,
                key::get);
    }

    private static void awaitReport(BlockingQueue<List<String>> reports, String value)
            throws InterruptedException {
        List<String> report;
        do {
            report = reports.poll(20, TimeUnit.SECONDS);
            assertTrue(report != null, "no report for 20 s");
        } while (!report.equals(List.of(value)));
    }

    private void afterANewKey(boolean told) throws Exception {
        String main = "DOU1 = OBJECT:new(4, \"DOU1\") DOU1:set(0, 1)\n" + CluRig.MAIN;
        try (var rig = new CluRig(directory, main, settings -> {})) {
            var key = new AtomicReference<>(rig.project);
            try (var clients = clients(rig, key)) {
                var objects = new RemoteCluObjects(clients, CluRig.LOOPBACK);
                var reports = new LinkedBlockingQueue<List<String>>();
                objects.subscribe(List.of(LAMP), reports::add);
                awaitReport(reports, "1");
                CipherKey next = CipherKey.random(new SecureRandom());
                try (CluClient objectManager = rig.client()) {
                    objectManager.setKey(next).get(30, TimeUnit.SECONDS);
                }
                key.set(next);
                if (told) {
                    clients.keyChanged();
                    rig.clu.evaluate("DOU1:set(0, 2)").get(30, TimeUnit.SECONDS);
                } else {
                    objects.set(LAMP, 2).get(30, TimeUnit.SECONDS);
                }
                awaitReport(reports, "2");
                assertEquals(1, rig.clu.clients().size(), "the registration before has ended");
            }
        }
    }

    /** Before, Home Assistant received no reports until the controller was started again. */
    @Test
    void afterANewProjectKeyReportsComeAgain() throws Exception {
        afterANewKey(true);
    }

    @Test
    void theNextCallRegistersAgainToo() throws Exception {
        afterANewKey(false);
    }

    /** Before, 64 registrations took the places of all other clients. */
    @Tag("peers")
    @Test
    void aControllerWithManyFeaturesKeepsItsOtherClients() throws Exception {
        int count = 1_100;
        String main =
                """
                DOU = OBJECT:new(4, "DOU")
                DOU:set(0, 1)
                for i = 1, %d do _G["D" .. i] = DOU end -- as many names as objects
                """
                                .formatted(count)
                        + CluRig.MAIN;
        List<ProjectObject> lamps =
                IntStream.rangeClosed(1, count).mapToObj(i -> lamp("D" + i)).toList();
        var controller =
                new Controller(
                        219296854,
                        "Main",
                        "CLU2",
                        Optional.of(CluRig.LOOPBACK),
                        "3_1",
                        "19_1",
                        lamps);
        var project = new Project(new ProjectKey(new byte[16], new byte[16]), List.of(controller));
        try (Mosquitto broker = Mosquitto.start();
                var rig = new CluRig(directory, main, settings -> {});
                var clients = clients(rig, new AtomicReference<>(rig.project));
                var mqtt = new MqttConnection((level, line) -> {})) {
            rig.clu
                    .evaluate("SYSTEM:clientRegister('127.0.0.1', 4344, 1, {{D1,0}})")
                    .get(30, TimeUnit.SECONDS);
            Mosquitto.Capture capture = broker.capture("homeassistant/#");
            var home =
                    new HomeAssistant(
                            mqtt,
                            Optional.of(project),
                            "homeassistant",
                            "CLU1",
                            "test",
                            (id, payload) -> {},
                            directory.resolve("announced.txt"),
                            (level, line) -> {});
            home.add("CLU2", new RemoteCluObjects(clients, CluRig.LOOPBACK));
            mqtt.connect(
                    MqttSettings.of(
                            "tcp://127.0.0.1:" + broker.port, "CLU1", "homeassistant", directory));
            // The last value is read, after the registrations.
            capture.awaitPayload("homeassistant/light/CLU2_D1100/state", "{\"state\":\"ON\"}");
            assertTrue(rig.clu.clients().stream().anyMatch(each -> each.port() == 4344));
            assertEquals(33, rig.clu.clients().size());
            home.close();
        }
    }

    private static ProjectObject lamp(String name) {
        return new ProjectObject(
                name,
                name,
                "DOUT",
                List.of(new ProjectObject.Feature("Value", 0, Optional.empty())),
                true,
                false);
    }
}
