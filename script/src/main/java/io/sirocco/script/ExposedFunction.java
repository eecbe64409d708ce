// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyExecutable;

/** A function of the program that scripts can call; values are copied both ways. Any thread. */
final class ExposedFunction {
    private static final int DEPTH = 64;

    private ExposedFunction() {}

    static ProxyExecutable of(
            Context context, ScriptOptions.Settings settings, Function<List<Object>, Object> call) {
        Value parse = context.eval("js", "JSON.parse");
        Value refuse = context.eval("js", "(message) => { throw new RangeError(message); }");
        return arguments -> {
            var list = new ArrayList<Object>(arguments.length);
            var copy = new Copy(settings, refuse);
            for (Value each : arguments) {
                list.add(copy.of(each, 0));
            }
            Object result = call.apply(list);
            return result instanceof Map || result instanceof List
                    ? parse.execute(Json.write(result))
                    : result;
        };
    }

    /** Copies the arguments of one call, as long as they are within the limits of a call. */
    private static final class Copy {
        private final long mostValues;
        private final long mostCharacters;
        private final Value refuse;
        private long values;
        private long characters;

        Copy(ScriptOptions.Settings settings, Value refuse) {
            this.mostValues = settings.mostArguments();
            this.mostCharacters = settings.longestString();
            this.refuse = refuse;
        }

        /** Returns a value of a script as Java knows it. */
        Object of(Value value, int depth) {
            if (depth > DEPTH) {
                refuse("be nested at most " + DEPTH + " deep");
            }
            if (value.isNull()) {
                return null;
            }
            if (value.isString()) {
                return counted(value.asString());
            }
            if (value.isBoolean()) {
                return value.asBoolean();
            }
            if (value.isNumber()) {
                return value.fitsInInt() ? (Object) value.asInt() : (Object) value.asDouble();
            }
            if (value.hasArrayElements()) {
                long size = value.getArraySize(); // which costs a script nothing to set
                count(size);
                var list = new ArrayList<Object>();
                for (long i = 0; i < size; i++) {
                    list.add(of(value.getArrayElement(i), depth + 1));
                }
                return list;
            }
            var keys = value.getMemberKeys();
            count(keys.size());
            var map = new HashMap<String, Object>();
            for (String key : keys) {
                map.put(counted(key), of(value.getMember(key), depth + 1));
            }
            return map;
        }

        private void count(long more) {
            values += more;
            if (values > mostValues) {
                refuse("have at most " + mostValues + " elements and properties");
            }
        }

        private String counted(String string) {
            characters += string.length();
            if (characters > mostCharacters) {
                refuse("have at most " + mostCharacters + " characters");
            }
            return string;
        }

        /** Throws a RangeError in the script. */
        private void refuse(String limit) {
            refuse.executeVoid("Arguments of a function of the program may " + limit + ".");
        }
    }
}
