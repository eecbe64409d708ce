// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

/** The state of the scripts of a controller, which is feature State of its object. Immutable. */
public enum LuaStatus {
    /** {@code MAIN.LUA} has begun, {@code checkAlive()} has not returned yet. */
    STARTING(0),
    /** {@code MAIN.LUA} runs. */
    RUNNING(1),
    /** {@code MAIN.LUA} has ended with an error, or the emergency script does not run either. */
    ERROR(2),
    /** {@code EMERGNCY.LUA} runs, because {@code MAIN.LUA} cannot. */
    EMERGENCY(4);

    private final int code;

    LuaStatus(int code) {
        this.code = code;
    }

    /** Returns the value of feature State. */
    public int code() {
        return code;
    }
}
