// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import io.sirocco.home.mqtt.ControllerObjects.FeatureRef;
import io.sirocco.home.project.Controller;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * A controller as a device of Home Assistant, with its objects. It reports their values; when it
 * has reported none for 60 s, they are read. Of a controller with more features than it may report,
 * the others are read every 60 s. One that does not respond is {@code offline}; for this controller
 * itself the connection to the broker says so. Used by one thread, that of MQTT.
 */
final class HassDevice {
    final Controller controller;
    final List<Entity> entities = new ArrayList<>();
    private final ControllerObjects objects;
    private final MqttConnection mqtt;
    private final BiConsumer<Level, String> log;
    private final Optional<String> availabilityTopic; // empty for this controller itself
    private final List<FeatureRef> features;
    private final int pushed; // the first features, which the controller reports
    private final List<Mqtt.Subscription> subscriptions = new ArrayList<>();
    private final AtomicReference<List<String>> latest = new AtomicReference<>(); // of the reports
    private final Future<?> poll;
    private Optional<Boolean> available = Optional.empty();
    private boolean reported;
    private boolean reading;
    private boolean closed;

    HassDevice(
            Controller controller,
            ControllerObjects objects,
            Discovery discovery,
            MqttConnection mqtt,
            BiConsumer<Level, String> log,
            Duration interval) {
        this.controller = controller;
        this.objects = objects;
        this.mqtt = mqtt;
        this.log = log;
        String own = Topics.availability(discovery.prefix(), discovery.gateway());
        this.availabilityTopic =
                Optional.of(Topics.availability(discovery.prefix(), controller.nameOnClu()))
                        .filter(topic -> !topic.equals(own));
        for (var object : controller.objects()) {
            discovery
                    .of(controller, object)
                    .ifPresent(
                            config -> {
                                DeviceType type = DeviceType.of(object).orElseThrow();
                                String root = discovery.root(type, controller, object);
                                entities.add(
                                        new Entity(config, object, type, root, objects, mqtt, log));
                            });
        }
        features = entities.stream().flatMap(entity -> entity.features.stream()).toList();
        entities.forEach(entity -> entity.listen().ifPresent(subscriptions::add));
        pushed = reportable(objects.reportable());
        if (pushed > 0) {
            subscriptions.add(objects.subscribe(features.subList(0, pushed), this::reported));
        }
        poll =
                mqtt.executor()
                        .scheduleWithFixedDelay(
                                this::poll, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns the number of features of the first entities, which are {@code limit} at most. */
    private int reportable(int limit) {
        int count = 0;
        for (Entity entity : entities) {
            if (count + entity.features.size() > limit) {
                break;
            }
            count += entity.features.size();
        }
        return count;
    }

    private void poll() {
        if (features.isEmpty()) {
            setAvailable(true); // there is nothing to ask it for
        }
        int from = reported ? pushed : 0;
        if (from < features.size() && !reading) {
            CompletableFuture<List<String>> values =
                    objects.values(features.subList(from, features.size()));
            reading = true;
            mqtt.executor()
                    .when(
                            values,
                            (texts, error) -> {
                                reading = false;
                                if (error == null) {
                                    received(texts, from, features.size());
                                } else if (!closed) {
                                    setAvailable(false);
                                }
                            });
        }
        reported = false;
    }

    /** Takes a report, on any thread. One that the next overtakes is not handled. */
    private void reported(List<String> texts) {
        if (latest.getAndSet(texts) == null) {
            mqtt.executor()
                    .execute(
                            () -> {
                                reported = true;
                                received(latest.getAndSet(null), 0, pushed);
                            });
        }
    }

    /** Takes the values of the features of some entities, from one index to another. */
    private void received(List<String> texts, int first, int last) {
        if (closed || texts.size() != last - first) {
            return;
        }
        setAvailable(true);
        int from = 0;
        for (Entity entity : entities) {
            int to = from + entity.features.size();
            if (from >= first && to <= last) {
                entity.values(texts.subList(from - first, to - first), false);
            }
            from = to;
        }
    }

    private void setAvailable(boolean now) {
        if (!available.equals(Optional.of(now))) {
            available = Optional.of(now);
            log.accept(
                    now ? Level.INFO : Level.WARNING,
                    controller.nameOnClu() + (now ? " responds" : " does not respond"));
            publish(now);
        }
    }

    private void publish(boolean now) {
        availabilityTopic.ifPresent(topic -> mqtt.publish(topic, word(now), true));
    }

    private static String word(boolean available) {
        return available ? "online" : "offline";
    }

    /**
     * Returns what Home Assistant, or a broker that has lost it all, must be sent again. Each is
     * made when it is sent: a state that has changed meanwhile is the new one.
     */
    List<Supplier<Optional<Discovery.Config>>> messages() {
        List<Supplier<Optional<Discovery.Config>>> messages = new ArrayList<>();
        availabilityTopic.ifPresent(
                topic ->
                        messages.add(
                                () ->
                                        available.map(
                                                now -> new Discovery.Config(topic, word(now)))));
        for (Entity entity : entities) {
            messages.add(() -> Optional.of(entity.config));
            messages.add(
                    () ->
                            entity.state()
                                    .map(
                                            state ->
                                                    new Discovery.Config(
                                                            entity.stateTopic(), state)));
        }
        return messages;
    }

    /** Stops updating its objects, and publishes that it is offline. */
    void remove() {
        publish(false);
        close();
    }

    /** Stops updating its objects: another takes its place. */
    void close() {
        closed = true;
        poll.cancel(false);
        subscriptions.forEach(Mqtt.Subscription::cancel);
    }
}
