// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.home.mqtt.HomeAssistant;
import io.sirocco.home.mqtt.Mqtt;
import io.sirocco.home.mqtt.MqttConnection;
import io.sirocco.home.mqtt.MqttSettings;
import io.sirocco.home.mqtt.MqttStatus;
import io.sirocco.home.object.MqttFeatures;
import io.sirocco.home.project.Project;
import io.sirocco.home.project.ProjectException;
import io.sirocco.home.project.ProjectFile;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * MQTT of a controller: the connection to its broker, and the objects of controllers in Home
 * Assistant, as the features of class 0 say. Settings are applied one after the other on a thread
 * of their own, since they read files. Any thread.
 */
final class MqttService implements AutoCloseable {
    private static final int MAX_WAITING = 1_000;

    private final CluSettings settings;
    private final int serial;
    private final RemoteClients clients;
    private final BiConsumer<Level, String> log;
    private final MqttConnection connection;
    private final ExecutorService executor =
            Executors.newSingleThreadExecutor(
                    Thread.ofVirtual().name("sirocco-home-mqtt-settings").factory());
    private final AtomicInteger waiting = new AtomicInteger(); // tasks of the executor
    private volatile OwnObjects own; // set before the scripts start
    private volatile BiConsumer<String, String> commands = (id, payload) -> {};
    private volatile HomeAssistant homeAssistant; // null while MQTT is off

    // Of the executor
    private MqttFeatures applied = MqttFeatures.OFF;
    private Map<String, Inet4Address> shown = Map.of();

    /**
     * Creates a service that is off.
     *
     * @param log receives, on any thread, the lines for the owner of the controller
     */
    MqttService(
            CluSettings settings,
            int serial,
            RemoteClients clients,
            BiConsumer<Level, String> log) {
        this.settings = settings;
        this.serial = serial;
        this.clients = clients;
        this.log = log;
        this.connection = new MqttConnection(log);
    }

    void own(OwnObjects own) {
        this.own = own;
    }

    Mqtt connection() {
        return connection;
    }

    MqttStatus status() {
        return connection.status();
    }

    /** Returns how many objects and values Home Assistant shows. */
    int shownObjects() {
        HomeAssistant current = homeAssistant;
        return current == null ? 0 : current.size();
    }

    /** Sets what receives the id of a value of a script, and a command for it. */
    void onCommand(BiConsumer<String, String> received) {
        commands = received;
    }

    /**
     * Applies settings, soon.
     *
     * @param named the name that scripts give to this controller
     * @param controllers the other ones that they declare
     */
    void apply(MqttFeatures wanted, String named, Map<String, Inet4Address> controllers) {
        execute(() -> reach(wanted, named, controllers));
    }

    private void execute(Runnable task) {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            log.accept(Level.WARNING, "MQTT: too much at once, a part is dropped");
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
    void withHomeAssistant(Consumer<HomeAssistant> task) {
        if (waiting.get() > 0) { // read before the field
            execute(() -> Optional.ofNullable(homeAssistant).ifPresent(task));
        } else {
            Optional.ofNullable(homeAssistant).ifPresent(task);
        }
    }

    // Of the executor

    private void reach(MqttFeatures wanted, String named, Map<String, Inet4Address> controllers) {
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
            connection.disconnect();
            return;
        }
        try {
            connection.connect(
                    MqttSettings.of(
                            wanted.url(),
                            named,
                            wanted.prefix(),
                            settings.directory.resolve("mqtt")));
        } catch (IllegalArgumentException e) {
            warn("MQTTUrl: " + e.getMessage());
            connection.disconnect();
            return;
        }
        var created =
                new HomeAssistant(
                        connection,
                        wanted.discovery() ? project() : Optional.empty(),
                        wanted.prefix(),
                        named,
                        settings.version,
                        (id, payload) -> commands.accept(id, payload),
                        settings.directory.resolve("mqtt/announced.txt"),
                        log);
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
        log.accept(Level.WARNING, line);
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
        connection.close();
    }
}
