// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.nio;

import io.sirocco.net.transport.DatagramSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;

/** A UDP socket on NIO. Loop-confined. */
final class NioDatagrams implements DatagramSocket {
    private static final int PER_TURN = 256;

    private final Nio transport;
    private final DatagramChannel channel;
    private Receiver receiver; // null until it is open

    NioDatagrams(Nio transport, DatagramChannel channel) {
        this.transport = transport;
        this.channel = channel;
    }

    @Override
    public InetSocketAddress address() throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    @Override
    public void open(Receiver receiver) throws IOException {
        this.receiver = receiver;
        transport.register(channel, SelectionKey.OP_READ, this);
    }

    /** Delivers what is there. */
    void receive() {
        for (int i = 0; i < PER_TURN && channel.isOpen(); i++) {
            ByteBuffer input = transport.emptyInput();
            try {
                var from = (InetSocketAddress) channel.receive(input);
                if (from == null) {
                    return;
                }
                int length = input.flip().limit();
                byte[] slab = transport.loop().slab(length);
                input.get(slab, 0, length);
                receiver.received(slab, length, from);
            } catch (IOException e) {
                return; // an earlier datagram's rejection, told late (ICMP)
            }
        }
    }

    @Override
    public int send(byte[] bytes, int length, InetSocketAddress to) throws IOException {
        if (!channel.isOpen()) {
            return -1;
        }
        int sent = channel.send(ByteBuffer.wrap(bytes, 0, length), to);
        return sent == 0 && length > 0 ? -1 : sent;
    }

    @Override
    public void close() {
        Nio.close(channel);
    }
}
