// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.List;

/**
 * Puts a TLS layer below the protocol of an acceptor, which is called when the handshake is done.
 * Any thread.
 */
final class TlsAcceptor implements Acceptor, TlsSide {
    private final List<String> protocols;
    private final byte[] plainTextResponse;
    private final Acceptor acceptor;
    private volatile Tls tls;

    /**
     * @param protocols what it can speak, for ALPN
     * @param plainTextResponse what a client is told that speaks no TLS but text; empty for nothing
     */
    TlsAcceptor(Tls tls, List<String> protocols, byte[] plainTextResponse, Acceptor acceptor) {
        this.tls = tls;
        this.protocols = protocols;
        this.plainTextResponse = plainTextResponse;
        this.acceptor = acceptor;
    }

    @Override
    public Protocol accept(Connection connection) {
        TlsContext context = tls.context();
        var layer =
                new TlsLayer(
                        connection,
                        context.engines().engine(protocols),
                        context.credentials(),
                        this);
        connection.secure(layer);
        connection.deadline(connection.loop().now() + context.handshakeMillis());
        return layer;
    }

    /** Sets the TLS of connections that begin later. */
    void tls(Tls next) {
        tls = next;
    }

    @Override
    public byte[] plainTextResponse() {
        return plainTextResponse;
    }

    @Override
    public Acceptor acceptor() {
        return acceptor;
    }
}
