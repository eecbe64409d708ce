// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static io.sirocco.net.linux.Linux.MEMORY;

import io.sirocco.net.Connection;
import io.sirocco.net.linux.Linux;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.output.OutputChunk;
import io.sirocco.net.transport.ConnectionOrigin;
import io.sirocco.net.transport.TransportAcceptor;
import java.net.SocketAddress;

/**
 * A connection on io_uring: a slot of a {@link UringTable}, and the operations that are under way
 * on it.
 *
 * <p>Receive is multishot: armed once, it posts a completion for each piece of input, in a buffer
 * of the kernel's choice. The first receive of a connection is not, so that one that ends behind
 * its first response has none to cancel. The slot is closed only when nothing is under way on it,
 * so neither can a completion arrive for a slot that has a new owner, nor an operation reach the
 * new owner's socket. Closing therefore begins with cancelling. Loop-confined.
 */
final class UringConnection extends Connection {
    static {
        LinkedErrors.link(OutOfMemoryError.class);
    }

    // The state: the sequence number is in its upper half
    private static final int WANTED = 1; // input is wanted
    private static final int RECEIVING = 1 << 1; // a receive is armed
    private static final int CANCELLING = 1 << 2;
    private static final int SENDING = 1 << 3;
    private static final int ENDED = 1 << 4;
    private static final int CLOSING = 1 << 5;
    private static final int SHUTTING = 1 << 6; // shutting down, on a thread of the kernel's
    static final int FULL = 1 << 7; // it is to become writable
    static final int INSTALLING = 1 << 8; // an ordinary descriptor is on its way
    static final int LENT = 1 << 9; // it has come, and its file is to be sent next
    private static final int UNLENT = 1 << 10; // none was to be had: the file is read in pieces
    private static final int DISCONNECTING = 1 << 11;
    private static final int RECEIVED_ONCE = 1 << 12;
    private static final int BUSY =
            RECEIVING | SENDING | SHUTTING | FULL | INSTALLING | DISCONNECTING;

    /** The operations that can be cancelled; the others end by themselves. */
    private static final int CANCELLABLE = RECEIVING | SENDING | FULL;

    private static final int RECV_MULTISHOT = 2;
    private static final int POLLOUT = 4;
    private static final int SHUT_WR = 1;

    final UringTable table;
    final int slot;
    private int state;

    /** Puts the connection into {@code slot} of {@code table}. */
    UringConnection(ConnectionOrigin origin, UringTable table, int slot) {
        super(origin);
        this.table = table;
        this.slot = slot;
        this.state = table.nextSequence() << 16;
        table.put(this);
    }

    /** Returns its number among those that have had the slot, of 16 bits. */
    int sequence() {
        return state >>> 16;
    }

    /** Returns whether any of {@code flags} is set. */
    boolean has(int flags) {
        return (state & flags) != 0;
    }

    private long about(int kind) {
        return Uring.userData(kind, state >>> 16, slot);
    }

    /** Starts an operation on its socket. */
    private long entry(int operation, long address, int length, int flags, int kind) {
        return table.ring.entry(
                operation, Ring.FIXED_FILE, slot, address, length, flags, about(kind));
    }

    // ---- input

    @Override
    protected void reading(boolean on) {
        if (on) {
            state |= WANTED;
            receive();
        } else {
            state &= ~WANTED;
            if ((state & (RECEIVING | CANCELLING)) == RECEIVING) {
                state |= CANCELLING;
                table.ring.cancel(about(Uring.RECEIVED));
            }
        }
    }

    private void receive() {
        if ((state & (WANTED | RECEIVING | ENDED | CLOSING)) == WANTED) {
            int most = table.ring.buffers.size();
            int size = readSize(most);
            boolean whole = size == most; // else bandwidth bounds it: piece by piece
            boolean again = (state & RECEIVED_ONCE) != 0;
            state |= RECEIVING | RECEIVED_ONCE;
            long entry =
                    table.ring.entry(
                            Ring.RECV,
                            Ring.FIXED_FILE | Ring.BUFFER_SELECT,
                            slot,
                            0,
                            whole ? 0 : size,
                            0,
                            about(Uring.RECEIVED));
            if (whole && again) {
                Ring.priority(entry, RECV_MULTISHOT);
                Ring.limit(entry, table.ring.buffers.limit());
            } else {
                Ring.priority(entry, 0);
            }
            Ring.bufferGroup(entry);
        }
    }

    /** Takes the outcome of a receive, and gives its buffer back; {@code null} is gone. */
    static void received(UringConnection connection, Ring ring, int result, int flags) {
        boolean more = (flags & Ring.MORE) != 0;
        if (connection != null && !more) {
            connection.state &= ~(RECEIVING | CANCELLING);
        }
        boolean all = false; // of what has come so far
        if ((flags & Ring.HAS_BUFFER) != 0) {
            ReceiveBuffers.Buffer buffer = ring.buffers.buffer(flags >>> 16);
            if (result > 0 && connection != null) {
                connection.received(MEMORY, ring.buffers.next(buffer), result, buffer);
            }
            boolean goesOn = (flags & Ring.BUFFER_MORE) != 0;
            all = ring.buffers.taken(buffer, result, goesOn) && result > 0;
        }
        if (connection != null) {
            connection.received(result, more, all);
        }
    }

    private void received(int result, boolean more, boolean all) {
        if (result == 0) {
            state |= ENDED;
            endOfInput();
        } else if (result < 0 && result != -Linux.ENOBUFS && result != -Linux.ECANCELED) {
            state |= ENDED;
            socketFailed();
        }
        if (!more) {
            if (!all || !closesWhenSent()) {
                receive(); // what is unread at a close would reset it
            }
            releaseWhenIdle();
        }
    }

    // ---- output

    @Override
    protected boolean sendsFiles() {
        return (state & UNLENT) == 0;
    }

    @Override
    protected int send(OutputChunk chunk, int length) {
        boolean beforeFile = chunk.next() != null && chunk.next().file() != null;
        if (chunk.file() != null || beforeFile && sendsFiles()) {
            return sendFile(chunk, length);
        }
        state |= SENDING;
        boolean several = chunk.inMemoryBefore() && length == chunk.length();
        if (several && !isRateLimited()) {
            table.ring.sendMessage(slot, chunk, about(Uring.SENT));
        } else {
            entry(Ring.SEND, chunk.address(), length, Linux.MSG_NOSIGNAL, Uring.SENT);
        }
        return -1;
    }

    /** Takes the outcome of a send. */
    void sendDone(int result) {
        state &= ~(SENDING | UNLENT);
        if (result >= 0) {
            sent(result);
        } else if (result == -Linux.EAGAIN || result == -Linux.EINTR) {
            sent(0);
        } else {
            socketFailed();
        }
        releaseWhenIdle();
    }

    /**
     * Sends a file, or the bytes before one: at once, by calls of their own, since rings have none.
     * They need an ordinary descriptor: where the connection has none, it is asked for, and {@link
     * #installed} has this tried again.
     */
    private int sendFile(OutputChunk chunk, int length) {
        if (has(FULL | INSTALLING)) {
            return -1;
        }
        UringFiles files = table.transport.files();
        if (!files.has(this)) {
            if (files.reserve(this)) {
                state |= INSTALLING;
                entry(Ring.FIXED_FD_INSTALL, 0, 0, 0, Uring.INSTALLED);
                return -1;
            }
            state |= UNLENT;
            return 0; // it is asked for again, and read this time
        }
        state &= ~LENT;
        int taken = files.send(this, chunk, length);
        if (taken == length) {
            return taken;
        } else if (taken > 0) {
            awaitRoom(); // it would take no more now: do not even ask
            return taken;
        } else if (taken == 0) {
            cutShort();
        } else if (taken == -Linux.EAGAIN || taken == -Linux.EINTR) {
            awaitRoom();
        } else {
            socketFailed();
        }
        return -1;
    }

    /** Takes an ordinary descriptor of its socket, or a refusal. */
    void installed(int descriptor) {
        UringFiles files = table.transport.files();
        state &= ~INSTALLING;
        if (has(CLOSING)) {
            Uring.closeIfAny(descriptor);
            files.forget(this);
            releaseWhenIdle();
            return;
        }
        if (descriptor >= 0) {
            state |= LENT;
            files.keep(this, descriptor);
        } else {
            state |= UNLENT;
            files.forget(this);
        }
        sent(0);
    }

    private void awaitRoom() {
        state |= FULL;
        entry(Ring.POLL_ADD, 0, 0, POLLOUT, Uring.WRITABLE);
    }

    /** The socket takes more of a file. */
    void writable() {
        state &= ~FULL;
        sent(0);
        releaseWhenIdle();
    }

    @Override
    protected void shutdownOutput() {
        state |= SHUTTING;
        entry(Ring.SHUTDOWN, 0, SHUT_WR, 0, Uring.SHUT);
    }

    /** The shutdown has ended; how does not matter. */
    void shut() {
        state &= ~SHUTTING;
        releaseWhenIdle();
    }

    // ---- ends

    @Override
    protected void closeSocket() {
        state |= CLOSING;
        if (has(RECEIVING)) {
            table.ring.cancel(about(Uring.RECEIVED));
        }
        if (has(SENDING)) {
            table.ring.cancel(about(Uring.SENT));
        }
        if (has(FULL)) {
            table.ring.cancel(about(Uring.WRITABLE));
        }
        if (!has(CANCELLABLE)) {
            try {
                loop().execute(this::releaseWhenIdle);
            } catch (OutOfMemoryError e) { // it would never be released
                table.transport.loop().die(e);
            }
        }
    }

    private void releaseWhenIdle() {
        if ((state & (CLOSING | BUSY)) == CLOSING) {
            state = ENDED; // once only
            table.transport.files().forget(this);
            table.remove(slot);
            table.used--;
            table.closeSlot(slot);
            gone();
        }
    }

    /**
     * Connecting to no address disconnects, which resets (RFC 9293 3.10.5); of a Unix-domain socket
     * it is refused, and nothing is to be reset there.
     */
    @Override
    protected void resetOnClose() {
        state |= DISCONNECTING;
        long entry = entry(Ring.CONNECT, table.transport.unspecified(), 0, 0, Uring.DISCONNECTED);
        Ring.offset(entry, Uring.INET);
    }

    /** The reset has ended; how does not matter. */
    void disconnected() {
        state &= ~DISCONNECTING;
        releaseWhenIdle();
    }

    @Override
    protected void handOver(TransportAcceptor target) {
        table.transport.accepts().handOver(this, target);
    }

    // ---- addresses

    @Override
    protected SocketAddress remoteAddress() {
        return table.transport.names().remote(table.ring, slot);
    }

    @Override
    protected SocketAddress localAddress() {
        return table.transport.names().local(table.ring, slot);
    }
}
