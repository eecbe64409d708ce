// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.SocketAddresses;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The UDP sockets of one loop on io_uring: the ring tells when one is readable, plain calls receive
 * and send, which never block. Loop-confined.
 */
final class UringDatagrams {
    private static final int PER_TURN = 256;

    private final Loop loop;
    private final List<Datagrams> sockets = new ArrayList<>(); // null where one was closed
    private final List<Integer> sequences = new ArrayList<>(); // which one of that number it is
    private final MemorySegment state;
    private final MemorySegment peer;
    private final MemorySegment peerLength;
    private MemorySegment datagram; // allocated with the first socket

    UringDatagrams(Loop loop) {
        this.loop = loop;
        this.state = Linux.state(loop.arena);
        this.peer = loop.arena.allocate(SocketAddresses.MAX_SIZE, 8);
        this.peerLength = loop.arena.allocate(4, 4);
    }

    static int descriptor(Datagrams socket) {
        return ((Uring.DatagramSocket) socket.socket).descriptor();
    }

    /** Answers the number that it is known by until {@link #forget}. */
    int add(Datagrams socket) {
        if (datagram == null) {
            datagram = loop.arena.allocate(1 << 16, 64);
        }
        int free = sockets.indexOf(null);
        if (free >= 0) {
            sockets.set(free, socket);
            sequences.set(free, sequences.get(free) + 1 & 0xff_ffff);
            return free;
        }
        sockets.add(socket);
        sequences.add(0);
        return sockets.size() - 1;
    }

    /** The one that an operation was about; null when it is gone. */
    Datagrams find(int number, int sequence) {
        return sequences.get(number) == sequence ? sockets.get(number) : null;
    }

    int sequence(int number) {
        return sequences.get(number);
    }

    int number(Datagrams socket) {
        return sockets.indexOf(socket);
    }

    void forget(int number) {
        sockets.set(number, null);
    }

    /** Delivers all that is there: the ring does not tell twice. */
    void receive(Datagrams socket) {
        for (int i = 0; i < PER_TURN && !socket.closed(); i++) {
            peerLength.set(JAVA_INT, 0, SocketAddresses.MAX_SIZE);
            long length = Linux.receiveFrom(state, descriptor(socket), datagram, peer, peerLength);
            if (length == -Linux.EAGAIN) {
                return;
            }
            if (length >= 0) {
                byte[] slab = loop.slab((int) length);
                MemorySegment.copy(datagram, JAVA_BYTE, 0, slab, 0, (int) length);
                var from = SocketAddresses.toJava(peer, peerLength.get(JAVA_INT, 0));
                socket.received(slab, (int) length, (InetSocketAddress) from);
            }
        }
        if (!socket.closed()) {
            loop.execute(() -> receive(socket)); // the others have their turn first
        }
    }

    /** Answers how many bytes were sent; -1 when the kernel has no room for them. */
    int send(Datagrams socket, byte[] bytes, int length, InetSocketAddress to) throws IOException {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment address = SocketAddresses.toNative(to, scratch);
            MemorySegment payload = scratch.allocate(Math.max(1, length));
            MemorySegment.copy(bytes, 0, payload, JAVA_BYTE, 0, length);
            int size = (int) address.byteSize();
            long sent = Linux.sendTo(state, descriptor(socket), payload, length, address, size);
            if (sent == -Linux.EAGAIN || sent == -Linux.ENOBUFS) {
                return -1;
            }
            String what = "cannot send " + length + " bytes to " + SocketAddresses.show(to);
            return (int) LinuxSockets.check(what, sent);
        }
    }

    void closeAll() {
        sockets.stream().filter(Objects::nonNull).toList().forEach(Datagrams::closeNow);
    }
}
