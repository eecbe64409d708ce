// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.List;

/**
 * Puts a TLS layer below what {@code acceptor} speaks, which is asked when the handshake is done.
 * Immutable.
 *
 * @param protocols what it can speak, for ALPN
 * @param toPlainText what a client is told that speaks no TLS but text; empty for nothing
 */
record TlsAcceptor(Tls tls, List<String> protocols, byte[] toPlainText, Acceptor acceptor)
        implements Acceptor {

    @Override
    public Protocol accept(Connection connection) {
        TlsContext context = tls.context();
        var layer = new TlsLayer(connection, context.engine(protocols), this);
        connection.secure(layer);
        connection.deadline(connection.loop().now() + context.handshakeMillis());
        return layer;
    }
}
