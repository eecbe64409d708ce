// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import io.sirocco.home.project.Controller;
import io.sirocco.home.project.Project;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The objects of controllers, and values of scripts, in Home Assistant. All that it has to know is
 * sent when a controller is added, at each connection to the broker, and when Home Assistant
 * starts. Any thread.
 */
public final class HomeAssistant implements AutoCloseable {
    private static final String DEFAULT_STATUS = "homeassistant/status";
    private static final int MESSAGES_AT_ONCE = 100;
    private static final int MAX_SENSORS = 1_000;
    private static final long RETRY_SECONDS = 5;

    private final MqttConnection mqtt;
    private final Optional<Project> project;
    private final Discovery discovery;
    private final BiConsumer<String, String> received;
    private final Duration pollInterval;
    private final BiConsumer<Level, String> log;

    // Confined to the MQTT thread.
    private final List<Mqtt.Subscription> subscriptions = new ArrayList<>();
    private final Map<String, HassDevice> controllers = new LinkedHashMap<>();
    private final Map<String, Sensor> sensors = new LinkedHashMap<>();
    private final AnnouncedTopics announced;
    private long announcement;
    private boolean closed;
    private volatile int size; // set on the MQTT thread

    private record Sensor(
            Discovery.Config config, Optional<String> value, Mqtt.Subscription commands) {}

    /**
     * Creates one without controllers.
     *
     * @param project the project, if the controller has one
     * @param prefix the prefix of all topics, usually {@code homeassistant}
     * @param gateway the name of this controller
     * @param version the version of this program
     * @param received is called, on the MQTT thread, with the id of a value of a script and the
     *     payload that is sent to it
     * @param announced a file that it keeps: the topics of what it has announced
     * @param log receives, on the MQTT thread, the lines for the owner of the controller
     */
    public HomeAssistant(
            MqttConnection mqtt,
            Optional<Project> project,
            String prefix,
            String gateway,
            String version,
            BiConsumer<String, String> received,
            Path announced,
            BiConsumer<Level, String> log) {
        this(
                mqtt,
                project,
                prefix,
                gateway,
                version,
                received,
                announced,
                log,
                Duration.ofSeconds(60));
    }

    HomeAssistant(
            MqttConnection mqtt,
            Optional<Project> project,
            String prefix,
            String gateway,
            String version,
            BiConsumer<String, String> received,
            Path announced,
            BiConsumer<Level, String> log,
            Duration pollInterval) {
        this.mqtt = mqtt;
        this.project = project;
        this.discovery = new Discovery(prefix, gateway, version);
        this.received = received;
        this.pollInterval = pollInterval;
        this.log = log;
        this.announced = new AnnouncedTopics(announced, log);
        run(this::start);
    }

    private void run(Runnable task) {
        mqtt.executor().execute(() -> runUnlessClosed(task));
    }

    private void runUnlessClosed(Runnable task) {
        if (!closed) {
            task.run();
        }
    }

    private void start() {
        subscriptions.add(
                mqtt.onConnection(
                        connected -> {
                            if (connected) {
                                deleteRemoved();
                                announce();
                            }
                        }));
        Set<String> topics =
                new LinkedHashSet<>(List.of(DEFAULT_STATUS, discovery.prefix() + "/status"));
        for (String topic : topics) {
            subscriptions.add(
                    mqtt.listen(
                            topic,
                            (name, payload) -> {
                                if (payload.equals("online")) {
                                    announce();
                                }
                            }));
        }
    }

    /**
     * Adds a controller of the project; one that was added before under this name is replaced.
     *
     * @param nameOnClu the name in scripts
     */
    public void add(String nameOnClu, ControllerObjects objects) {
        run(
                () ->
                        ofProject(nameOnClu)
                                .ifPresentOrElse(
                                        controller -> add(controller, objects),
                                        () ->
                                                log.accept(
                                                        Level.WARNING,
                                                        "Home Assistant does not get "
                                                                + nameOnClu
                                                                + ": project.omp has no such controller")));
    }

    /** Adds this controller, if the project has objects of it. */
    public void addOwn(int serial, ControllerObjects objects) {
        run(
                () ->
                        ofProject(controller -> (int) controller.serial() == serial)
                                .ifPresentOrElse(
                                        controller -> add(controller, objects),
                                        () -> ownIsMissing(serial)));
    }

    private void ownIsMissing(int serial) {
        if (project.isPresent()) {
            log.accept(
                    Level.INFO,
                    "Home Assistant does not get the objects of this controller: project.omp has no"
                            + " controller with the serial number "
                            + Integer.toUnsignedString(serial));
        }
    }

    private Optional<Controller> ofProject(String nameOnClu) {
        return ofProject(controller -> controller.nameOnClu().equals(nameOnClu));
    }

    private Optional<Controller> ofProject(Predicate<Controller> wanted) {
        return project.stream()
                .flatMap(each -> each.controllers().stream())
                .filter(wanted)
                .findFirst();
    }

    /** Returns how many objects and values Home Assistant shows. */
    public int size() {
        return size;
    }

    private void count() {
        size =
                sensors.size()
                        + controllers.values().stream()
                                .mapToInt(controller -> controller.entities.size())
                                .sum();
    }

    private void add(Controller controller, ControllerObjects objects) {
        Optional.ofNullable(controllers.remove(controller.nameOnClu()))
                .ifPresent(HassDevice::close);
        var device = new HassDevice(controller, objects, discovery, mqtt, log, pollInterval);
        controllers.put(controller.nameOnClu(), device);
        announced.add(device.entities.stream().map(entity -> entity.config.topic()).toList());
        count();
        announce();
    }

    /** Removes a controller: its objects are unavailable in Home Assistant. */
    public void remove(String nameOnClu) {
        run(
                () -> {
                    Optional.ofNullable(controllers.remove(nameOnClu))
                            .ifPresent(HassDevice::remove);
                    count();
                });
    }

    /**
     * Sends that a button was pressed; of any other object the state is read and sent.
     *
     * @param name CLU and object as scripts write them, for example {@code CLU221010198->DIN1}
     */
    public void changed(String name, Press press) {
        with(
                name,
                entity -> {
                    entity.pressed(press);
                    entity.refresh(false);
                });
    }

    private void with(String name, Consumer<Entity> action) {
        int arrow = name.indexOf("->");
        String clu = arrow < 0 ? "" : name.substring(0, arrow);
        String object = name.substring(arrow < 0 ? 0 : arrow + 2);
        offer(
                "",
                name.length(),
                () ->
                        Optional.ofNullable(controllers.get(clu)).stream()
                                .flatMap(each -> each.entities.stream())
                                .filter(entity -> entity.nameOnClu().equals(object))
                                .findFirst()
                                .ifPresentOrElse(
                                        action,
                                        () ->
                                                log.accept(
                                                        Level.WARNING,
                                                        name
                                                                + " is no object of a controller that Home Assistant shows")));
    }

    /** Runs what a script asks for, unless too much waits: see {@link MqttThread#offer}. */
    private void offer(String key, long length, Runnable task) {
        mqtt.executor().offer(key, length, () -> runUnlessClosed(task));
    }

    /** Adds a value that a script publishes; a text may be empty. */
    public void addSensor(
            String name, String id, String deviceClass, String unit, String template) {
        var sensor = new Discovery.UserSensor(name, id, deviceClass, unit, template);
        offer(
                "",
                Stream.of(name, id, deviceClass, unit, template).mapToInt(String::length).sum(),
                () -> {
                    Sensor old = sensors.get(id);
                    if (old == null && sensors.size() == MAX_SENSORS) {
                        log.accept(
                                Level.WARNING, "sensor " + id + " is not added: there are 1,000");
                        return;
                    }
                    Discovery.Config config =
                            discovery.sensor(sensor, ofProject(discovery.gateway()));
                    Mqtt.Subscription commands =
                            old != null
                                    ? old.commands
                                    : mqtt.listen(
                                            discovery.sensorRoot(id) + "/set",
                                            (topic, payload) -> received.accept(id, payload));
                    sensors.put(
                            id,
                            new Sensor(
                                    config, old == null ? Optional.empty() : old.value, commands));
                    count();
                    mqtt.publish(config.topic(), config.payload(), true);
                });
    }

    /**
     * Publishes a value of a script, whose sensor has been added. While too much waits for the MQTT
     * thread, a value takes the place of an older one of its sensor.
     */
    public void sensorValue(String id, String value) {
        offer(id, id.length() + value.length(), () -> publishValue(id, value));
    }

    private void publishValue(String id, String value) {
        Sensor sensor = sensors.get(id);
        if (sensor == null) {
            log.accept(
                    Level.WARNING,
                    "the value of sensor " + id + " is not sent: call mqttSendDiscovery first");
            return;
        }
        sensors.put(id, new Sensor(sensor.config, Optional.of(value), sensor.commands));
        mqtt.publish(discovery.sensorRoot(id) + "/state", value, true);
    }

    /** Deletes at the broker what was announced and is not in the project any more. */
    private void deleteRemoved() {
        if (project.isEmpty()) {
            return; // it may be back soon
        }
        Set<String> inProject =
                project.get().controllers().stream()
                        .flatMap(
                                each ->
                                        each.objects().stream()
                                                .flatMap(
                                                        object ->
                                                                discovery
                                                                        .of(each, object)
                                                                        .stream()))
                        .map(Discovery.Config::topic)
                        .collect(Collectors.toSet());
        List<String> removed =
                announced.without(inProject).stream().limit(MESSAGES_AT_ONCE).toList();
        if (removed.isEmpty()) {
            return;
        }
        List<CompletableFuture<Boolean>> sent =
                removed.stream()
                        .flatMap(topic -> Stream.of(AnnouncedTopics.state(topic), topic))
                        .map(topic -> mqtt.send(topic, "", true))
                        .toList();
        mqtt.executor()
                .when(
                        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)),
                        (done, none) -> {
                            if (sent.stream().allMatch(CompletableFuture::join)) {
                                announced.remove(removed);
                                deleteRemoved(); // the next ones
                            }
                        });
    }

    /** Sends everything: a hundred messages, and when the broker has them the next hundred. */
    private void announce() {
        List<Supplier<Optional<Discovery.Config>>> messages = new ArrayList<>();
        controllers.values().forEach(each -> messages.addAll(each.messages()));
        for (String id : sensors.keySet()) {
            String topic = discovery.sensorRoot(id) + "/state";
            messages.add(() -> Optional.of(sensors.get(id).config));
            messages.add(
                    () -> sensors.get(id).value.map(value -> new Discovery.Config(topic, value)));
        }
        announce(++announcement, messages);
    }

    private void announce(long number, List<Supplier<Optional<Discovery.Config>>> messages) {
        if (number != announcement || closed || messages.isEmpty() || !mqtt.connected()) {
            return; // a newer one is under way, or follows at the next connection
        }
        int count = Math.min(MESSAGES_AT_ONCE, messages.size());
        List<CompletableFuture<Boolean>> sent =
                messages.subList(0, count).stream()
                        .flatMap(each -> each.get().stream())
                        .map(each -> mqtt.send(each.topic(), each.payload(), true))
                        .toList();
        var rest = messages.subList(count, messages.size());
        mqtt.executor()
                .when(
                        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)),
                        (done, none) -> {
                            if (sent.stream().allMatch(CompletableFuture::join)) {
                                announce(number, rest);
                            } else {
                                mqtt.executor()
                                        .schedule(
                                                () -> {
                                                    if (number == announcement) {
                                                        announce();
                                                    }
                                                },
                                                RETRY_SECONDS,
                                                TimeUnit.SECONDS);
                            }
                        });
    }

    /** Ends its subscriptions; the connection stays. */
    @Override
    public void close() {
        run(
                () -> {
                    closed = true;
                    subscriptions.forEach(Mqtt.Subscription::cancel);
                    controllers.values().forEach(HassDevice::remove);
                    sensors.values().forEach(sensor -> sensor.commands.cancel());
                });
    }
}
