// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.nio;

import io.sirocco.net.transport.ConnectingSocket;
import io.sirocco.net.transport.TransportConnect;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** A channel that is being connected. Loop-confined. */
final class NioConnect implements ConnectingSocket {
    private final Nio transport;
    private final TransportConnect attempt;
    private final SelectionKey key;

    NioConnect(Nio transport, TransportConnect attempt, SocketChannel channel, boolean connected)
            throws IOException {
        this.transport = transport;
        this.attempt = attempt;
        this.key = transport.register(channel, connected ? 0 : SelectionKey.OP_CONNECT, this);
    }

    /** Takes the outcome, if there is one. */
    void tried() {
        if (!key.isValid()) {
            return; // cancelled
        }
        try {
            var channel = (SocketChannel) key.channel();
            if (!channel.isConnected() && !channel.finishConnect()) {
                return;
            }
            key.interestOps(0);
            attempt.connected(new NioConnection(attempt.origin(), transport, key));
        } catch (IOException e) {
            Nio.close(key.channel());
            attempt.failed(e.getMessage());
        }
    }

    @Override
    public void cancel() {
        Nio.close(key.channel());
        attempt.origin().loop().execute(() -> attempt.failed("given up"));
    }
}
