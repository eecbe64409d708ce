// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.util.List;
import java.util.Map;

/** Writes strings, numbers, booleans, lists and maps as JSON (RFC 8259). Any thread. */
final class Json {
    private Json() {}

    static String write(Object value) {
        var out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        switch (value) {
            case null -> out.append("null");
            case String text -> string(text, out);
            case Boolean flag -> out.append(flag);
            case Number number -> {
                double known = number.doubleValue();
                out.append(Double.isFinite(known) ? number.toString() : "null");
            }
            case List<?> list -> {
                out.append('[');
                for (int i = 0; i < list.size(); i++) {
                    out.append(i == 0 ? "" : ",");
                    write(list.get(i), out);
                }
                out.append(']');
            }
            case Map<?, ?> map -> {
                out.append('{');
                boolean first = true;
                for (var entry : map.entrySet()) {
                    out.append(first ? "" : ",");
                    first = false;
                    string(String.valueOf(entry.getKey()), out);
                    out.append(':');
                    write(entry.getValue(), out);
                }
                out.append('}');
            }
            default ->
                    throw new IllegalArgumentException(
                            "Scripts take strings, numbers, booleans, lists and maps, not "
                                    + value.getClass().getName()
                                    + ".");
        }
    }

    private static void string(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                default -> {
                    if (c < ' ' || Character.isSurrogate(c)) {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
