// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.nio;

import io.sirocco.net.transport.DatagramSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.UnsupportedAddressTypeException;

/** A UDP socket on NIO. Loop-confined. */
final class NioDatagrams implements DatagramSocket {
    private static final int PER_TURN = 256;

    private final Nio transport;
    private final DatagramChannel channel;
    private Receiver receiver; // null until it is open
    private long dropped;

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
            InetSocketAddress from;
            try {
                from = (InetSocketAddress) channel.receive(input);
            } catch (IOException e) {
                continue; // an earlier datagram's rejection, told late (ICMP)
            }
            if (from == null) {
                return;
            }
            int length = input.flip().limit();
            byte[] slab = transport.loop().slab(length);
            input.get(slab, 0, length);
            receiver.received(slab, length, from);
            transport.loop().flushIfLate();
        }
    }

    @Override
    public boolean send(byte[] bytes, int length, InetSocketAddress to) {
        if (!channel.isOpen()) {
            return false;
        }
        ByteBuffer datagram = transport.datagram(bytes, length);
        if (!trySend(datagram, to) && !trySend(datagram, to)) {
            dropped++;
        }
        return true;
    }

    /** Returns false for an error, which may be that of an earlier datagram, told late (ICMP). */
    private boolean trySend(ByteBuffer datagram, InetSocketAddress to) {
        try {
            int length = datagram.remaining();
            if (channel.send(datagram, to) < length) {
                dropped++; // the system has no room
            }
            return true;
        } catch (IOException | UnsupportedAddressTypeException e) {
            datagram.rewind();
            return false;
        }
    }

    @Override
    public long dropped() {
        return dropped;
    }

    @Override
    public void close() {
        Nio.close(channel);
    }
}
