// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.transport;

import io.sirocco.net.Connection;
import io.sirocco.net.Destination;

/**
 * A connection that is being opened, as a transport sees it. The transport calls {@link #connected}
 * or {@link #failed}, once, and not from within {@link Transport#connect} or {@link
 * ConnectingSocket#cancel}. Loop-confined.
 */
public interface TransportConnect {
    /** Returns the address to connect to, and the one to connect from. */
    Destination to();

    /** Returns the origin that its connection has. */
    ConnectionOrigin origin();

    /** Starts the connection. */
    void connected(Connection connection);

    /** Ends the attempt: there is no connection, and the reason is for people. */
    void failed(String reason);
}
