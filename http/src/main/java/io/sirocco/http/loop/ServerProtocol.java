// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.loop;

import io.sirocco.net.Protocol;

/** A protocol of a server's connections: HTTP, or what a connection was upgraded to. */
public interface ServerProtocol extends Protocol {
    /** The connection was upgraded to this protocol, which may send from now on. */
    default void begin() {}

    /** The server stops: the connection ends as soon as it can without a loss. */
    void drain();
}
