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
 * limits of a task. Used by one thread, that of the scripts.
 */
final class TableFunctions {
    private static final int MAX_UNPACKED = 8_000;

    private TableFunctions() {}

    /** Replaces functions of LuaJ's library. */
    static void install(LuaTable library, LimitHook limits) {
        library.set("concat", function("concat", arguments -> concat(arguments, limits)));
        library.set("unpack", function("unpack", arguments -> unpack(arguments, limits)));
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

    private static Varargs unpack(Varargs arguments, LimitHook limits) {
        LuaValue table = arguments.checktable(1);
        long first = arguments.optlong(2, 1);
        long last = arguments.arg(3).isnil() ? table.length() : arguments.checklong(3);
        if (first > last) {
            return LuaValue.NONE;
        }
        long more = last - first; // negative when it overflows
        if (more < 0 || more >= MAX_UNPACKED) {
            throw new LuaError("too many results to unpack: the limit is " + MAX_UNPACKED);
        }
        LuaValue[] values = new LuaValue[(int) more + 1];
        for (int i = 0; i < values.length; i++) {
            limits.spend(1);
            values[i] = table.get(LuaValue.valueOf(first + i));
        }
        return LuaValue.varargsOf(values);
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
