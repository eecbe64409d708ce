// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import io.sirocco.home.mqtt.ControllerObjects.FeatureName;
import io.sirocco.home.project.Controller;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * A controller whose objects Home Assistant shows. It reports their values; when it has reported
 * none for 60 s, they are read. One that does not respond is {@code offline}; for this controller
 * itself the connection to the broker says so. Confined to the MQTT thread.
 */
final class ShownController {
    final Controller controller;
    final List<Entity> entities = new ArrayList<>();
    private final ControllerObjects objects;
    private final MqttConnection mqtt;
    private final BiConsumer<Level, String> log;
    private final Optional<String> availabilityTopic; // empty for this controller itself
    private final List<FeatureName> features;
    private final List<Mqtt.Subscription> subscriptions = new ArrayList<>();
    private final Future<?> poll;
    private Optional<Boolean> available = Optional.empty();
    private boolean reported;
    private boolean reading;
    private boolean closed;

    ShownController(
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
        if (!features.isEmpty()) {
            subscriptions.add(
                    objects.subscribe(
                            features,
                            texts -> mqtt.executor().execute(() -> received(texts, true))));
        }
        poll =
                mqtt.executor()
                        .scheduleWithFixedDelay(
                                this::poll, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void poll() {
        if (features.isEmpty()) {
            setAvailable(true); // there is nothing to ask it for
        }
        if (!reported && !reading && !features.isEmpty()) {
            reading = true;
            objects.values(features)
                    .whenCompleteAsync(
                            (texts, error) -> {
                                reading = false;
                                if (error == null) {
                                    received(texts, false);
                                } else if (!closed) {
                                    setAvailable(false);
                                }
                            },
                            mqtt.executor());
        }
        reported = false;
    }

    private void received(List<String> texts, boolean push) {
        if (closed || texts.size() != features.size()) {
            return;
        }
        reported |= push;
        setAvailable(true);
        int from = 0;
        for (Entity entity : entities) {
            int to = from + entity.features.size();
            entity.values(texts.subList(from, to), false);
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

    /** Ends: its objects are not updated any more. */
    void remove() {
        publish(false);
        close();
    }

    /** Ends: another takes its place. */
    void close() {
        closed = true;
        poll.cancel(false);
        subscriptions.forEach(Mqtt.Subscription::cancel);
    }
}
