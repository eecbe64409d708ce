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
     * Sends {@code length} bytes and never blocks.
     *
     * @return how many bytes were sent; -1 when the kernel has no room for them, or the socket is
     *     closed
     */
    int send(byte[] bytes, int length, InetSocketAddress to) throws IOException;

    /** Closes it; does nothing when it is closed. */
    void close();
}
