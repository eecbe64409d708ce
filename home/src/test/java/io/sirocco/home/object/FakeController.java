// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.mqtt.Press;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/** A controller that records what its object asks for. */
final class FakeController implements Controller {
    final List<String> calls = new ArrayList<>();
    final List<String> lines = new CopyOnWriteArrayList<>();
    int zone = 22;
    Runnable zoneChanged = () -> {};
    BiConsumer<String, String> received = (id, payload) -> {};
    boolean connected;

    @Override
    public int state() {
        return 1;
    }

    @Override
    public int zone() {
        return zone;
    }

    @Override
    public void setZone(int number) {
        zone = number;
        zoneChanged.run();
    }

    @Override
    public void log(String line) {
        lines.add(line);
    }

    @Override
    public void log(Level level, String line) {
        lines.add(line);
    }

    @Override
    public List<String> log() {
        return lines;
    }

    @Override
    public void clearLog() {
        lines.clear();
    }

    @Override
    public void applyMqtt(MqttFeatures settings) {
        calls.add(settings.url() + " " + settings);
    }

    @Override
    public boolean mqttConnected() {
        return connected;
    }

    @Override
    public void onMqttCommand(BiConsumer<String, String> handler) {
        received = handler;
    }

    @Override
    public void endMqttCommands(BiConsumer<String, String> handler) {
        if (received == handler) {
            received = (id, payload) -> {};
        }
    }

    @Override
    public void sendDiscovery(
            String name, String id, String deviceClass, String unit, String template) {
        calls.add(String.join("|", name, id, deviceClass, unit, template));
    }

    @Override
    public void sendValue(String id, String value) {
        calls.add(id + "=" + value);
    }

    @Override
    public void objectChanged(String name, Press press) {
        calls.add(name + " " + press.eventType());
    }
}
