// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.h1;

import io.sirocco.http.exchange.LoopContext;
import io.sirocco.net.Connection;
import io.sirocco.net.Protocol;

/**
 * What the HTTP/1.1 connections of one loop share: the head that they parse into. Loop-confined.
 */
public final class Http1Context {
    final LoopContext loop;
    final Head head = new Head();

    /** Creates the context of the connections of a loop. */
    public Http1Context(LoopContext loop) {
        this.loop = loop;
    }

    /** Returns the protocol of a new connection. */
    public Protocol open(Connection connection) {
        return new Http1(connection, this);
    }
}
