// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import io.sirocco.home.mqtt.ControllerObjects.FeatureRef;
import io.sirocco.home.mqtt.DeviceType.Call;
import io.sirocco.home.project.ProjectObject;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;

/**
 * One object in Home Assistant. Commands run one after the other; after each, the state is read
 * back and published. Used by one thread, that of MQTT.
 */
final class Entity {
    private static final int MAX_COMMANDS = 32;

    final Discovery.Config config;
    final List<FeatureRef> features;
    private final ProjectObject object;
    private final DeviceType type;
    private final String root;
    private final ControllerObjects remote;
    private final MqttConnection mqtt;
    private final BiConsumer<Level, String> log;
    private final Queue<List<Call>> commands = new ArrayDeque<>();
    private boolean busy;
    private double[] values = {};
    private Optional<String> state = Optional.empty(); // the one that was published

    Entity(
            Discovery.Config config,
            ProjectObject object,
            DeviceType type,
            String root,
            ControllerObjects remote,
            MqttConnection mqtt,
            BiConsumer<Level, String> log) {
        this.config = config;
        this.object = object;
        this.type = type;
        this.root = root;
        this.remote = remote;
        this.mqtt = mqtt;
        this.log = log;
        this.features =
                type.features(object).stream()
                        .map(index -> new FeatureRef(object.nameOnClu(), index))
                        .toList();
    }

    String nameOnClu() {
        return object.nameOnClu();
    }

    String stateTopic() {
        return root + "/state";
    }

    /** Subscribes to commands, if the type takes any. */
    Optional<Mqtt.Subscription> listen() {
        return type.takesCommands()
                ? Optional.of(mqtt.listen(root + "/set", (topic, payload) -> command(payload)))
                : Optional.empty();
    }

    /** Returns the state that was published last. */
    Optional<String> state() {
        return state;
    }

    /**
     * Takes the values of its features, and publishes the state if it is another.
     *
     * @param always publishes it in any case
     */
    void values(List<String> texts, boolean always) {
        var parsed = new double[texts.size()];
        for (int i = 0; i < parsed.length; i++) {
            parsed[i] = parse(texts.get(i));
            if (Double.isNaN(parsed[i])) {
                return; // the controller does not know it yet
            }
        }
        if (parsed.length == 0) {
            return;
        }
        values = parsed;
        Optional<String> now = type.state(object, parsed);
        if (now.isPresent() && (always || !now.equals(state))) {
            state = now;
            mqtt.publish(stateTopic(), now.get(), true);
        }
    }

    private static double parse(String text) {
        try {
            double value = Double.parseDouble(text);
            return Double.isFinite(value) ? value : Double.NaN;
        } catch (NumberFormatException e) {
            return text.equals("true") ? 1 : text.equals("false") ? 0 : Double.NaN;
        }
    }

    /** Publishes that a button was pressed. It is not retained: it happens once. */
    void pressed(Press press) {
        if (type.component().equals("event")) {
            mqtt.publish(
                    stateTopic(),
                    Json.object().put("event_type", press.eventType()).toString(),
                    false);
        }
    }

    private void command(String payload) {
        if (commands.size() == MAX_COMMANDS) {
            log.accept(Level.WARNING, root + ": a command is dropped: 32 wait");
            return;
        }
        try {
            commands.add(type.command(object, payload, values));
            next();
        } catch (IllegalArgumentException e) {
            log.accept(Level.WARNING, root + "/set: " + e.getMessage());
        }
    }

    private void next() {
        if (busy || commands.isEmpty()) {
            return;
        }
        busy = true;
        CompletableFuture<?> done = CompletableFuture.completedFuture(null);
        for (Call call : commands.remove()) {
            // Not on the event loop, which has completed the call before.
            done = done.thenComposeAsync(before -> run(call), mqtt.executor());
        }
        mqtt.executor()
                .when(
                        done,
                        (result, error) -> {
                            if (error != null) {
                                log.accept(
                                        Level.WARNING, root + "/set has failed: " + reason(error));
                            }
                            readBack();
                        });
    }

    /** Returns why a call has failed, without the name of a class. */
    private static String reason(Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        return cause.getMessage() == null ? "no response in time" : cause.getMessage();
    }

    private CompletableFuture<?> run(Call call) {
        return switch (call) {
            case Call.Set set ->
                    remote.set(new FeatureRef(object.nameOnClu(), set.feature()), set.value());
            case Call.Execute execute ->
                    remote.execute(object.nameOnClu(), execute.method(), execute.arguments());
        };
    }

    private void readBack() {
        mqtt.executor()
                .when(
                        refresh(true),
                        (done, error) -> {
                            busy = false;
                            next();
                        });
    }

    /** Reads its features and publishes the state. */
    CompletableFuture<?> refresh(boolean always) {
        if (features.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.completedFuture(features)
                .thenCompose(remote::values) // its exceptions are those of the future
                .whenCompleteAsync(
                        (texts, error) -> {
                            if (error == null && texts.size() == features.size()) {
                                values(texts, always);
                            } else if (always) {
                                state.ifPresent(old -> mqtt.publish(stateTopic(), old, true));
                            }
                        },
                        mqtt.executor());
    }
}
