// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import static io.sirocco.home.lua.StringFunctions.function;

import io.sirocco.home.object.HomeObject;
import io.sirocco.home.object.ObjectContext;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.RepeatedFailures;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Supplier;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * {@code OBJECT:new} and {@code GATE:new}, and the objects that they return: tables with {@code
 * name}, {@code get}, {@code set}, {@code execute} and {@code add_event}. A failure inside an
 * object is logged and becomes an error of Lua, so that a call by a client has value nil. Used by
 * one thread, that of the scripts.
 */
final class ObjectFunctions {
    private static final LazyLogger LOG = LazyLogger.of(ObjectFunctions.class);
    private static final RepeatedFailures FAILURES = new RepeatedFailures(LOG, Level.WARNING);
    private static final int MAX_OBJECTS = 1_000;
    private static final int CLU = 0;
    private static final int REMOTE_CLU = 1;

    private final ObjectFactory factory;
    private final ObjectContext context;
    private final List<HomeObject> objects;

    ObjectFunctions(ObjectFactory factory, ObjectContext context, List<HomeObject> objects) {
        this.factory = factory;
        this.context = context;
        this.objects = objects;
    }

    void install(Globals globals) {
        globals.set("OBJECT", constructor(false));
        globals.set("GATE", constructor(true));
    }

    private LuaTable constructor(boolean gate) {
        LuaTable table = new LuaTable();
        table.set("new", function("new", arguments -> create(gate, arguments)));
        return table;
    }

    private LuaValue create(boolean gate, Varargs arguments) {
        int type = arguments.checkint(2);
        boolean addressed = !gate && (type == CLU || type == REMOTE_CLU);
        String name = arguments.checkjstring(addressed ? 4 : 3);
        if (objects.size() >= MAX_OBJECTS) {
            throw new LuaError(name + ": there are " + MAX_OBJECTS + " objects already");
        }
        HomeObject object =
                guarded(
                        name + ": new",
                        () ->
                                factory.create(type, gate, name, arguments.subargs(3), context)
                                        .orElseGet(() -> new UnknownObject(name, context)));
        synchronized (objects) {
            objects.add(object);
        }
        return table(object);
    }

    /** The table that stands for an object in scripts. */
    private static LuaTable table(HomeObject object) {
        LuaTable table = new LuaTable();
        table.set("name", object.name());
        table.set(
                "get",
                function(
                        "get",
                        arguments -> {
                            int index = arguments.checkint(2);
                            return guarded(
                                    object.name() + ":get(" + index + ")", () -> object.get(index));
                        }));
        table.set(
                "set",
                function(
                        "set",
                        arguments -> {
                            int index = arguments.checkint(2);
                            LuaValue value = arguments.arg(3);
                            return guarded(
                                    object.name() + ":set(" + index + ")",
                                    () -> {
                                        object.set(index, value);
                                        return LuaValue.NIL;
                                    });
                        }));
        table.set(
                "execute",
                function(
                        "execute",
                        arguments -> {
                            int index = arguments.checkint(2);
                            return guarded(
                                    object.name() + ":execute(" + index + ")",
                                    () -> object.execute(index, arguments.subargs(3)));
                        }));
        table.set(
                "add_event",
                function(
                        "add_event",
                        arguments -> {
                            object.addEvent(arguments.checkint(2), arguments.checkfunction(3));
                            return LuaValue.NIL;
                        }));
        return table;
    }

    private static <T> T guarded(String what, Supplier<T> call) {
        try {
            return call.get();
        } catch (LuaError e) {
            throw e;
        } catch (RuntimeException e) {
            FAILURES.log("object", what + " failed", e);
            throw new LuaError(what + " failed: " + e.getMessage());
        }
    }

    /** An object of a class that is not known. */
    private static final class UnknownObject extends HomeObject {
        UnknownObject(String name, ObjectContext context) {
            super(name, context);
        }
    }
}
