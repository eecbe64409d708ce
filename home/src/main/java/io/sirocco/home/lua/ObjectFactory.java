// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import io.sirocco.home.object.HomeObject;
import io.sirocco.home.object.ObjectContext;
import java.util.Optional;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/** Creates the objects of a controller for its scripts. Used by one thread, that of the scripts. */
public interface ObjectFactory {
    /**
     * Returns the services for the objects of a new state.
     *
     * @param scripts the thread as this state sees it: it refuses tasks once the state has ended
     * @param globals the global variables of the state
     */
    ObjectContext context(ScriptThread scripts, LuaValue globals);

    /**
     * Creates an object.
     *
     * @param type the number of its class
     * @param gate whether a script calls {@code GATE:new}, not {@code OBJECT:new}
     * @param name its name
     * @param arguments what follows the number of the class: the name, or address and name
     * @return empty for an unknown class: the caller then creates an object that only stores
     *     features
     * @throws org.luaj.vm2.LuaError if an argument is wrong
     */
    Optional<HomeObject> create(
            int type, boolean gate, String name, Varargs arguments, ObjectContext context);
}
