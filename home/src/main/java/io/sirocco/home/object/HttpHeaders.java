// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.http.Headers;
import java.util.function.BiConsumer;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.lib.TwoArgFunction;

/**
 * Headers of HTTP as tables of strings. A table that is received has the names as they were sent,
 * and finds them in any case (RFC 9110 5.1). Any thread.
 */
final class HttpHeaders {
    private static final LuaTable ANY_CASE = anyCase();

    private HttpHeaders() {}

    private static LuaTable anyCase() {
        LuaTable metatable = LuaJson.protectedMetatable("headers");
        metatable.set(
                LuaValue.INDEX,
                new TwoArgFunction() {
                    @Override
                    public LuaValue call(LuaValue headers, LuaValue name) {
                        return find(headers.checktable(), name);
                    }
                });
        return metatable;
    }

    private static LuaValue find(LuaTable headers, LuaValue name) {
        if (!(name instanceof LuaString sought)) {
            return LuaValue.NIL;
        }
        for (LuaValue key : headers.keys()) {
            if (key instanceof LuaString each
                    && each.m_length == sought.m_length
                    && LuaText.text(each).equalsIgnoreCase(LuaText.text(sought))) {
                return headers.rawget(key);
            }
        }
        return LuaValue.NIL;
    }

    /** Returns a table; values of one name are joined by commas (RFC 9110 5.3). */
    static LuaTable table(Headers headers) {
        var table = new LuaTable();
        headers.forEach(
                (name, value) -> {
                    LuaValue key = LuaText.of(name);
                    LuaValue first = table.rawget(key);
                    table.rawset(
                            key,
                            LuaText.of(first.isnil() ? value : LuaText.text(first) + ", " + value));
                });
        table.setmetatable(ANY_CASE);
        return table;
    }

    /**
     * Calls {@code action} with each header of a table, or of a string of lines {@code Name:
     * value}; does nothing for nil.
     *
     * @throws LuaError if a line has no colon
     */
    static void forEach(LuaValue value, BiConsumer<String, String> action) {
        if (value instanceof LuaString lines) {
            for (String line : LuaText.text(lines).split("\r\n|[\r\n]")) {
                int colon = line.indexOf(':');
                if (colon >= 0) {
                    action.accept(
                            line.substring(0, colon).strip(), line.substring(colon + 1).strip());
                } else if (!line.isBlank()) {
                    throw new LuaError(
                            "the header \"%s\" has no colon; write \"Name: value\""
                                    .formatted(line));
                }
            }
        }
        if (value instanceof LuaTable table) {
            for (LuaValue key : LuaJson.keys(table)) {
                action.accept(LuaText.text(key), LuaText.text(table.rawget(key)));
            }
        }
    }
}
