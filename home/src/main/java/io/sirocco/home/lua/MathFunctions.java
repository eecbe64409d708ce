// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static io.sirocco.home.lua.StringFunctions.function;

import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.jse.JseMathLib;

/**
 * The library {@code math} of Lua 5.2. LuaJ's {@code log} ignores a base, and it has no {@code
 * log10}. Used by one thread, that of the scripts.
 */
final class MathFunctions {
    private MathFunctions() {}

    /** Adds the library to the globals. */
    static void install(Globals globals, LimitHook limits) {
        globals.load(new JseMathLib());
        LuaTable library = globals.get("math").checktable();
        library.set("log", function("log", MathFunctions::logarithm));
        library.set(
                "log10",
                function(
                        "log10",
                        arguments -> LuaValue.valueOf(Math.log10(arguments.checkdouble(1)))));
        for (LuaValue name : library.keys()) {
            LuaValue function = library.get(name);
            if (function.isfunction()) {
                library.set(
                        name,
                        function(
                                name.tojstring(),
                                arguments -> {
                                    for (int i = 1; i <= arguments.narg(); i++) {
                                        limits.spendOnText(arguments.arg(i));
                                    }
                                    return function.invoke(arguments);
                                }));
            }
        }
    }

    private static Varargs logarithm(Varargs arguments) {
        double value = arguments.checkdouble(1);
        if (arguments.arg(2).isnil()) {
            return LuaValue.valueOf(Math.log(value));
        }
        double base = arguments.checkdouble(2);
        return LuaValue.valueOf(base == 10 ? Math.log10(value) : Math.log(value) / Math.log(base));
    }
}
