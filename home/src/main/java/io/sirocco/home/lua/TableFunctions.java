// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static io.sirocco.home.lua.StringFunctions.function;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.TwoArgFunction;

/**
 * The functions of library {@code table} that could run long or make long strings, within the
 * limits of a task. Confined to the thread of the scripts.
 */
final class TableFunctions {
    private static final int MAX_UNPACKED = 100_000;

    private TableFunctions() {}

    /** Replaces functions of LuaJ's library. */
    static void install(LuaTable library, LimitHook limits) {
        library.set("concat", function("concat", arguments -> concat(arguments, limits)));
        LuaValue unpack = library.get("unpack");
        library.set(
                "unpack",
                function(
                        "unpack",
                        arguments -> {
                            LuaTable table = arguments.checktable(1);
                            long first = arguments.optlong(2, 1);
                            long last =
                                    arguments.arg(3).isnil()
                                            ? table.length()
                                            : arguments.checklong(3);
                            if (last - first >= MAX_UNPACKED
                                    || (last > 0 && first < -MAX_UNPACKED)) {
                                throw new LuaError("too many results to unpack");
                            }
                            limits.spend(Math.max(0, last - first));
                            return unpack.invoke(arguments);
                        }));
        for (String name : new String[] {"insert", "remove"}) {
            LuaValue moves = library.get(name);
            library.set(
                    name,
                    function(
                            name,
                            arguments -> {
                                boolean atEnd = arguments.narg() < (name.equals("insert") ? 3 : 2);
                                limits.spend(atEnd ? 1 : arguments.checktable(1).length() >> 2);
                                return moves.invoke(arguments);
                            }));
        }
        LuaValue sort = library.get("sort");
        LuaValue less =
                new TwoArgFunction() {
                    @Override
                    public LuaValue call(LuaValue left, LuaValue right) {
                        limits.spend(1);
                        return left.lt(right);
                    }
                };
        library.set(
                "sort",
                function(
                        "sort",
                        arguments ->
                                arguments.arg(2).isnil()
                                        ? sort.invoke(arguments.arg1(), less)
                                        : sort.invoke(arguments)));
    }

    private static Varargs concat(Varargs arguments, LimitHook limits) {
        LuaTable table = arguments.checktable(1);
        LuaString separator = arguments.optstring(2, LuaValue.EMPTYSTRING);
        long first = arguments.optlong(3, 1);
        long last = arguments.arg(4).isnil() ? table.length() : arguments.checklong(4);
        var result = new LuaStringBuilder(limits, "table.concat", 0);
        for (long i = first; i <= last; i++) { // once: other tasks may change it meanwhile
            LuaString part = part(table, i);
            if (i > first) {
                result.add(separator, 0, separator.length());
            }
            result.add(part, 0, part.length());
            limits.spend(2);
        }
        return result.string();
    }

    private static LuaString part(LuaTable table, long index) {
        LuaValue value = table.rawget(LuaValue.valueOf(index));
        if (!value.isstring()) {
            throw new LuaError(
                    "invalid value ("
                            + value.typename()
                            + ") at index "
                            + index
                            + " in table for 'concat'");
        }
        return value.strvalue();
    }
}
