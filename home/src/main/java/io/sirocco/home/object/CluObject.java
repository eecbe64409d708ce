// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.lua.ScriptThread.Scheduled;
import io.sirocco.home.mqtt.Press;
import io.sirocco.home.schedule.Zones;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.function.BiConsumer;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * The controller itself, class 0.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>features</td><td>0 Uptime: s since start or reset; 1 Log: the last lines; 2 State: 0
 *     starting, 1 running, 2 error, 4 emergency; 5 Date yyyy-MM-dd, 6 Time HH:mm:ss, 7 Day, 8
 *     Month, 9 Year, 10 DayOfWeek (0 is Sunday), 11 Hour, 12 Minute, all by TimeZone; 13 LocalTime:
 *     s since 1970; 14 TimeZone: 0 to 22, see {@link Zones}; 20 MQTTUrl, 21 UseMQTT, 22
 *     MQTTConnection, 23 MQTTDiscovery, 24 MQTTDiscoveryPrefix, 25 MQTTMessage: the last command
 *     for a user value</td></tr>
 * <tr><td>methods</td><td>0 AddToLog(line), 1 ClearLog, 20 mqttSendDiscovery(name, id, class, unit,
 *     template), 21 mqttSendValue(id, value), 30 mqttOnValueChange("CLU-&gt;OBJ", press): press is
 *     {@code press}, {@code double_press} or {@code long_press}, the first if it is
 *     missing</td></tr>
 * <tr><td>events</td><td>0 OnInit, 13 OnTimeChange: the clock was set by 60 s or more, or the zone
 *     was; 20 OnMqttReceiveValue(id, message)</td></tr>
 * </table>
 *
 * <p>Used by one thread, that of the scripts.
 */
final class CluObject extends StandardObject {
    private static final int UPTIME = 0;
    private static final int LOG = 1;
    private static final int STATE = 2;
    private static final int DATE = 5;
    private static final int TIME = 6;
    private static final int DAY = 7;
    private static final int MONTH = 8;
    private static final int YEAR = 9;
    private static final int DAY_OF_WEEK = 10;
    private static final int HOUR = 11;
    private static final int MINUTE = 12;
    private static final int LOCAL_TIME = 13;
    private static final int TIME_ZONE = 14;
    private static final int MQTT_URL = 20;
    private static final int USE_MQTT = 21;
    private static final int MQTT_CONNECTION = 22;
    private static final int MQTT_DISCOVERY = 23;
    private static final int MQTT_DISCOVERY_PREFIX = 24;
    private static final int MQTT_MESSAGE = 25;
    private static final int ADD_TO_LOG = 0;
    private static final int CLEAR_LOG = 1;
    private static final int MQTT_SEND_DISCOVERY = 20;
    private static final int MQTT_SEND_VALUE = 21;
    private static final int MQTT_ON_VALUE_CHANGE = 30;
    private static final int ON_INIT = 0;
    private static final int ON_TIME_CHANGE = 13;
    private static final int ON_MQTT_RECEIVE_VALUE = 20;
    private static final Duration SAMPLE = Duration.ofSeconds(1);
    private static final Duration BUSY = Duration.ofMillis(100); // the scripts are tried again
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");

    private final Controller controller;
    private final Runnable restore; // of stored variables: OnInit must find them
    private final long began;
    private final ClockWatch watch;
    private boolean ready; // setUp has run
    private boolean initializing; // OnInit has not ended
    private boolean changed; // MQTT: a task is about to apply it
    private String url = MqttFeatures.OFF.url();
    private boolean useMqtt;
    private boolean discovery;
    private String prefix = MqttFeatures.OFF.prefix();
    private LuaValue message = LuaValue.NIL;
    private final BiConsumer<String, String> commands = this::receive;
    private Scheduled timer = () -> {};
    private Scheduled retry = () -> {};

    CluObject(String name, ObjectContext context, Controller controller, Runnable restore) {
        super(name, context);
        this.controller = controller;
        this.restore = restore;
        this.began = context.scripts().nanoTime();
        this.watch = new ClockWatch(context);
    }

    @Override
    public LuaValue get(int index) {
        ZonedDateTime now = context().scripts().clock().instant().atZone(context().zone().get());
        return switch (index) {
            case UPTIME -> integer((context().scripts().nanoTime() - began) / 1_000_000_000);
            case LOG -> LuaText.of(String.join("\n", controller.log()));
            case STATE -> LuaValue.valueOf(controller.state());
            case DATE -> LuaValue.valueOf(now.toLocalDate().toString());
            case TIME -> LuaValue.valueOf(CLOCK.format(now));
            case DAY -> LuaValue.valueOf(now.getDayOfMonth());
            case MONTH -> LuaValue.valueOf(now.getMonthValue());
            case YEAR -> LuaValue.valueOf(now.getYear());
            case DAY_OF_WEEK -> LuaValue.valueOf(now.getDayOfWeek().getValue() % 7);
            case HOUR -> LuaValue.valueOf(now.getHour());
            case MINUTE -> LuaValue.valueOf(now.getMinute());
            case LOCAL_TIME -> integer(now.toEpochSecond());
            case TIME_ZONE -> LuaValue.valueOf(controller.zone());
            case MQTT_URL -> LuaText.of(url);
            case USE_MQTT -> LuaValue.valueOf(useMqtt);
            case MQTT_CONNECTION -> LuaValue.valueOf(controller.mqttConnected());
            case MQTT_DISCOVERY -> LuaValue.valueOf(discovery);
            case MQTT_DISCOVERY_PREFIX -> LuaText.of(prefix);
            case MQTT_MESSAGE -> message;
            default -> super.get(index);
        };
    }

    @Override
    public void set(int index, LuaValue value) {
        switch (index) {
            case TIME_ZONE -> {
                controller.setZone(
                        (int) number("TimeZone", value, 0, Zones.UTC, controller.zone()));
                checkTime();
            }
            case MQTT_URL -> url = LuaText.text(value);
            case USE_MQTT -> useMqtt = isOn(value);
            case MQTT_DISCOVERY -> discovery = isOn(value);
            case MQTT_DISCOVERY_PREFIX -> prefix = LuaText.text(value);
            case UPTIME,
                    LOG,
                    STATE,
                    DATE,
                    TIME,
                    DAY,
                    MONTH,
                    YEAR,
                    DAY_OF_WEEK,
                    HOUR,
                    MINUTE,
                    LOCAL_TIME,
                    MQTT_CONNECTION,
                    MQTT_MESSAGE ->
                    readOnly(Integer.toString(index));
            default -> super.set(index, value);
        }
        if (ready && index >= MQTT_URL && index <= MQTT_DISCOVERY_PREFIX) {
            mqttChanged();
        }
    }

    /** Applies the features when the script that sets them ends or waits: it sets several. */
    private void mqttChanged() {
        if (!changed) {
            changed = context().scripts().execute(name() + " MQTT", this::applyMqtt);
        }
    }

    /** Until OnInit has set the features, they do not switch off what an earlier start has. */
    private void applyMqtt() {
        changed = false;
        if (!initializing || useMqtt && !url.isEmpty()) {
            controller.applyMqtt(new MqttFeatures(url, useMqtt, discovery, prefix));
        }
    }

    @Override
    public Varargs execute(int method, Varargs arguments) {
        if (changed) {
            applyMqtt(); // the value that follows is for the broker that has just been set
        }
        switch (method) {
            case ADD_TO_LOG -> controller.log(LuaText.text(arguments.arg1()));
            case CLEAR_LOG -> controller.clearLog();
            case MQTT_SEND_DISCOVERY ->
                    controller.sendDiscovery(
                            string("mqttSendDiscovery", arguments, 1),
                            string("mqttSendDiscovery", arguments, 2),
                            optional(arguments, 3),
                            optional(arguments, 4),
                            optional(arguments, 5));
            case MQTT_SEND_VALUE ->
                    controller.sendValue(
                            string("mqttSendValue", arguments, 1),
                            MqttTopic.payload(arguments.arg(2)));
            case MQTT_ON_VALUE_CHANGE -> {
                String object = string("mqttOnValueChange", arguments, 1);
                controller.objectChanged(object, press(arguments.arg(2)));
            }
            default -> {
                return super.execute(method, arguments);
            }
        }
        return LuaValue.NIL;
    }

    private static String optional(Varargs arguments, int index) {
        return arguments.arg(index).isnil() ? "" : LuaText.text(arguments.arg(index));
    }

    private Press press(LuaValue word) {
        if (word.isnil()) {
            return Press.PRESS;
        }
        for (Press press : Press.values()) {
            if (press.eventType().equals(LuaText.text(word))) {
                return press;
            }
        }
        throw new LuaError(
                "%s:mqttOnValueChange: argument 2 must be press, double_press or long_press, not %s"
                        .formatted(name(), LuaText.text(word)));
    }

    @Override
    public void setUp() {
        restore.run();
        ready = true;
        initializing = true;
        controller.onMqttCommand(commands);
        mqttChanged();
        watch.change();
        sample();
        init();
    }

    /** Fires OnInit; tries again while too many tasks wait, since MQTT waits for its end. */
    private void init() {
        if (!deliver(ON_INIT, () -> {}, failed -> initialized())) {
            retry = context().scripts().schedule(name() + " OnInit", BUSY, this::init);
        }
    }

    private void initialized() {
        initializing = false;
        mqttChanged();
    }

    private void receive(String id, String payload) {
        LuaValue text = LuaText.of(payload);
        deliver(ON_MQTT_RECEIVE_VALUE, () -> message = text, failed -> {}, LuaText.of(id), text);
    }

    private void sample() {
        timer = context().scripts().schedule(name() + " clock", SAMPLE, this::checkAndSample);
    }

    private void checkAndSample() {
        sample();
        checkTime();
    }

    private void checkTime() {
        if (watch.change().any() && ready) {
            fire(ON_TIME_CHANGE);
        }
    }

    @Override
    public void close() {
        timer.cancel();
        retry.cancel();
        ready = false;
        controller.endMqttCommands(commands);
    }
}
