// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static io.sirocco.home.lua.StringFunctions.function;

import java.lang.System.Logger.Level;
import java.util.function.LongConsumer;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * The functions of {@code SYSTEM}. Each may be called with a dot or a colon. Used by one thread,
 * that of the scripts.
 */
final class SystemFunctions {
    private static final long MAX_WAIT = 86_400_000; // milliseconds

    private final LuaTable system = new LuaTable();

    /**
     * Adds {@code SYSTEM} with its functions to the globals.
     *
     * @param init sets up the objects
     * @param loop runs a pass of the objects
     * @param wait runs tasks for a number of milliseconds
     */
    void install(
            Globals globals,
            Runnable init,
            Runnable loop,
            LongConsumer wait,
            LuaState.Registrations registrations,
            ScriptLog log) {
        set("Init", arguments -> nil(init));
        set("Loop", arguments -> nil(loop));
        set(
                "Wait",
                arguments -> {
                    double millis = arguments.checkdouble(1);
                    return nil(() -> wait.accept((long) Math.clamp(millis, 0, MAX_WAIT)));
                });
        set("clientRegister", registrations::register);
        set("clientDestroy", registrations::destroy);
        set("fetchValues", registrations::fetch);
        for (String name : new String[] {"mqttRegister", "mqttDestroy"}) {
            set(
                    name,
                    arguments -> {
                        log.add(Level.INFO, "SYSTEM:" + name + " does nothing here");
                        return LuaValue.NIL;
                    });
        }
        globals.set("SYSTEM", system);
    }

    private void set(String name, StringFunctions.Function body) {
        system.set(name, function(name, arguments -> body.call(withoutSelf(arguments))));
    }

    private Varargs withoutSelf(Varargs arguments) {
        return arguments.arg1() == system ? arguments.subargs(2) : arguments;
    }

    private static Varargs nil(Runnable body) {
        body.run();
        return LuaValue.NIL;
    }
}
