// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import java.util.Optional;

/**
 * The cause of the task that the current thread runs, for example an HTTP request. Tasks that a
 * task begins by {@link ScriptThread#execute} or {@link ScriptThread#schedule} have the same cause;
 * calls of clients have none. Code that leaves the thread and comes back, such as the callback of a
 * response, passes it on by {@link #inherit}. Any thread; each has its own.
 */
public final class TaskCause {
    private static final ThreadLocal<Object> CURRENT = new ThreadLocal<>();

    private TaskCause() {}

    /** Returns the cause of the task that runs. */
    public static Optional<Object> current() {
        return Optional.ofNullable(CURRENT.get());
    }

    /** Returns {@code task} with the cause that is current now, wherever it runs. */
    public static Runnable inherit(Runnable task) {
        Object cause = CURRENT.get();
        return () -> run(cause, task);
    }

    /** Runs {@code task} now, with {@code cause} as its cause; null for none. */
    public static void run(Object cause, Runnable task) {
        Object before = CURRENT.get();
        CURRENT.set(cause);
        try {
            task.run();
        } finally {
            CURRENT.set(before);
        }
    }
}
