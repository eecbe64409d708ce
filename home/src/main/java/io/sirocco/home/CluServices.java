// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.lua.LuaRuntime;
import io.sirocco.home.lua.ScriptLog;
import io.sirocco.home.mqtt.HomeAssistant;
import io.sirocco.home.mqtt.Mqtt;
import io.sirocco.home.mqtt.MqttConnection;
import io.sirocco.home.mqtt.MqttSettings;
import io.sirocco.home.mqtt.MqttStatus;
import io.sirocco.home.mqtt.Press;
import io.sirocco.home.object.Controller;
import io.sirocco.home.object.MqttFeatures;
import io.sirocco.home.project.Project;
import io.sirocco.home.project.ProjectException;
import io.sirocco.home.project.ProjectFile;
import io.sirocco.home.schedule.Zones;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The services of the scripts that outlive a reset: the time zone, the log, the connection to the
 * broker, the objects of controllers in Home Assistant. Any thread.
 */
final class CluServices implements Controller, AutoCloseable {
    private static final int MAX_WAITING = 1_000;

    private final CluSettings settings;
    private final int serial;
    private final RemoteClients clients;
    private final MqttConnection mqtt = new MqttConnection(this::log);
    private final ExecutorService executor =
            Executors.newSingleThreadExecutor(
                    Thread.ofVirtual().name("sirocco-home-mqtt-settings").factory());
    private final AtomicInteger waiting = new AtomicInteger(); // tasks of the executor
    private volatile LuaRuntime scripts; // set before the scripts start
    private volatile OwnObjects own; // the same
    private volatile int zone = Zones.UTC;
    private volatile String name; // that scripts give to this controller
    private volatile BiConsumer<String, String> commands = (id, payload) -> {};
    private volatile HomeAssistant homeAssistant; // null while MQTT is off
    private Map<String, Inet4Address> declared = Map.of(); // by the scripts; of their thread

    // Of the executor
    private MqttFeatures applied = MqttFeatures.OFF;
    private Map<String, Inet4Address> shown = Map.of();

    CluServices(CluSettings settings, Identity identity, RemoteClients clients) {
        this.settings = settings;
        this.serial = identity.serial();
        this.clients = clients;
        this.name = "CLU" + Integer.toUnsignedString(identity.serial());
    }

    void scripts(LuaRuntime scripts) {
        this.scripts = scripts;
        this.own = new OwnObjects(scripts, settings.remoteTimeout);
    }

    Mqtt mqtt() {
        return mqtt;
    }

    MqttStatus mqttStatus() {
        return mqtt.status();
    }

    /** Returns how many objects and values Home Assistant shows. */
    int shownObjects() {
        HomeAssistant current = homeAssistant;
        return current == null ? 0 : current.size();
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
        Map<String, Inet4Address> controllers = Map.copyOf(declared);
        String named = name;
        execute(() -> apply(wanted, named, controllers));
    }

    private void execute(Runnable task) {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            scripts.log().add(Level.WARNING, "MQTT: too much at once, a part is dropped");
            return;
        }
        try {
            executor.execute(
                    () -> {
                        try {
                            task.run();
                        } finally {
                            waiting.decrementAndGet();
                        }
                    });
        } catch (RejectedExecutionException e) {
            // the controller ends
        }
    }

    /** Runs an action on Home Assistant once the waiting settings have been applied. */
    private void withHomeAssistant(Consumer<HomeAssistant> task) {
        if (waiting.get() > 0) { // read before the field
            execute(() -> Optional.ofNullable(homeAssistant).ifPresent(task));
        } else {
            Optional.ofNullable(homeAssistant).ifPresent(task);
        }
    }

    @Override
    public boolean mqttConnected() {
        return mqtt.connected();
    }

    @Override
    public void onMqttCommand(BiConsumer<String, String> received) {
        commands = received;
    }

    @Override
    public void sendDiscovery(
            String name, String id, String deviceClass, String unit, String template) {
        withHomeAssistant(home -> home.addSensor(name, id, deviceClass, unit, template));
    }

    @Override
    public void sendValue(String id, String value) {
        withHomeAssistant(home -> home.sensorValue(id, value));
    }

    @Override
    public void objectChanged(String object, Press press) {
        withHomeAssistant(home -> home.changed(object, press));
    }

    // Of the executor

    private void apply(MqttFeatures wanted, String named, Map<String, Inet4Address> controllers) {
        if (!wanted.equals(applied)) {
            applied = wanted;
            stopHomeAssistant();
            connect(wanted, named);
        }
        HomeAssistant current = homeAssistant;
        if (current == null || !wanted.discovery()) {
            return;
        }
        shown.keySet().stream()
                .filter(each -> !controllers.containsKey(each))
                .forEach(current::remove);
        controllers.forEach(
                (each, address) -> {
                    if (!address.equals(shown.get(each))) {
                        current.add(each, new RemoteCluObjects(clients, address));
                    }
                });
        shown = controllers;
    }

    private void connect(MqttFeatures wanted, String named) {
        if (!wanted.enabled() || wanted.url().isEmpty()) {
            mqtt.disconnect();
            return;
        }
        try {
            mqtt.connect(
                    MqttSettings.of(
                            wanted.url(),
                            named,
                            wanted.prefix(),
                            settings.directory.resolve("mqtt")));
        } catch (IllegalArgumentException e) {
            warn("MQTTUrl: " + e.getMessage());
            mqtt.disconnect();
            return;
        }
        var created =
                new HomeAssistant(
                        mqtt,
                        wanted.discovery() ? project() : Optional.empty(),
                        wanted.prefix(),
                        named,
                        settings.version,
                        (id, payload) -> commands.accept(id, payload),
                        settings.directory.resolve("mqtt/announced.txt"),
                        scripts.log()::add);
        created.addOwn(serial, own);
        homeAssistant = created;
    }

    private Optional<Project> project() {
        Path file = settings.directory.resolve("project.omp");
        if (!Files.exists(file)) {
            warn(file + " is missing: Home Assistant gets no objects");
            return Optional.empty();
        }
        try {
            return Optional.of(ProjectFile.read(file));
        } catch (ProjectException e) {
            warn("Home Assistant gets no objects: " + e.getMessage());
            return Optional.empty();
        }
    }

    private void warn(String line) {
        log(Level.WARNING, line);
    }

    private void stopHomeAssistant() {
        HomeAssistant current = homeAssistant;
        homeAssistant = null;
        shown = Map.of();
        if (current != null) {
            current.close();
        }
    }

    @Override
    public void close() {
        if (executor.isShutdown()) {
            return;
        }
        executor.execute(this::stopHomeAssistant);
        executor.close();
        mqtt.close();
    }
}
