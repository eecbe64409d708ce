// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.datagram;

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

/**
 * The UDP sockets of one loop on Linux: its transport tells when one is readable, plain calls
 * receive and send many datagrams at a time, and never block. Loop-confined.
 */
public final class LinuxDatagrams {
    private static final int PER_TURN = 256;
    private static final int PER_CALL = 32;
    private static final int LONGEST = 1 << 16;

    /** Short datagrams at whole pages would all want the same places of the processor's cache. */
    private static final int STRIDE = LONGEST + 192;

    /** How a transport learns that a socket is readable. It then calls {@link Socket#receive}. */
    public interface Poller {
        /** Begins to wait until there is something to receive, again and again. */
        void watch(Socket socket) throws IOException;

        /** Ends that. The descriptor is closed next. */
        void forget(Socket socket);
    }

    private final TransportLoop loop;
    private final Poller poller;
    private final List<Socket> open = new ArrayList<>(); // those that receive

    // There from the first socket on
    private long input; // 0 before
    private DatagramHeaders received;
    private DatagramQueue queue;
    private PeerAddresses fourPeers;
    private PeerAddresses sixPeers;

    /** Prepares for sockets of {@code loop}; there is none yet. */
    public LinuxDatagrams(TransportLoop loop, Poller poller) {
        this.loop = loop;
        this.poller = poller;
    }

    /** One of them: a descriptor of the process. */
    public final class Socket implements DatagramSocket {
        private final int descriptor;
        private final PeerAddresses peers;
        private final Runnable more = this::receiveMore;
        private Receiver receiver;
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
        public void open(Receiver receiver) throws IOException {
            this.receiver = receiver;
            poller.watch(this);
            open.add(this);
        }

        private void receiveMore() {
            waits = false;
            receive();
        }

        /** Delivers all that is there: io_uring does not tell twice, though epoll does. */
        public void receive() {
            if (waits || closed) {
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

        /** Returns its descriptor. */
        public int descriptor() {
            return descriptor;
        }

        /** Returns whether it is closed. */
        public boolean isClosed() {
            return closed;
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
                if (open.remove(this)) {
                    poller.forget(this);
                }
                Linux.close(descriptor);
            }
        }
    }

    /** Binds {@code address}; see {@link io.sirocco.net.transport.Transport#bindDatagrams}. */
    public DatagramSocket bind(InetSocketAddress address, boolean broadcast, boolean reuse)
            throws IOException {
        prepare();
        boolean six = SocketAddresses.family(address) == Linux.AF_INET6;
        int descriptor = LinuxSockets.datagrams(address, broadcast, reuse);
        return new Socket(descriptor, six ? sixPeers : fourPeers);
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

    /** Sends the datagrams that wait. */
    public void flush() {
        if (queue != null) {
            queue.flush();
        }
    }

    /** Closes all sockets, and gives the memory back. */
    public void closeAll() {
        while (!open.isEmpty()) { // without allocating: there may be no heap
            open.getLast().close();
        }
        if (input != 0) {
            Linux.munmap(input, memorySize());
            input = 0;
            queue = null;
        }
    }
}
