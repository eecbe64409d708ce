// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.transport;

import io.sirocco.net.TransportKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * How one loop talks to the kernel. The loop calls {@link #await}, then {@link #dispatch}, once per
 * turn; everything that a turn starts (sends, reads, closes) is submitted by the next {@code
 * await}. A transport has a subclass of {@link io.sirocco.net.Connection} for what concerns one
 * connection. Loop-confined, except {@link #wake} and {@link #arrivals}.
 */
public interface Transport extends AutoCloseable {
    /** Bytes that one turn may receive on one connection at most. */
    int MAX_RECEIVED_PER_TURN = 4 << 20;

    /** Returns the kind that it is: never {@link TransportKind#AUTO}. Any thread. */
    TransportKind kind();

    /**
     * Submits what the turn has started; then, if {@code mayBlock}, waits until something happens,
     * at most until the loop's next timer.
     */
    void await(boolean mayBlock) throws IOException;

    /** Reports what has happened to connections, acceptors and datagram sockets. */
    void dispatch();

    /** Submits what the turn has started so far, in the middle of it, and waits for nothing. */
    void submit();

    /**
     * Submits what the turn has started, and cancels what does not complete at once: the kernel
     * uses no memory of connections any more. For a loop that has died.
     */
    void cancelAll();

    /**
     * Closes all sockets that listen, for a loop that has died: connections that wait in their
     * backlogs are reset, and the kernel brings no more. May be called again when it has failed.
     */
    void closeListeners();

    /** Ends a present or future {@link #await}. Any thread. */
    void wake();

    /**
     * Binds {@code address} for listening; several loops may do so on one address if {@code
     * shared}.
     */
    ListeningSocket bind(SocketAddress address, int backlog, boolean shared) throws IOException;

    /**
     * Returns how many connections of one listener may be on their way from other loops to this
     * one. Any thread.
     */
    int arrivals();

    /**
     * Begins to open a connection.
     *
     * @throws IOException when it cannot even begin
     */
    ConnectingSocket connect(TransportConnect attempt) throws IOException;

    /**
     * Binds {@code address} for datagrams.
     *
     * @param broadcast whether the socket may send to broadcast addresses
     * @param reuse whether other such sockets may be bound to the address, too
     */
    DatagramSocket bindDatagrams(InetSocketAddress address, boolean broadcast, boolean reuse)
            throws IOException;

    /**
     * Closes all sockets that listen, all datagram sockets, and what the transport itself uses of
     * the kernel. Connections are closed before. May be called again when it has failed.
     */
    @Override
    void close();
}
