// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

import static io.sirocco.net.linux.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sirocco.net.Connection;
import io.sirocco.net.linux.EpollSet;
import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxFiles;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.LinuxStreams;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.output.OutputChunk;
import io.sirocco.net.transport.ConnectionOrigin;
import io.sirocco.net.transport.TransportAcceptor;
import io.sirocco.net.transport.TransportAcceptor.Capacity;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/**
 * A connection on epoll. An event reports once that input has arrived or that there is room again,
 * so the connection remembers both until a call shows otherwise: a receive that brings less than
 * was asked for has emptied the socket, unless the stream has ended or has urgent data; then
 * nothing more of it is assumed. Output is watched for from the first send that the socket does not
 * take whole.
 *
 * <p>While most new connections have input when they are accepted ({@link EarlyInput}), a new one
 * is read before its events are registered. If it ends with the response, it is never registered,
 * which saves the CPU time of two changes of the set. Loop-confined.
 */
final class EpollConnection extends Connection implements Watched {
    static {
        LinkedErrors.link(OutOfMemoryError.class);
    }

    private static final int INTEREST = EpollSet.IN | EpollSet.PRI | EpollSet.RDHUP | EpollSet.EDGE;

    /** Of a socket whose output is watched for as well. */
    static final int INTEREST_OUT = INTEREST | EpollSet.OUT;

    private static final int WANTED = 1; // it is to be read
    private static final int READABLE = 2; // there may be something to read
    private static final int EXACT = 4; // a short receive does not mean that there is no more
    private static final int QUEUED = 8; // it is read in the next turn
    private static final int FULL = 16; // it takes no more output until an event
    private static final int WATCHES_OUTPUT = 32;
    private static final int FILES = 64; // it has the low-water mark of files
    private static final int ENDED = 128; // the input
    private static final int CLOSED = 256;
    private static final int WATCHED = 512; // its events are registered
    private static final int RECEIVED = 1024; // at least one byte

    private final Epoll transport;
    private final int descriptor;
    private int state;

    EpollConnection(ConnectionOrigin origin, Epoll transport, int descriptor) {
        super(origin);
        this.transport = transport;
        this.descriptor = descriptor;
    }

    /** Enters the table. Its events are not registered yet. */
    void enter() {
        transport.table().put(descriptor, this);
        if (transport.earlyInput().shouldTry()) {
            state |= READABLE;
        }
    }

    /** Has its events registered, unless it is read first. */
    void begin() {
        if (!has(QUEUED)) {
            watch();
        }
    }

    /** Has its events registered; the first ones are those that have occurred already. */
    void watch() {
        if (!has(WATCHED | CLOSED)) {
            watch(INTEREST);
        }
    }

    private void watch(int interest) {
        state |= WATCHED;
        long about = transport.table().data(descriptor);
        if (transport.set().add(descriptor, interest, about) < 0) {
            socketFailed(); // the kernel has no memory, or too much is watched (epoll_ctl(2))
        }
    }

    /** Takes over what was registered with {@link #INTEREST_OUT}, and the first events of it. */
    void takeOver(int events) {
        transport.table().replace(descriptor, this);
        state |= WATCHED | WATCHES_OUTPUT;
        note(events);
    }

    private boolean has(int flags) {
        return (state & flags) != 0;
    }

    // ---- events

    @Override
    public void ready(int events) {
        try {
            note(events);
            if (has(FULL) && (events & (EpollSet.OUT | EpollSet.ERR | EpollSet.HUP)) != 0) {
                state &= ~FULL;
                sent(0);
            }
            receive();
        } catch (OutOfMemoryError e) { // it is the end of this connection alone
            transport.loop().failed(e);
            socketFailed();
        }
    }

    private void note(int events) {
        if ((events & ~EpollSet.OUT) != 0) {
            state |= READABLE;
        }
        if ((events & ~(EpollSet.IN | EpollSet.OUT)) != 0) {
            state |= EXACT;
        }
    }

    // ---- input

    @Override
    protected void reading(boolean on) {
        if (on) {
            state |= WANTED;
            readInNextTurnIfReadable();
        } else {
            state &= ~WANTED;
        }
    }

    private void readInNextTurnIfReadable() {
        if (mayReceive()) {
            state |= QUEUED;
            transport.readInNextTurn(this);
        }
    }

    private boolean mayReceive() {
        int all = READABLE | WANTED | QUEUED | ENDED | CLOSED;
        return (state & all) == (READABLE | WANTED);
    }

    /** Reads what was left in the last turn. */
    void continueReading() {
        state &= ~QUEUED;
        try {
            receive();
            if (!has(WATCHED | CLOSED | QUEUED)) {
                transport.watchNext(this);
            }
        } catch (OutOfMemoryError e) {
            transport.loop().failed(e);
            socketFailed();
        }
    }

    private void receive() {
        if (!mayReceive()) {
            return;
        }
        int size = readSize(InputBuffers.SIZE);
        InputBuffers.Buffer buffer = transport.input().next();
        int n = LinuxStreams.receive(transport.state(), descriptor, buffer.address, size);
        if (!has(WATCHED | RECEIVED)) {
            transport.earlyInput().record(n >= 0);
        }
        if (n > 0) {
            state |= RECEIVED;
            if (n < size && !has(EXACT)) {
                state &= ~READABLE;
            }
            received(MEMORY, buffer.address, n, buffer);
            readInNextTurnIfReadable();
        } else if (n == 0) {
            state |= ENDED;
            endOfInput();
        } else if (n == -Linux.EAGAIN) {
            state &= ~READABLE;
            watch();
        } else if (n == -Linux.EINTR) {
            readInNextTurnIfReadable();
        } else {
            socketFailed();
        }
    }

    // ---- output

    @Override
    protected boolean sendsFiles() {
        return true;
    }

    @Override
    protected int send(OutputChunk chunk, int length) {
        if (has(FULL)) {
            return -1;
        }
        OutputChunk next = chunk.next();
        int taken;
        if (chunk.file() != null) {
            taken = sendFile(chunk, length);
            if (taken == 0) {
                cutShort();
                return -1;
            }
        } else if (next != null && next.file() != null) {
            long from = chunk.address();
            taken = (int) LinuxFiles.sendBefore(transport.state(), descriptor, from, length);
        } else if (length == chunk.length() && chunk.inMemoryBefore() && !isRateLimited()) {
            long message = transport.message(chunk);
            taken = LinuxStreams.sendMessage(transport.state(), descriptor, message);
        } else {
            long from = chunk.address();
            taken = LinuxStreams.send(transport.state(), descriptor, from, length);
        }
        if (taken > 0) {
            return taken;
        } else if (taken == -Linux.EAGAIN) {
            awaitRoom();
        } else if (taken == -Linux.EINTR) {
            return 0;
        } else {
            socketFailed();
        }
        return -1;
    }

    private int sendFile(OutputChunk chunk, int length) {
        if (!has(FILES)) {
            state |= FILES;
            Linux.setOption(
                    descriptor,
                    Linux.IPPROTO_TCP,
                    Linux.TCP_NOTSENT_LOWAT,
                    LinuxSockets.FILE_NOTSENT_LOW_WATER);
        }
        MemorySegment position = transport.scratch();
        position.set(JAVA_LONG, 0, chunk.position());
        int file = chunk.file().descriptor();
        return (int) LinuxFiles.sendFile(transport.state(), descriptor, file, position, length);
    }

    private void awaitRoom() {
        state |= FULL;
        if (!has(WATCHED)) {
            state |= WATCHES_OUTPUT;
            watch(INTEREST_OUT);
        } else if (!has(WATCHES_OUTPUT)) {
            state |= WATCHES_OUTPUT;
            long about = transport.table().data(descriptor);
            if (transport.set().modify(descriptor, INTEREST_OUT, about) < 0) {
                socketFailed(); // the kernel has no memory
            }
        }
    }

    @Override
    protected void shutdownOutput() {
        LinuxStreams.endOutput(transport.state(), descriptor); // its result does not matter
    }

    // ---- ends

    @Override
    protected void closeSocket() {
        closeNow();
        transport.loop().releaseAtTurnEnd(this);
    }

    /** Closes the descriptor, if that has not been done. */
    void closeNow() {
        if (!has(CLOSED)) {
            state |= CLOSED;
            transport.table().remove(descriptor);
            Linux.close(descriptor);
        }
    }

    @Override
    protected void resetOnClose() {
        Linux.setOption(descriptor, Linux.SOL_SOCKET, Linux.SO_LINGER, 1, 0);
    }

    @Override
    protected void handOver(TransportAcceptor target) {
        state |= CLOSED;
        transport.table().remove(descriptor);
        if (has(WATCHED)) {
            transport.set().remove(descriptor);
        }
        EpollListener.handOver(descriptor, target.place(Capacity.SLOT));
    }

    // ---- addresses

    @Override
    protected SocketAddress remoteAddress() {
        return name(true);
    }

    @Override
    protected SocketAddress localAddress() {
        return name(false);
    }

    private SocketAddress name(boolean ofPeer) {
        if (has(CLOSED)) {
            return UnixDomainSocketAddress.of("");
        }
        try {
            return LinuxSockets.name(descriptor, ofPeer);
        } catch (IOException e) {
            return UnixDomainSocketAddress.of(""); // the peer is gone
        }
    }
}
