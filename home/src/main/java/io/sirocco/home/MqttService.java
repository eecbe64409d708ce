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
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * MQTT of a controller: the connection to its broker, and the objects of controllers in Home
 * Assistant, as the features of class 0 say. Settings are applied one after the other on a thread
 * of their own, since they read files. Up to {@value #MAX_WAITING} of them wait, with values of
 * scripts of up to 4 Mi characters; further ones are dropped, and the log says so. Any thread.
 */
final class MqttService implements AutoCloseable {
    private static final int MAX_WAITING = 1_000;
    private static final long MAX_CHARACTERS = 4 << 20;
    private static final int CLOSE_MILLIS = 1_000;
    private static final int TURN_MILLIS = 10_000;

    private final CluSettings settings;
    private final int serial;
    private final RemoteClients clients;
    private final BiConsumer<Level, String> log;
    private final MqttConnection connection;
    private final ExecutorService executor =
            Executors.newSingleThreadExecutor(
                    Thread.ofVirtual().name("sirocco-home-mqtt-settings").factory());
    private volatile int waiting; // tasks of the executor; locked to change, with the next two
    private long characters; // that they keep
    private boolean dropping;
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
        execute(
                0,
                () -> {
                    reach(wanted, named, controllers);
                    connection.awaitTurn(TURN_MILLIS); // or its tasks would be without a bound
                });
    }

    private void execute(long length, Runnable task) {
        if (!begin(length)) {
            return;
        }
        try {
            executor.execute(
                    () -> {
                        try {
                            MqttConnection.guarded("a change of settings", task);
                        } finally {
                            end(length);
                        }
                    });
        } catch (RejectedExecutionException e) {
            end(length); // the controller ends
        }
    }

    private boolean begin(long length) {
        synchronized (this) {
            if (waiting < MAX_WAITING && (waiting == 0 || characters + length <= MAX_CHARACTERS)) {
                waiting++;
                characters += length;
                return true;
            }
            if (dropping) {
                return false;
            }
            dropping = true;
        }
        log.accept(Level.WARNING, "MQTT: too much at once, a part is dropped");
        return false;
    }

    private synchronized void end(long length) {
        waiting--;
        characters -= length;
        dropping &= waiting > 0;
    }

    /**
     * Runs an action on Home Assistant once the waiting settings have been applied.
     *
     * @param length of the text that the action keeps, in characters
     */
    void withHomeAssistant(long length, Consumer<HomeAssistant> task) {
        if (waiting > 0) { // read before the field
            execute(length, () -> Optional.ofNullable(homeAssistant).ifPresent(task));
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
        executor.shutdown();
        try {
            executor.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS); // it may read a file
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        executor.shutdownNow();
        connection.close();
    }
}
