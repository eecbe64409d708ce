// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * Receives events of the loops that an operator should know. Its methods must not block; exceptions
 * are logged and change nothing. Any thread: a loop or a thread of the watchdog calls.
 */
public interface Observer {
    /** Ignores all events; the log has them in any case. */
    Observer NONE = new Observer() {};

    /**
     * Reports that a task has blocked {@code loop} for {@code millis}. {@code stack} is where it
     * was seen, innermost frame first.
     */
    default void loopBlocked(Loop loop, long millis, StackTraceElement[] stack) {}

    /**
     * Reports that a task of {@code kind} has blocked {@code loop} for {@code millis} without
     * parking, and that the JDK's scheduler runs such tasks from now on. {@code stack} is where it
     * was seen, innermost frame first.
     */
    default void taskKindMoved(Loop loop, TaskKind kind, long millis, StackTraceElement[] stack) {}

    /**
     * Reports that accepting has failed for want of descriptors or memory; the listener tries again
     * by itself.
     */
    default void acceptFailed(Loop loop, String reason) {}

    /**
     * Reports that the TLS handshake with the peer of {@code connection}, or the session after it,
     * has failed; the connection closes.
     */
    default void tlsFailed(Connection connection, String reason) {}

    /**
     * Reports that {@code loop} is dead because of {@code thrown}: it was out of memory, it has a
     * bug, or it was blocked for {@link Settings#maxTurnMillis}. In the last case {@code thrown} is
     * a {@link LoopStalledException}, and the loop may still be in its turn; else its connections
     * are gone, and it accepts no others. {@link Loops#failure} completes, too.
     */
    default void loopDied(Loop loop, Throwable thrown) {}

    /** Reports that code called on {@code loop} has thrown. */
    default void callbackFailed(Loop loop, Throwable thrown) {}
}
