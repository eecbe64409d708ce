// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static io.sirocco.net.linux.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sirocco.net.linux.DatagramHeaders;
import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.SocketAddresses;
import io.sirocco.net.transport.DatagramSocket;
import io.sirocco.net.transport.TransportLoop;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The UDP sockets of one loop on io_uring: the ring tells when one is readable, plain calls receive
 * and send many datagrams at a time, and never block. Loop-confined.
 */
final class UringDatagrams {
    private static final int PER_TURN = 256;
    private static final int PER_CALL = 32;
    private static final int LONGEST = 1 << 16;

    /** Short datagrams at whole pages would all want the same places of the processor's cache. */
    private static final int STRIDE = LONGEST + 192;

    private static final int POLL_MULTISHOT = 1;
    private static final int POLLIN = 1;

    private final TransportLoop loop;
    private final Ring ring;
    private final List<Socket> sockets = new ArrayList<>(); // null where one was closed
    private final List<Integer> sequences = new ArrayList<>(); // which one of that number it is

    // There from the first socket on
    private long input; // 0 before
    private DatagramHeaders received;
    private DatagramQueue queue;
    private PeerAddresses fourPeers;
    private PeerAddresses sixPeers;

    UringDatagrams(TransportLoop loop, Ring ring) {
        this.loop = loop;
        this.ring = ring;
    }

    /** One of them: a descriptor of the process. */
    final class Socket implements DatagramSocket {
        private final int descriptor;
        private final PeerAddresses peers;
        private final Runnable more = this::receiveMore;
        private Receiver receiver;
        private int number;
        private int sequence;
        private boolean waits; // for its next turn to receive
        private boolean closed;
        private long dropped;

        Socket(int descriptor, PeerAddresses peers) {
            this.descriptor = descriptor;
            this.peers = peers;
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

        private void receiveMore() {
            waits = false;
            receive();
        }

        /** Delivers all that is there: the ring does not tell twice. */
        private void receive() {
            if (waits) {
                return;
            }
            for (int left = PER_TURN; left > 0 && !closed; ) {
                int count = received.receive(descriptor, Math.min(left, PER_CALL));
                if (count == -Linux.EAGAIN) {
                    return;
                }
                for (int i = 0; i < count && !closed; i++) {
                    deliver(i);
                }
                flush(); // responses need not wait for the rest
                left -= Math.max(1, count); // an error may be that of a datagram that was sent
            }
            if (!closed) {
                waits = true;
                loop.loop().execute(more); // the others have their turn first
            }
        }

        private void deliver(int index) {
            int length = received.receivedLength(index);
            byte[] slab = loop.slab(length);
            MemorySegment.copy(MEMORY, JAVA_BYTE, bytes(index), slab, 0, length);
            receiver.received(slab, length, peers.of(received.name(index)).address);
            loop.flushIfLate();
        }

        @Override
        public boolean send(byte[] bytes, int length, InetSocketAddress to) {
            if (closed) {
                return false;
            }
            queue.add(this, bytes, length, peers.of(to));
            return true;
        }

        int descriptor() {
            return descriptor;
        }

        void drop() {
            dropped++;
        }

        @Override
        public long dropped() {
            return dropped;
        }

        @Override
        public void close() {
            if (!closed) {
                flush();
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
    DatagramSocket bind(InetSocketAddress address, boolean broadcast, boolean reuse)
            throws IOException {
        prepare();
        boolean six = SocketAddresses.family(address) == Linux.AF_INET6;
        int descriptor = LinuxSockets.datagrams(address, broadcast, reuse);
        return new Socket(descriptor, six ? sixPeers : fourPeers);
    }

    /** Returns the number that {@code socket} has until it is closed. */
    private int add(Socket socket) {
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

    private void prepare() throws IOException {
        if (input != 0) {
            return;
        }
        fourPeers = new PeerAddresses();
        sixPeers = new PeerAddresses();
        received = new DatagramHeaders(loop.arena(), PER_CALL);
        input = LinuxSockets.check("memory for datagrams", Linux.memory(memorySize()));
        queue = new DatagramQueue(loop.arena(), input + (long) PER_CALL * STRIDE);
        for (int i = 0; i < PER_CALL; i++) {
            received.setBytes(i, bytes(i), LONGEST);
        }
    }

    private static long memorySize() {
        return (long) PER_CALL * STRIDE + DatagramQueue.MAX_BYTES;
    }

    private long bytes(int index) {
        return input + (long) index * STRIDE;
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

    /** Sends the datagrams that wait. */
    void flush() {
        if (queue != null) {
            queue.flush();
        }
    }

    /** Closes all sockets, and gives the memory back. */
    void closeAll() {
        sockets.stream().filter(Objects::nonNull).toList().forEach(Socket::close);
        if (input != 0) {
            Linux.munmap(input, memorySize());
            input = 0;
            queue = null;
        }
    }
}
