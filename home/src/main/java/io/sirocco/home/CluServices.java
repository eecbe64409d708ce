// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.lua.LuaRuntime;
import io.sirocco.home.lua.ScriptLog;
import io.sirocco.home.mqtt.Mqtt;
import io.sirocco.home.mqtt.MqttStatus;
import io.sirocco.home.mqtt.Press;
import io.sirocco.home.object.Controller;
import io.sirocco.home.object.MqttFeatures;
import io.sirocco.home.schedule.Zones;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

/**
 * The services of the scripts that outlive a reset: the time zone, the log, and MQTT with the names
 * that they use there. Any thread.
 */
final class CluServices implements Controller, AutoCloseable {
    private static final BiConsumer<String, String> NO_COMMANDS = (id, payload) -> {};

    private final CluSettings settings;
    private final MqttService mqtt;
    private final AtomicReference<BiConsumer<String, String>> commands =
            new AtomicReference<>(NO_COMMANDS);
    private volatile LuaRuntime scripts; // set before the scripts start
    private volatile OwnObjects own; // the same
    private volatile int zone = Zones.UTC;
    private volatile String name; // that scripts give to this controller
    private Map<String, Inet4Address> declared = Map.of(); // by the scripts; of their thread

    CluServices(CluSettings settings, Identity identity, RemoteClients clients) {
        this.settings = settings;
        this.mqtt = new MqttService(settings, identity.serial(), clients, this::log);
        mqtt.onCommand((id, payload) -> commands.get().accept(id, payload));
        this.name = "CLU" + Integer.toUnsignedString(identity.serial());
    }

    void scripts(LuaRuntime scripts) {
        this.scripts = scripts;
        this.own = new OwnObjects(scripts, settings.remoteTimeout);
        mqtt.own(own);
    }

    Mqtt mqtt() {
        return mqtt.connection();
    }

    MqttStatus mqttStatus() {
        return mqtt.status();
    }

    /** Returns how many objects and values Home Assistant shows. */
    int shownObjects() {
        return mqtt.shownObjects();
    }

    ZoneId zoneId() {
        return Zones.of(zone);
    }

    // Called on the thread of the scripts

    /** Called when new scripts begin, which have declared no controller yet. */
    void begin() {
        declared = new HashMap<>();
    }

    /** Called when the scripts name this controller. */
    void named(String name) {
        this.name = name;
    }

    /** Called when the scripts declare another controller. */
    void declare(String name, Inet4Address address) {
        declared.put(name, address);
    }

    /** Called when a script has set a feature of an object that only stores. */
    void changed() {
        own.changed();
    }

    @Override
    public int state() {
        return scripts.status().code();
    }

    @Override
    public int zone() {
        return zone;
    }

    @Override
    public void setZone(int number) {
        zone = number;
    }

    @Override
    public void log(String line) {
        scripts.log().add(Level.INFO, line);
    }

    @Override
    public void log(Level level, String line) {
        scripts.log().add(level, line);
    }

    @Override
    public List<String> log() {
        return scripts.log().lines().stream().map(ScriptLog.Line::text).toList();
    }

    @Override
    public void clearLog() {
        scripts.log().clear();
    }

    @Override
    public void applyMqtt(MqttFeatures wanted) {
        mqtt.apply(wanted, name, Map.copyOf(declared));
    }

    @Override
    public boolean mqttConnected() {
        return mqtt.status().connected();
    }

    @Override
    public void onMqttCommand(BiConsumer<String, String> received) {
        commands.set(received);
    }

    @Override
    public void endMqttCommands(BiConsumer<String, String> received) {
        commands.compareAndSet(received, NO_COMMANDS);
    }

    @Override
    public void sendDiscovery(
            String name, String id, String deviceClass, String unit, String template) {
        mqtt.withHomeAssistant(home -> home.addSensor(name, id, deviceClass, unit, template));
    }

    @Override
    public void sendValue(String id, String value) {
        mqtt.withHomeAssistant(home -> home.sensorValue(id, value));
    }

    @Override
    public void objectChanged(String object, Press press) {
        mqtt.withHomeAssistant(home -> home.changed(object, press));
    }

    @Override
    public void close() {
        mqtt.close();
    }
}
