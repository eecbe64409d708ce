// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

/**
 * Ends a task that has exceeded a limit, or all tasks of a state that is discarded. It is an {@link
 * Error} because {@code pcall} of LuaJ catches every exception. Immutable.
 */
final class ScriptStopped extends Error {
    private static final long serialVersionUID = 1;

    ScriptStopped(String reason) {
        super(reason, null, false, false);
    }
}
