// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.SocketAddress;

/** Where a connection came from: a listener's gate, or the loop itself. Loop-confined. */
abstract sealed class Origin permits Gate, Outgoing {
    final Loop loop;

    Origin(Loop loop) {
        this.loop = loop;
    }

    /** Our end's address. */
    abstract SocketAddress local(Connection connection);

    /** The connection is gone. */
    abstract void gone(Connection connection);
}
