// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.loop;

import io.sirocco.net.Connection;
import io.sirocco.net.Protocol;

/**
 * A protocol on a server's connections: HTTP, or the one that a connection was upgraded to.
 * Loop-confined.
 */
public interface ServerProtocol extends Protocol {
    /** The connection was upgraded to this protocol, which may send from now on. */
    default void begin() {}

    /** The connection ended before it was upgraded to this protocol. */
    default void dropped(Connection connection) {}

    /**
     * Called when the server stops: ends the connection as soon as possible without losing data.
     */
    void drain();

    /** Returns whether {@code thread} runs a handler of this connection. */
    default boolean isServedBy(Thread thread) {
        return false;
    }
}
