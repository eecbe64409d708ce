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

    static ProxyExecutable of(Context context, Function<List<Object>, Object> function) {
        Value parse = context.eval("js", "JSON.parse");
        return arguments -> {
            var list = new ArrayList<Object>(arguments.length);
            for (Value each : arguments) {
                list.add(plain(each, 0));
            }
            Object result = function.apply(list);
            return result instanceof Map || result instanceof List
                    ? parse.execute(Json.write(result))
                    : result;
        };
    }

    /** Returns a value of a script as Java knows it. */
    private static Object plain(Value value, int depth) {
        if (depth > DEPTH) {
            throw new IllegalArgumentException("The value is nested too deeply.");
        }
        if (value.isNull()) {
            return null;
        }
        if (value.isString()) {
            return value.asString();
        }
        if (value.isBoolean()) {
            return value.asBoolean();
        }
        if (value.isNumber()) {
            return value.fitsInInt() ? (Object) value.asInt() : (Object) value.asDouble();
        }
        if (value.hasArrayElements()) {
            var list = new ArrayList<Object>();
            for (long i = 0; i < value.getArraySize(); i++) {
                list.add(plain(value.getArrayElement(i), depth + 1));
            }
            return list;
        }
        var map = new HashMap<String, Object>();
        for (String key : value.getMemberKeys()) {
            map.put(key, plain(value.getMember(key), depth + 1));
        }
        return map;
    }
}
