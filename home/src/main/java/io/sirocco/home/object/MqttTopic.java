// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.mqtt.Mqtt.Subscription;
import io.sirocco.home.mqtt.Topics;
import java.util.LinkedHashMap;
import java.util.Map;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import tools.jackson.core.JacksonException;

/**
 * Messages of MQTT, class 999.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>features</td><td>0 Topic, 1 Message: of the message that is being handled, or as a script
 *     has set them</td></tr>
 * <tr><td>methods</td><td>0 Subscribe(filter), 1 Unsubscribe(filter), 10 Publish(topic, message,
 *     retained): nil stands for the feature; returns whether it was published</td></tr>
 * <tr><td>events</td><td>0 OnInit, 1 OnMessage(topic, message)</td></tr>
 * </table>
 *
 * <p>A payload that is JSON becomes its value ({@link LuaJson}), any other a string. A message that
 * is a table is published as JSON. A message to a topic that this object itself subscribes to is
 * refused, as it could go round for ever. The features do not change while the handlers of a
 * message run. {@link MqttInput} bounds the messages that wait for the scripts. Used by one thread,
 * that of the scripts.
 */
final class MqttTopic extends StandardObject {
    private static final int TOPIC = 0;
    private static final int MESSAGE = 1;
    private static final int SUBSCRIBE = 0;
    private static final int UNSUBSCRIBE = 1;
    private static final int PUBLISH = 10;
    private static final int ON_INIT = 0;
    private static final int ON_MESSAGE = 1;
    private static final int MAX_FILTERS = 100;

    private final Map<String, Subscription> filters = new LinkedHashMap<>();
    private LuaValue topic = LuaValue.NIL;
    private LuaValue message = LuaValue.NIL;

    MqttTopic(String name, ObjectContext context) {
        super(name, context);
    }

    @Override
    public LuaValue get(int index) {
        return switch (index) {
            case TOPIC -> topic;
            case MESSAGE -> message;
            default -> super.get(index);
        };
    }

    @Override
    public void set(int index, LuaValue value) {
        switch (index) {
            case TOPIC -> topic = value;
            case MESSAGE -> message = value;
            default -> super.set(index, value);
        }
    }

    @Override
    public Varargs execute(int method, Varargs arguments) {
        switch (method) {
            case SUBSCRIBE -> subscribe(string("Subscribe", arguments, 1));
            case UNSUBSCRIBE -> {
                Subscription subscription = filters.remove(string("Unsubscribe", arguments, 1));
                if (subscription != null) {
                    subscription.cancel();
                }
            }
            case PUBLISH -> {
                return LuaValue.valueOf(publish(arguments));
            }
            default -> {
                return super.execute(method, arguments);
            }
        }
        return LuaValue.NIL;
    }

    private void subscribe(String filter) {
        if (!Topics.isFilter(filter)) {
            throw new LuaError(
                    name()
                            + ":Subscribe: \""
                            + filter
                            + "\" is no topic filter; write \"home/+/state\" or \"home/#\"");
        }
        if (filters.size() == MAX_FILTERS && !filters.containsKey(filter)) {
            throw new LuaError(name() + ":Subscribe: there are " + MAX_FILTERS + " already");
        }
        filters.computeIfAbsent(filter, key -> context().mqtt().subscribe(key, this::receive));
    }

    /** Called on a thread of the MQTT client. */
    private void receive(String from, String payload) {
        deliverMessage(
                ON_MESSAGE,
                from,
                payload,
                () -> {
                    topic = LuaText.of(from);
                    message = value(payload);
                    return LuaValue.varargsOf(topic, message);
                });
    }

    private boolean publish(Varargs arguments) {
        LuaValue to = arguments.arg(1).isnil() ? topic : arguments.arg(1);
        LuaValue content = arguments.arg(2).isnil() ? message : arguments.arg(2);
        String target = to.isnil() ? "" : LuaText.text(to);
        if (!Topics.isTopic(target)) {
            throw new LuaError(
                    name() + ":Publish: \"" + target + "\" is no topic; write \"home/lamp\"");
        }
        for (String filter : filters.keySet()) {
            if (Topics.matches(filter, target)) {
                warn(
                        "Publish: %s is refused: this object subscribes to it with %s; use another object"
                                .formatted(target, filter));
                return false;
            }
        }
        context().mqtt().publish(target, payload(content), isOn(arguments.arg(3)));
        return true;
    }

    /** Returns the value of a payload. */
    static LuaValue value(String payload) {
        if (!payload.isBlank()) {
            try {
                return LuaJson.parse(payload);
            } catch (JacksonException e) {
                // other text
            }
        }
        return LuaText.of(payload);
    }

    /**
     * Returns a value as a payload.
     *
     * @throws LuaError if it has no form in JSON
     */
    static String payload(LuaValue value) {
        if (value.isstring() || value.isboolean()) {
            return LuaText.text(value);
        }
        return value.isnil() ? "" : LuaJson.write(value);
    }

    @Override
    public void setUp() {
        fire(ON_INIT);
    }

    @Override
    public void close() {
        filters.values().forEach(Subscription::cancel);
        filters.clear();
    }
}
