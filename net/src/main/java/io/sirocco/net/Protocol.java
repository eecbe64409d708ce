// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * Handles the events of one connection. The connection's loop calls every method, and none may
 * block; an exception aborts this connection and no other. Loop-confined.
 */
public interface Protocol {

    /**
     * Handles input: {@code bytes[from..to)}, beginning with the bytes that the last call left
     * over. The array belongs to the loop or the connection and is overwritten after the call
     * returns; bytes that are left over must not be changed.
     *
     * @return the index of the first byte that was not used; the bytes from there on are kept for
     *     the next call, so a protocol bounds them by refusing input that is too long
     */
    int received(Connection connection, byte[] bytes, int from, int to);

    /**
     * Handles input where it has arrived, before it is copied for {@link #received}: for a protocol
     * that passes it on to another connection. Called when no input is left over and the connection
     * has no TLS. By default it uses nothing.
     *
     * @return how many bytes were used; {@code received} gets the rest
     */
    default int relay(Connection connection, ReceivedBytes input) {
        return 0;
    }

    /**
     * Returns how many bytes the next call of {@link #received} shall add at most. Afterwards
     * {@link #relay} is asked again.
     */
    default int mostReceived() {
        return Integer.MAX_VALUE;
    }

    /**
     * Handles the end of the peer's stream (it closed, or shut down its side); everything it sent
     * before was delivered. By default {@linkplain Connection#finish finishes} the connection.
     */
    default void ended(Connection connection) {
        connection.finish();
    }

    /**
     * Reports that {@linkplain Connection#isCongested congested} output has drained below the
     * low-water mark.
     */
    default void drained(Connection connection) {}

    /**
     * Reports that the kernel has taken some of the output; {@link Connection#unsent} returns how
     * much is left. Only called after {@link Connection#notifySent}.
     */
    default void sent(Connection connection) {}

    /**
     * Gives up what the connection waits for and ends it, since the {@linkplain MemoryBudget
     * memory} of the loop is short and no other connection that holds some of it has waited for its
     * peer for so long. The protocol may respond first. By default {@linkplain Connection#abort
     * aborts}. Called while another connection is being served, so it must not read input.
     *
     * @return false when the connection does not wait for its peer, and nothing has changed
     */
    default boolean memoryShort(Connection connection) {
        connection.abort(CloseCause.MEMORY_SHORT);
        return true;
    }

    /**
     * Ends the connection, since the {@linkplain MemoryBudget memory} of the loop has no room for
     * bytes that were received while earlier input still waited, and they are lost. By default the
     * same as {@link #memoryShort}.
     *
     * @return false when nothing has changed; then the connection is closed
     */
    default boolean inputLost(Connection connection) {
        return memoryShort(connection);
    }

    /**
     * {@linkplain Connection#abort(CloseCause) Aborts} the connection with {@link
     * CloseCause#TOO_MANY} if it waits for its peer, since a listener with {@link WhenFull#REPLACE}
     * has no slot left. By default it stays.
     *
     * @return false when the connection does not wait for its peer, and nothing has changed
     */
    default boolean replaced(Connection connection) {
        return false;
    }

    /**
     * Handles the deadline set by {@link Connection#deadline}, which has passed and is cleared. By
     * default {@linkplain Connection#abort aborts} the connection.
     */
    default void expired(Connection connection) {
        connection.abort();
    }

    /** Reports that the connection is gone: the last call, made exactly once. */
    default void closed(Connection connection, CloseCause cause) {}
}
