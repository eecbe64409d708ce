// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.SocketAddress;

/** Where a connection came from: a listener's acceptor, or the loop itself. Loop-confined. */
abstract sealed class ConnectionOrigin permits LoopAcceptor, Connects {
    final Loop loop;

    ConnectionOrigin(Loop loop) {
        this.loop = loop;
    }

    /** Our end's address. */
    abstract SocketAddress local(Connection connection);

    /** The connection is gone. */
    abstract void gone(Connection connection);
}
