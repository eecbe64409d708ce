// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.transport;

import java.io.IOException;
import java.net.InetSocketAddress;

/** A bound UDP socket of one transport. Loop-confined. */
public interface DatagramSocket {
    /** Receives what comes in. */
    @FunctionalInterface
    interface Receiver {
        /** Delivers {@code bytes[0..length)}, which are overwritten after the call. */
        void received(byte[] bytes, int length, InetSocketAddress from);
    }

    /** Returns the address that it is bound to. */
    InetSocketAddress address() throws IOException;

    /** Begins to deliver what comes in. */
    void open(Receiver receiver) throws IOException;

    /**
     * Sends a copy of {@code bytes[0..length)}, at once or when the transport submits what the turn
     * has started, and in any case in order. Never blocks.
     *
     * @param length at most {@link io.sirocco.net.Datagrams#MAX_SIZE}
     * @param to a resolved address
     * @return whether it was accepted: false when the socket is closed
     */
    boolean send(byte[] bytes, int length, InetSocketAddress to);

    /** Returns how many of those that were accepted the system did not take. Any thread. */
    long dropped();

    /** Closes it when what was accepted is sent; does nothing when it is closed. */
    void close();
}
