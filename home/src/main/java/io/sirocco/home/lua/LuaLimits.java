// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

/**
 * The limits of a task. Immutable.
 *
 * @param time nanoseconds of its own
 * @param instructions instructions of the virtual machine
 * @param memory bytes by which the heap may grow; an eighth of the heap at most
 * @param string bytes of one string; a sixteenth of the memory at most
 */
record LuaLimits(long time, long instructions, long memory, int string) {
    /** Calls within calls of one task. */
    static final int TASK_DEPTH = 4_000;

    /**
     * Calls within calls of all tasks that are interrupted. 16 MiB of stack hold 18,000 calls of
     * the hungriest kinds (pcall, comparators of table.sort, __index).
     */
    static final int DEPTH = 14_000;

    /** Tasks within tasks. */
    static final int TASKS = 8;

    /** Calls of {@code checkAlive()} within tasks. */
    static final int PROBES = 64;

    /** A task is interrupted by others after this many nanoseconds. */
    static final long SLICE = 5_000_000;
}
