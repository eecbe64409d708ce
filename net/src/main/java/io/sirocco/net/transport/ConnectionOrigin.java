// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.transport;

import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import java.net.SocketAddress;

/** The origin of a connection: a listener's acceptor, or the loop itself. Loop-confined. */
public abstract class ConnectionOrigin {
    protected final Loop loop;

    protected ConnectionOrigin(Loop loop) {
        this.loop = loop;
    }

    /** Returns the loop that its connections belong to. Any thread. */
    public final Loop loop() {
        return loop;
    }

    /** Returns our end's address. */
    public abstract SocketAddress local(Connection connection);

    /** Forgets {@code connection}, which is gone. */
    public abstract void gone(Connection connection);
}
