// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * Receives events of the loops that an operator should know. Its methods are called on a loop or on
 * the watchdog's thread and must not block; exceptions are logged and change nothing.
 */
public interface Observer {
    /** Does nothing; the log has the events all the same. */
    Observer NONE = new Observer() {};

    /**
     * A task has blocked {@code loop} for {@code millis}. {@code stack} is where it was seen,
     * innermost frame first.
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

    /**
     * The TLS handshake with the peer of {@code connection}, or the session after it, has failed;
     * the connection closes.
     */
    default void tlsFailed(Connection connection, String reason) {}

    /**
     * {@code loop} has ended by itself, because of {@code thrown}: it was out of memory, or there
     * is a fault in it. Its connections are gone, and it accepts no others. {@link Loops#failure}
     * completes, too.
     */
    default void loopDied(Loop loop, Throwable thrown) {}

    /** Code that was called on {@code loop} threw. */
    default void callbackFailed(Loop loop, Throwable thrown) {}
}
