// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.net.SocketAddress;

/** Where a connection came from: a listener's gate, or the loop itself. Loop-confined. */
sealed interface Origin permits Gate, Outgoing {

    Loop loop();

    /** Our end's address. */
    SocketAddress local(Connection connection);

    /** The connection is gone. */
    void gone(Connection connection);
}
