// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.transport;

import java.io.IOException;
import java.net.SocketAddress;

/** A bound socket of one transport that can listen. Loop-confined. */
public interface ListeningSocket {
    /** Returns the address that it is bound to. */
    SocketAddress address() throws IOException;

    /** Begins to accept connections for {@code acceptor}. */
    void listen(TransportAcceptor acceptor) throws IOException;

    /** Accepts again, or stops to. */
    void accepting(boolean on);

    /** Closes it for good, whether it listens or not. */
    void close();
}
