// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;

/**
 * What is spoken first on a connection of a listener behind a proxy: the header of the PROXY
 * protocol, before TLS and before anything else. A connection that does not begin with one, or not
 * in time, is closed without a word. Loop-confined.
 */
final class ProxyHeaderProtocol implements Protocol {
    private static final LazyLogger LOG = LazyLogger.of(ProxyHeaderProtocol.class);

    private final LoopAcceptor acceptor;

    ProxyHeaderProtocol(LoopAcceptor acceptor) {
        this.acceptor = acceptor;
    }

    @Override
    public int received(Connection connection, byte[] bytes, int from, int to) {
        return switch (ProxyHeader.parse(bytes, from, to)) {
            case ProxyHeader.Parsed.Incomplete() -> from;
            case ProxyHeader.Parsed.Complete(int end, var source) -> {
                source.ifPresent(connection::remote);
                acceptor.introduced(connection);
                yield end;
            }
            case ProxyHeader.Parsed.Rejected(String reason) -> {
                refuse(connection, reason);
                yield to;
            }
        };
    }

    @Override
    public void ended(Connection connection) {
        refuse(connection, "it ended within the header");
    }

    @Override
    public void expired(Connection connection) {
        refuse(connection, "the header did not come in time");
    }

    @Override
    public boolean replaced(Connection connection) {
        connection.abort(CloseCause.TOO_MANY);
        return true;
    }

    static void refuse(Connection connection, String reason) {
        LOG.get().log(Level.DEBUG, "PROXY protocol of {0}: {1}", connection.peer(), reason);
        connection.abort();
    }
}
