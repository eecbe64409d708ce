// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import java.util.function.Supplier;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * Base of the classes of objects that the controller knows. A script that sets a feature to
 * something wrong finds a warning in the log, and the feature unchanged: the other lines of {@code
 * OnInit} still run. A wrong argument of a method is an error of Lua. Used by one thread, that of
 * the scripts.
 */
abstract class StandardObject extends HomeObject {
    StandardObject(String name, ObjectContext context) {
        super(name, context);
    }

    /** Logs a warning about this object. */
    final void warn(String what) {
        context().scripts().warn(name() + ": " + what);
    }

    /** Logs that a script sets a feature that only the object sets. */
    final void readOnly(String feature) {
        warn("feature " + feature + " cannot be set");
    }

    /** Returns a number within bounds; {@code fallback}, with a warning, for anything else. */
    final double number(String feature, LuaValue value, double min, double max, double fallback) {
        if (value.isnumber() && value.todouble() >= min && value.todouble() <= max) {
            return value.todouble();
        }
        warn(
                "feature %s: %s is not a number from %s to %s; it stays %s"
                        .formatted(
                                feature,
                                LuaText.text(value),
                                text(min),
                                text(max),
                                text(fallback)));
        return fallback;
    }

    private static String text(double number) {
        return LuaText.text(LuaValue.valueOf(number));
    }

    /** Returns whether a value stands for yes: true, or a number except 0. */
    static boolean isOn(LuaValue value) {
        return value.isnumber() ? value.todouble() != 0 : value.toboolean();
    }

    /**
     * Runs the handlers of an event for a message of MQTT, unless too many wait. The message waits
     * as text, and is parsed when it is its turn. Any thread.
     *
     * @param before sets the features, and returns the arguments
     */
    final void deliverMessage(int event, String topic, String payload, Supplier<Varargs> before) {
        MqttInput input = context().mqttInput();
        if (!input.begin(topic, payload, context().scripts())) {
            return;
        }
        if (!deliver(event, before, failed -> input.end(topic, payload))) {
            input.end(topic, payload);
        }
    }

    /** Returns 1 or 0. */
    static LuaValue bit(boolean value) {
        return value ? LuaValue.ONE : LuaValue.ZERO;
    }

    /** Returns an integer of any size as a number of Lua. */
    static LuaValue integer(long value) {
        return LuaValue.valueOf((double) value);
    }

    /**
     * Returns an argument that must be a string or a number.
     *
     * @throws LuaError if it is something else
     */
    final String string(String method, Varargs arguments, int index) {
        LuaValue value = arguments.arg(index);
        if (!value.isstring()) {
            throw new LuaError(
                    "%s:%s: argument %d must be a string, not %s"
                            .formatted(name(), method, index, value.typename()));
        }
        return LuaText.text(value);
    }

    /**
     * Returns an argument that must be an integer within bounds.
     *
     * @throws LuaError if it is something else
     */
    final int integer(String method, Varargs arguments, int index, int min, int max) {
        LuaValue value = arguments.arg(index);
        double number = value.isnumber() ? value.todouble() : Double.NaN;
        if (!(number >= min && number <= max) || number != Math.rint(number)) {
            throw new LuaError(
                    "%s:%s: argument %d must be an integer from %d to %d, not %s"
                            .formatted(name(), method, index, min, max, LuaText.text(value)));
        }
        return (int) number;
    }
}
