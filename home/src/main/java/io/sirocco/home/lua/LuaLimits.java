// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

/**
 * What a task may use. Immutable.
 *
 * @param time nanoseconds of its own
 * @param instructions instructions of the virtual machine
 * @param allocation bytes
 * @param string bytes of one string
 */
record LuaLimits(long time, long instructions, long allocation, int string) {
    /** Calls within calls of one task. */
    static final int TASK_DEPTH = 2_000;

    /** Calls within calls of all tasks that are interrupted. */
    static final int DEPTH = 10_000;

    /** Tasks within tasks. */
    static final int TASKS = 8;

    /** Calls of {@code checkAlive()} within tasks. */
    static final int PROBES = 64;

    /** A task is interrupted by others after this many nanoseconds. */
    static final long SLICE = 5_000_000;
}
