// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The one thread that runs the Lua code of a controller. Objects hand work to it that other threads
 * have begun: responses, messages, timers. Any thread.
 */
public interface ScriptThread {
    /** A task that is to run later. Any thread. */
    interface Scheduled {
        /** Cancels it. Does nothing if it has run. */
        void cancel();
    }

    /**
     * Runs {@code task} on the thread, within the limits of a script. An error of the task is
     * logged with {@code name}. Tasks run in the order of their calls; while a script exceeds 5 ms
     * the thread runs them in between.
     *
     * @param name what the task is, for the log
     * @return false when 10,000 tasks wait already, or the thread has ended
     */
    boolean execute(String name, Runnable task);

    /**
     * Runs {@code task} as {@link #execute} does, but only after {@code delay}, and even if 10,000
     * others wait then. It never runs if the scripts have ended.
     *
     * <p>Up to 10,000 tasks wait for their delay. There is always a place for one: scripts create
     * up to 1,000 objects, an object keeps a few timers however much it has to do, and the
     * controller itself two.
     *
     * @throws java.util.concurrent.RejectedExecutionException if there is no place: an object does
     *     not keep to that
     */
    Scheduled schedule(String name, Duration delay, Runnable task);

    /**
     * Waits for {@code future}, and runs other tasks meanwhile. A task that has begun in between
     * ends before this returns. Only for the thread itself.
     *
     * @return whether the future is done; false when the time is up
     */
    boolean await(CompletableFuture<?> future, Duration timeout);

    /**
     * Returns the address of the client whose call runs now; empty for any other task. Only for the
     * thread itself.
     */
    default Optional<InetSocketAddress> caller() {
        return Optional.empty();
    }

    /**
     * Counts work in Java that costs as much as {@code steps} instructions: the running task ends
     * if it exceeds a limit, and other tasks may run in between. Only for the thread itself.
     */
    void spend(long steps);

    /** Adds a warning to the log of the scripts, which its owner sees. Any thread. */
    void warn(String line);

    /** Returns the clock that {@link #schedule} keeps: a test moves it by hand. */
    InstantSource clock();

    /** Returns nanoseconds of the same clock, for intervals; it never goes back. */
    long nanoTime();
}
