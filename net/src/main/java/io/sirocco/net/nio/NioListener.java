// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.nio;

import io.sirocco.net.Loop;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.transport.ListeningSocket;
import io.sirocco.net.transport.TransportAcceptor;
import io.sirocco.net.transport.TransportAcceptor.Placement;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;

/** A listening socket on NIO, and where the connections go that it accepts. Loop-confined. */
final class NioListener implements ListeningSocket {
    static {
        LinkedErrors.link(OutOfMemoryError.class);
    }

    static final int ACCEPTS_PER_TURN = 256;

    private final Nio transport;
    private final ServerSocketChannel channel;
    private TransportAcceptor acceptor; // null until it listens
    private SelectionKey key; // likewise

    NioListener(Nio transport, ServerSocketChannel channel) {
        this.transport = transport;
        this.channel = channel;
    }

    @Override
    public SocketAddress address() throws IOException {
        return channel.getLocalAddress();
    }

    @Override
    public void listen(TransportAcceptor acceptor) throws IOException {
        this.acceptor = acceptor;
        key = transport.register(channel, acceptor.accepting() ? SelectionKey.OP_ACCEPT : 0, this);
    }

    @Override
    public void accepting(boolean on) {
        if (key != null) {
            Nio.interest(key, SelectionKey.OP_ACCEPT, on);
        }
    }

    @Override
    public void close() {
        Nio.close(channel);
    }

    /** Closes its acceptor, which closes this. */
    void closeNow() {
        acceptor.closeNow();
    }

    // ---- accepting

    /** Accepts what waits. */
    void accept() {
        int most = acceptor.oneAtATime() ? 1 : ACCEPTS_PER_TURN;
        for (int i = 0; i < most && acceptor.accepting(); i++) {
            SocketChannel accepted;
            try {
                accepted = channel.accept();
            } catch (IOException e) {
                turnAway(String.valueOf(e.getMessage()));
                return;
            } catch (OutOfMemoryError e) { // it is tried again in the next turn
                transport.loop().failed(e);
                return;
            }
            if (accepted == null) {
                return;
            }
            Placement place = acceptor.place();
            if (place.acceptor().loop() == acceptor.loop()) {
                transport.admit(place, accepted);
            } else {
                handOver(accepted, place);
            }
        }
    }

    /**
     * Out of descriptors: the spare one lets the log be written, then accepts a peer and closes it,
     * so that it learns of its fate at once.
     */
    private void turnAway(String reason) {
        boolean spared = transport.closeSpare();
        acceptor.failed(reason);
        if (spared) {
            try {
                SocketChannel unlucky = channel.accept();
                if (unlucky != null) {
                    Nio.close(unlucky);
                }
            } catch (IOException e) {
                // still none: the peer waits in the backlog
            }
        }
        transport.openSpare();
    }

    /** Brings an accepted connection to the loop of its place. */
    static void handOver(SocketChannel channel, Placement place) {
        Loop there = place.acceptor().loop();
        try {
            there.execute(
                    () -> {
                        place.arrived();
                        ((Nio) place.acceptor().transport()).admit(place, channel);
                    });
        } catch (RejectedExecutionException e) {
            Nio.close(channel); // that loop has ended
            place.arrived();
            place.lost();
        }
    }
}
