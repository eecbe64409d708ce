// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.epoll;

import io.sirocco.net.TransportKind;
import io.sirocco.net.datagram.LinuxDatagrams;
import io.sirocco.net.linux.EpollSet;
import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.WakeUp;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.output.ChunkMessage;
import io.sirocco.net.output.OutputChunk;
import io.sirocco.net.transport.ConnectingSocket;
import io.sirocco.net.transport.DatagramSocket;
import io.sirocco.net.transport.ListeningSocket;
import io.sirocco.net.transport.Transport;
import io.sirocco.net.transport.TransportAcceptor.Placement;
import io.sirocco.net.transport.TransportConnect;
import io.sirocco.net.transport.TransportLoop;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;

/**
 * The transport over epoll: one set of descriptors, buffers that all connections share. Connections
 * are registered edge-triggered, once; UDP and listening sockets level-triggered. Reads and sends
 * are non-blocking calls of their own. Loop-confined, except {@link #wake}.
 */
public final class Epoll implements Transport, LinuxDatagrams.Poller {
    static {
        LinkedErrors.link(
                OutOfMemoryError.class,
                EpollConnect.class,
                EpollConnection.class,
                EpollListener.class);
    }

    private final TransportLoop loop;
    private final EpollSet set;
    private final WatchedTable table = new WatchedTable();
    private final LinuxDatagrams datagrams;
    private final MemorySegment state; // errno
    private final MemorySegment scratch;
    private final EarlyInput earlyInput = new EarlyInput();
    private final InputBuffers input;
    private final long message;
    private final WakeUp wakeUp;
    private int spare = -1; // a descriptor to give up when there are no others; -1 for none
    private boolean closed;
    private int events; // that await has found
    private int dispatched; // how many of them
    private long turn; // turns so far

    // Connections that have more to read although no event will say so
    private EpollConnection[] unread = new EpollConnection[16];
    private EpollConnection[] reading = new EpollConnection[16]; // those of this turn
    private int unreadCount;

    // Connections whose events are registered if they have not ended in this turn
    private EpollConnection[] unwatched = new EpollConnection[16];
    private int unwatchedCount;

    /** Opens the set of {@code loop}. */
    public Epoll(TransportLoop loop) throws IOException {
        this.loop = loop;
        Arena arena = loop.arena();
        state = Linux.state(arena);
        scratch = arena.allocate(16, 8);
        input = new InputBuffers(arena);
        message = arena.allocate(ChunkMessage.SIZE, 64).address();
        set = new EpollSet(arena);
        int eventfd = Linux.eventfd();
        if (eventfd < 0) {
            set.close();
            throw Linux.failure("eventfd", eventfd);
        }
        wakeUp = new WakeUp(eventfd);
        long about = table.put(eventfd, ready -> {});
        int added = set.add(eventfd, EpollSet.IN | EpollSet.EDGE, about);
        if (added < 0) { // such as a filter of system calls that forbids it
            close();
            throw Linux.failure("epoll_ctl", added);
        }
        datagrams = new LinuxDatagrams(loop, this);
        openSpare();
    }

    @Override
    public TransportKind kind() {
        return TransportKind.EPOLL;
    }

    // ---- the turn

    @Override
    public void await(boolean mayBlock) {
        datagrams.flush();
        watchNew();
        if (dispatched < events) {
            return; // a long turn has left them to this one, and new ones come behind them
        }
        long ahead = mayBlock && unreadCount == 0 ? loop.untilNext() : 0;
        dispatched = 0;
        events = ahead == 0 ? set.look() : set.await(ahead);
    }

    @Override
    public void dispatch() {
        turn++;
        readUnread();
        while (dispatched < events) {
            int i = dispatched++;
            Watched watched = table.find(set.data(i)); // null if it was closed meanwhile
            try {
                if (watched != null) {
                    watched.ready(set.ready(i));
                }
            } catch (OutOfMemoryError e) { // the events of others are not reported again
                loop.failed(e);
            }
            if (events > 1) {
                loop.flushIfLate();
                if (loop.isTurnLong()) {
                    return;
                }
            }
        }
    }

    private void watchNew() {
        while (unwatchedCount > 0) { // without heap it goes on in the next turn
            EpollConnection connection = unwatched[--unwatchedCount];
            unwatched[unwatchedCount] = null;
            connection.watch();
        }
    }

    /** Reads from those that had more than was read in the last turn. */
    private void readUnread() {
        if (unreadCount == 0) {
            return;
        }
        EpollConnection[] due = unread;
        int count = unreadCount;
        unread = reading;
        reading = due;
        unreadCount = 0;
        for (int i = 0; i < count; i++) {
            EpollConnection connection = due[i];
            due[i] = null;
            if (loop.isTurnLong()) {
                readInNextTurn(connection);
                continue;
            }
            connection.continueReading();
            loop.flushIfLate();
        }
    }

    @Override
    public void submit() {
        datagrams.flush();
    }

    @Override
    public void cancelAll() {
        // nothing is in progress: each send was a call of its own
    }

    @Override
    public void closeListeners() {
        for (int i = 0; i < table.size(); i++) {
            if (table.get(i) instanceof EpollListener listener) {
                listener.closeNow();
            }
        }
    }

    @Override
    public void wake() {
        wakeUp.signal();
    }

    // ---- for its sockets

    TransportLoop loop() {
        return loop;
    }

    /** Returns the number of this turn. */
    long turn() {
        return turn;
    }

    WatchedTable table() {
        return table;
    }

    EpollSet set() {
        return set;
    }

    /** Returns memory for the errno of a call. */
    MemorySegment state() {
        return state;
    }

    EarlyInput earlyInput() {
        return earlyInput;
    }

    /** Returns 16 bytes, which are used until the next call. */
    MemorySegment scratch() {
        return scratch;
    }

    /** Returns the memory that everything is read into. */
    InputBuffers input() {
        return input;
    }

    /** Has {@link EpollConnection#continueReading} called in the next turn. */
    void readInNextTurn(EpollConnection connection) {
        if (unreadCount == unread.length) {
            unread = Arrays.copyOf(unread, unreadCount * 2);
        }
        unread[unreadCount++] = connection;
    }

    /** Has {@link EpollConnection#watch} called before the next wait. */
    void watchNext(EpollConnection connection) {
        if (unwatchedCount == unwatched.length) {
            unwatched = Arrays.copyOf(unwatched, unwatchedCount * 2);
        }
        unwatched[unwatchedCount++] = connection;
    }

    /**
     * Returns the address of a {@link ChunkMessage} of {@code first} and the chunks behind it. It
     * is used until the next call.
     */
    long message(OutputChunk first) {
        ChunkMessage.write(message, first);
        return message;
    }

    /** Makes a connection of {@code descriptor} at {@code place}, which is of this loop. */
    void admit(Placement place, int descriptor) {
        EpollConnection connection = null;
        try {
            connection = new EpollConnection(place.acceptor(), this, descriptor);
            connection.enter();
            place.accepted(connection);
            connection.begin();
            return;
        } catch (OutOfMemoryError e) {
            loop.failed(e);
        }
        if (connection == null) {
            Linux.close(descriptor);
        } else {
            connection.closeNow();
        }
        place.lost();
    }

    /** Returns whether there was one. */
    boolean closeSpare() {
        if (spare < 0) {
            return false;
        }
        Linux.close(spare);
        spare = -1;
        return true;
    }

    void openSpare() {
        spare = Linux.eventfd();
    }

    // ---- sockets

    @Override
    public ListeningSocket bind(SocketAddress address, int backlog, boolean shared)
            throws IOException {
        int type = Linux.SOCK_NONBLOCK;
        return new EpollListener(this, LinuxSockets.listen(address, backlog, shared, type));
    }

    @Override
    public int arrivals() {
        return ExpectedAccepts.MAX_PER_TURN;
    }

    @Override
    public ConnectingSocket connect(TransportConnect attempt) throws IOException {
        return EpollConnect.begin(this, attempt);
    }

    @Override
    public DatagramSocket bindDatagrams(InetSocketAddress address, boolean broadcast, boolean reuse)
            throws IOException {
        return datagrams.bind(address, broadcast, reuse);
    }

    @Override
    public void watch(LinuxDatagrams.Socket socket) throws IOException {
        int descriptor = socket.descriptor();
        long about = table.put(descriptor, ready -> socket.receive());
        int added = set.add(descriptor, EpollSet.IN, about); // again, if there was no heap for it
        if (added < 0) {
            table.remove(descriptor);
            throw Linux.failure("epoll_ctl", added);
        }
    }

    @Override
    public void forget(LinuxDatagrams.Socket socket) {
        table.remove(socket.descriptor());
    }

    // ----

    @Override
    public void close() {
        try {
            closeListeners();
            if (datagrams != null) {
                datagrams.closeAll();
            }
        } finally { // without heap, too
            closeConnections();
            closeOwn();
        }
    }

    /** Closes those for whose end there was no heap. */
    private void closeConnections() {
        for (int i = 0; i < table.size(); i++) {
            Watched each = table.get(i);
            if (each instanceof EpollConnection connection) {
                connection.closeNow();
            } else if (each instanceof EpollConnect connect) {
                connect.closeNow();
            }
        }
    }

    private void closeOwn() {
        if (closed) {
            return;
        }
        closed = true;
        wakeUp.close();
        set.close();
        closeSpare();
    }
}
