// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.SocketAddresses;
import io.sirocco.net.transport.DatagramSocket;
import io.sirocco.net.transport.TransportLoop;
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
    private static final int POLL_MULTISHOT = 1;
    private static final int POLLIN = 1;

    private final TransportLoop loop;
    private final Ring ring;
    private final List<Socket> sockets = new ArrayList<>(); // null where one was closed
    private final List<Integer> sequences = new ArrayList<>(); // which one of that number it is
    private final MemorySegment state;
    private final MemorySegment peer;
    private final MemorySegment peerLength;
    private MemorySegment datagram; // allocated with the first socket

    UringDatagrams(TransportLoop loop, Ring ring) {
        this.loop = loop;
        this.ring = ring;
        this.state = Linux.state(loop.arena());
        this.peer = loop.arena().allocate(SocketAddresses.MAX_SIZE, 8);
        this.peerLength = loop.arena().allocate(4, 4);
    }

    /** One of them: a descriptor of the process. */
    private final class Socket implements DatagramSocket {
        private final int descriptor;
        private Receiver receiver;
        private int number;
        private int sequence;
        private boolean closed;

        Socket(int descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        public InetSocketAddress address() throws IOException {
            return (InetSocketAddress) LinuxSockets.local(descriptor);
        }

        @Override
        public void open(Receiver receiver) {
            this.receiver = receiver;
            number = add(this);
            sequence = sequences.get(number);
            poll();
        }

        private long about() {
            return Uring.userData(Uring.READABLE, sequence, number);
        }

        private void poll() {
            ring.entry(Ring.POLL_ADD, 0, descriptor, 0, POLL_MULTISHOT, POLLIN, about());
        }

        /** Delivers all that is there: the ring does not tell twice. */
        private void receive() {
            for (int i = 0; i < PER_TURN && !closed; i++) {
                peerLength.set(JAVA_INT, 0, SocketAddresses.MAX_SIZE);
                long length = Linux.receiveFrom(state, descriptor, datagram, peer, peerLength);
                if (length == -Linux.EAGAIN) {
                    return;
                }
                if (length >= 0) {
                    byte[] slab = loop.slab((int) length);
                    MemorySegment.copy(datagram, JAVA_BYTE, 0, slab, 0, (int) length);
                    var from = SocketAddresses.toJava(peer, peerLength.get(JAVA_INT, 0));
                    receiver.received(slab, (int) length, (InetSocketAddress) from);
                }
            }
            if (!closed) {
                loop.loop().execute(this::receive); // the others have their turn first
            }
        }

        @Override
        public int send(byte[] bytes, int length, InetSocketAddress to) throws IOException {
            return closed ? -1 : sendTo(descriptor, bytes, length, to);
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                if (receiver != null) {
                    ring.cancel(about());
                    ring.submitIfItWorks();
                }
                Linux.close(descriptor);
            }
        }
    }

    /** Binds {@code address}. */
    DatagramSocket bind(InetSocketAddress address) throws IOException {
        return new Socket(LinuxSockets.datagrams(address));
    }

    /** Returns the number that {@code socket} has until it is closed. */
    private int add(Socket socket) {
        if (datagram == null) {
            datagram = loop.arena().allocate(1 << 16, 64);
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

    /** A socket is readable, or the poll has ended. */
    void readable(int number, int sequence, int result, boolean more) {
        Socket socket = sequences.get(number) == sequence ? sockets.get(number) : null;
        if (socket == null) {
            return;
        }
        if (result >= 0 && !socket.closed) {
            socket.receive();
        }
        if (!more) {
            if (socket.closed) {
                sockets.set(number, null); // no completion to come names it
            } else {
                socket.poll();
            }
        }
    }

    private int sendTo(int descriptor, byte[] bytes, int length, InetSocketAddress to)
            throws IOException {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment address = SocketAddresses.toNative(to, scratch);
            MemorySegment payload = scratch.allocate(Math.max(1, length));
            MemorySegment.copy(bytes, 0, payload, JAVA_BYTE, 0, length);
            int size = (int) address.byteSize();
            long sent = Linux.sendTo(state, descriptor, payload, length, address, size);
            if (sent == -Linux.EAGAIN || sent == -Linux.ENOBUFS) {
                return -1;
            }
            String what = "cannot send " + length + " bytes to " + SocketAddresses.show(to);
            return (int) LinuxSockets.check(what, sent);
        }
    }

    void closeAll() {
        sockets.stream().filter(Objects::nonNull).toList().forEach(Socket::close);
    }
}
