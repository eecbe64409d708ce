// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.http.Headers;
import java.util.function.BiConsumer;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;

/** Headers of HTTP as tables of strings. Any thread. */
final class HttpHeaders {
    private HttpHeaders() {}

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
        return table;
    }

    /** Calls {@code action} with each header of a table; does nothing for another value. */
    static void forEach(LuaValue value, BiConsumer<String, String> action) {
        if (value instanceof LuaTable table) {
            for (LuaValue key : LuaJson.keys(table)) {
                action.accept(LuaText.text(key), LuaText.text(table.rawget(key)));
            }
        }
    }
}
