// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * What happens on one connection, told to whoever speaks its protocol. Every method is called on
 * the connection's loop and must not block; an exception that leaves one aborts that connection and
 * no other. Loop-confined.
 */
public interface Protocol {

    /**
     * Bytes came in: {@code bytes[from..to)}, beginning with what the last call left over. The
     * array belongs to the loop and is overwritten after the call returns.
     *
     * @return the index of the first byte that was not used; what follows it is kept for the next
     *     call, so a protocol bounds what it leaves over by refusing input that is too long
     */
    int received(Connection connection, byte[] bytes, int from, int to);

    /**
     * The peer will send no more (it closed, or shut down its side); what it sent before was
     * delivered.
     */
    default void ended(Connection connection) {
        connection.finish();
    }

    /**
     * Output that was {@linkplain Connection#isCongested congested} has drained below the low-water
     * mark.
     */
    default void drained(Connection connection) {}

    /**
     * The kernel has taken some of the output; {@link Connection#unsent} says what is left. Told to
     * those who asked by {@link Connection#notifySent}.
     */
    default void sent(Connection connection) {}

    /**
     * The {@linkplain MemoryBudget memory} of the loop is short, and no other connection that holds
     * some of it has waited for its peer for so long. The protocol gives up what it waits for, and
     * ends the connection; it may respond before. Unless overridden, it {@linkplain
     * Connection#abort aborts}. Called while another connection is being served: must not read
     * input.
     *
     * @return false when it does not wait for its peer, and so nothing has changed
     */
    default boolean memoryShort(Connection connection) {
        connection.abort(CloseCause.MEMORY_SHORT);
        return true;
    }

    /**
     * The {@linkplain MemoryBudget memory} of the loop has no room for what this connection has
     * received while its protocol wanted no input, which is lost. Unless overridden, the same as
     * {@link #memoryShort}.
     *
     * @return false when nothing has changed; then the connection is closed
     */
    default boolean inputLost(Connection connection) {
        return memoryShort(connection);
    }

    /** The deadline set by {@link Connection#deadline} has passed; it is cleared. */
    default void expired(Connection connection) {
        connection.abort();
    }

    /** The connection is gone. Called exactly once, last. */
    default void closed(Connection connection, CloseCause cause) {}
}
