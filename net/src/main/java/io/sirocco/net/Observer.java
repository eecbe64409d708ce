// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * Told what an operator should know of the loops. Called on a loop or on the watchdog's thread:
 * must not block; what it throws is logged and changes nothing.
 */
public interface Observer {
    /** Tells only the log. */
    Observer NONE = new Observer() {};

    /**
     * One task has held {@code loop} for {@code millis}; {@code stack} is where it was seen,
     * innermost first.
     */
    default void loopBlocked(Loop loop, long millis, StackTraceElement[] stack) {}

    /**
     * A task of {@code kind} has blocked {@code loop} for {@code millis} without parking, and the
     * JDK's scheduler runs such tasks from now on. {@code stack} is where it was seen, innermost
     * first.
     */
    default void taskKindMoved(Loop loop, TaskKind kind, long millis, StackTraceElement[] stack) {}

    /** Accepting failed, for want of descriptors or memory; the listener tries again by itself. */
    default void acceptFailed(Loop loop, String reason) {}

    /** TLS with the peer of {@code connection} came to nothing, or broke; it is being closed. */
    default void tlsFailed(Connection connection, String reason) {}

    /**
     * {@code loop} has ended by itself, because of {@code thrown}: it was out of memory, or there
     * is a fault in it. Its connections are gone, and it accepts no others. {@link Loops#failure}
     * tells the same.
     */
    default void loopDied(Loop loop, Throwable thrown) {}

    /** Code that was called on {@code loop} threw. */
    default void callbackFailed(Loop loop, Throwable thrown) {}
}
