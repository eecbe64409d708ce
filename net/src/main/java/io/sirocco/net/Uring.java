// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static io.sirocco.net.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.List;

/**
 * io_uring. Sockets are direct descriptors: they live in a ring's table ({@link UringTables}) and
 * cost the process none.
 *
 * <p>Accept ({@link UringAccepts}) and receive are multishot: armed once, they post a completion
 * for each connection or piece of input, the latter in a buffer of the kernel's choice. A slot is
 * closed only when nothing is under way on it, so neither can a completion arrive for a slot that
 * has a new owner, nor an operation reach the new owner's socket. Closing therefore begins with
 * cancelling.
 */
final class Uring implements Transport {
    // What completions are about: the top byte of their user data
    private static final int IGNORED = 0;
    static final int ACCEPTED = 1;
    private static final int RECEIVED = 2;
    private static final int SENT = 3;
    private static final int WOKEN = 4;
    private static final int TIME = 5;
    static final int HANDED_OVER = 6; // here: the socket may leave this table
    static final int TAKEN_OVER = 7; // there: from another table of this loop
    static final int ARRIVED = 8; // there: from another loop
    static final int RING_READY = 9;
    private static final int READABLE = 10;
    private static final int INSTALLED = 11;
    private static final int SHUT = 12;
    static final int PLACED = 13; // a socket of our own is in the table
    static final int TRIED = 14; // ... and connected, or not
    private static final int WRITABLE = 15; // it takes more of a file

    // Connection.transportState
    private static final int WANTED = 1; // input is wanted
    private static final int RECEIVING = 1 << 1; // a receive is armed
    private static final int CANCELLING = 1 << 2;
    private static final int SENDING = 1 << 3;
    private static final int ENDED = 1 << 4;
    private static final int CLOSING = 1 << 5;
    private static final int SHUTTING = 1 << 6; // shutting down, on a thread of the kernel's
    private static final int FULL = 1 << 7; // it is to become writable
    private static final int BUSY = RECEIVING | SENDING | SHUTTING | FULL;

    private static final int RECV_MULTISHOT = 2;
    private static final int POLL_MULTISHOT = 1;
    private static final int POLLIN = 1;
    private static final int POLLOUT = 4;
    private static final int SHUT_WR = 1;

    /** For tests: the places of one table. */
    static final String TABLE_SIZE = "io.sirocco.net.tableSize";

    private final Loop loop;
    private final UringTables tables;
    private final Ring main;
    private final List<Ring> further;
    private final UringAccepts accepts;
    private final UringAttempts attempts = new UringAttempts();
    private final UringDatagrams datagrams;
    private final UringFiles files;
    private final Object waking = new Object();
    private boolean awake; // for good: it is closed
    private final int wakeUp;
    private final MemorySegment timespec;
    private long timerAt = Long.MAX_VALUE;
    private int timers;

    record Listening(int descriptor) implements Gate.Socket {}

    record DatagramSocket(int descriptor) implements Datagrams.Socket {
        @Override
        public InetSocketAddress address() throws IOException {
            return (InetSocketAddress) LinuxSockets.local(descriptor);
        }
    }

    Uring(Loop loop) throws IOException {
        this.loop = loop;
        Arena arena = loop.arena;
        int tableSize = Integer.getInteger(TABLE_SIZE, Linux.openFilesLimit());
        tables = new UringTables(loop, tableSize);
        main = tables.main();
        further = tables.further();
        accepts = new UringAccepts(loop, tables);
        wakeUp = Linux.eventfd();
        if (wakeUp < 0) {
            tables.close();
            throw Linux.failure("eventfd", wakeUp);
        }
        datagrams = new UringDatagrams(loop);
        files = new UringFiles(arena, tableSize);
        timespec = arena.allocate(16, 8);
        listenForWakeUp();
    }

    @Override
    public TransportKind kind() {
        return TransportKind.IO_URING;
    }

    static long userData(int kind, int number) {
        return (long) kind << 56 | number & 0xffffffffL;
    }

    // ---- the turn

    @Override
    public void await(boolean mayBlock) {
        boolean wait = mayBlock;
        for (Ring ring : further) {
            if (ring.hasUnsubmitted()) {
                ring.submit(0);
            }
            wait &= ring.firstCompletion() == ring.lastCompletion();
        }
        if (wait) {
            setTimer();
        }
        main.submit(wait ? 1 : 0);
    }

    @Override
    public void dispatch() {
        drain(main);
        for (int i = 0; i < further.size(); i++) {
            Ring ring = further.get(i);
            if (ring.firstCompletion() != ring.lastCompletion()) {
                drain(ring);
            }
        }
    }

    private void drain(Ring ring) {
        int index = ring.firstCompletion();
        for (int end = ring.lastCompletion(); index != end; index++) {
            long completion = ring.completion(index);
            long about = Ring.userData(completion);
            int result = Ring.result(completion);
            int flags = Ring.flags(completion);
            int number = (int) about;
            switch ((int) (about >>> 56)) {
                case RECEIVED -> received(ring, ring.table[number], result, flags);
                case SENT -> sent(ring.table[number], result);
                case SHUT -> shut(ring.table[number]);
                case ACCEPTED -> accepts.accepted(number, result, flags);
                case TAKEN_OVER -> accepts.takenOver(ring, result, number);
                case ARRIVED -> accepts.arrived(number, result);
                case HANDED_OVER -> accepts.handedOver(number, result);
                case WOKEN -> listenForWakeUp();
                case TIME -> timerAt = number == timers ? Long.MAX_VALUE : timerAt;
                case RING_READY -> tables.ready(number);
                case PLACED -> attempts.placed(number, result);
                case TRIED -> attempts.tried(number, result);
                case READABLE -> readable(number, result, flags);
                case WRITABLE -> writable(ring.table[number]);
                default -> {}
            }
        }
        ring.consumed(index);
    }

    private void setTimer() {
        long ahead = loop.untilNext();
        if (ahead < 0 || loop.nanos() + ahead >= timerAt) {
            return;
        }
        timerAt = loop.nanos() + ahead;
        timespec.set(JAVA_LONG, 0, ahead / 1_000_000_000);
        timespec.set(JAVA_LONG, 8, ahead % 1_000_000_000);
        main.entry(Ring.TIMEOUT, 0, -1, timespec.address(), 1, 0, userData(TIME, ++timers));
    }

    @Override
    public void wake() {
        synchronized (waking) { // a late caller must not write to whatever has the number next
            if (!awake) {
                Linux.signal(wakeUp);
            }
        }
    }

    private void listenForWakeUp() {
        tables.listenTo(wakeUp, userData(WOKEN, 0));
    }

    /** The ring that others hand connections over to. Any thread. */
    Ring mainRing() {
        return main;
    }

    // ---- accepting

    @Override
    public Gate.Socket bind(SocketAddress address, int backlog, boolean shared) throws IOException {
        return new Listening(LinuxSockets.listen(address, backlog, shared));
    }

    /** The address that {@code socket} is bound to. */
    static SocketAddress address(Listening socket) throws IOException {
        return LinuxSockets.local(socket.descriptor);
    }

    @Override
    public void release(Gate.Socket socket) {
        if (socket instanceof Listening listening) {
            Linux.close(listening.descriptor);
        }
    }

    @Override
    public void listen(Gate gate) {
        accepts.listen(gate);
    }

    @Override
    public void accepting(Gate gate, boolean on) {
        accepts.accepting(gate, on);
    }

    @Override
    public void unlisten(Gate gate) {
        accepts.unlisten(gate);
    }

    // ---- connecting

    @Override
    public void connect(Attempt attempt) throws IOException {
        attempts.begin(attempt, tables.roomy());
    }

    @Override
    public void giveUp(Attempt attempt) {
        attempts.giveUp(attempt);
    }

    // ---- connections

    @Override
    public void reading(Connection connection, boolean on) {
        if (on) {
            connection.transportState |= WANTED;
            receive(connection);
        } else {
            connection.transportState &= ~WANTED;
            if ((connection.transportState & (RECEIVING | CANCELLING)) == RECEIVING) {
                connection.transportState |= CANCELLING;
                cancel((Ring) connection.place, userData(RECEIVED, connection.slot));
            }
        }
    }

    private void receive(Connection connection) {
        if ((connection.transportState & (WANTED | RECEIVING | ENDED | CLOSING)) == WANTED) {
            connection.transportState |= RECEIVING;
            int flags = Ring.FIXED_FILE | Ring.BUFFER_SELECT;
            long about = userData(RECEIVED, connection.slot);
            int size = connection.readSize(Ring.BUFFER_SIZE);
            boolean whole = size == Ring.BUFFER_SIZE; // else bandwidth bounds it: piece by piece
            long entry =
                    ((Ring) connection.place)
                            .entry(
                                    Ring.RECV,
                                    flags,
                                    connection.slot,
                                    0,
                                    whole ? 0 : size,
                                    0,
                                    about);
            Ring.priority(entry, whole ? RECV_MULTISHOT : 0);
            Ring.bufferGroup(entry);
        }
    }

    private void received(Ring ring, Connection connection, int result, int flags) {
        if ((flags & Ring.MORE) == 0) {
            connection.transportState &= ~(RECEIVING | CANCELLING);
        }
        if ((flags & Ring.HAS_BUFFER) != 0) {
            int buffer = flags >>> 16;
            if (result > 0) {
                connection.received(MEMORY, ring.buffer(buffer), result);
            }
            ring.recycle(buffer);
        }
        if (result == 0) {
            connection.transportState |= ENDED;
            connection.endOfInput();
        } else if (result < 0 && result != -Linux.ENOBUFS && result != -Linux.ECANCELED) {
            connection.transportState |= ENDED;
            connection.close(CloseCause.RESET);
        }
        if ((flags & Ring.MORE) == 0) {
            receive(connection);
            releaseWhenIdle(connection);
        }
    }

    @Override
    public boolean sendsFiles(Connection connection) {
        return files.descriptor(connection) >= 0;
    }

    @Override
    public int send(Connection connection, Chunk chunk, int length) {
        boolean beforeFile = chunk.next != null && chunk.next.file != null;
        if (chunk.file != null || beforeFile && sendsFiles(connection)) {
            return sendFile(connection, chunk, length);
        }
        connection.transportState |= SENDING;
        long address = chunk.address + chunk.start;
        long about = userData(SENT, connection.slot);
        ((Ring) connection.place)
                .entry(
                        Ring.SEND,
                        Ring.FIXED_FILE,
                        connection.slot,
                        address,
                        length,
                        Linux.MSG_NOSIGNAL,
                        about);
        return -1;
    }

    /** A file, or what goes before it: at once, by calls of their own, since rings have none. */
    private int sendFile(Connection connection, Chunk chunk, int length) {
        if ((connection.transportState & FULL) != 0) {
            return -1;
        }
        int taken = files.send(connection, chunk, length);
        if (taken == length) {
            return taken;
        } else if (taken > 0) {
            awaitRoom(connection); // it would take no more now: do not even ask
            return taken;
        } else if (taken == 0) {
            connection.cutShort();
        } else if (taken == -Linux.EAGAIN || taken == -Linux.EINTR) {
            awaitRoom(connection);
        } else {
            connection.close(CloseCause.RESET);
        }
        return -1;
    }

    private void awaitRoom(Connection connection) {
        connection.transportState |= FULL;
        long about = userData(WRITABLE, connection.slot);
        ((Ring) connection.place)
                .entry(Ring.POLL_ADD, Ring.FIXED_FILE, connection.slot, 0, 0, POLLOUT, about);
    }

    private void writable(Connection connection) {
        connection.transportState &= ~FULL;
        connection.sent(0);
        releaseWhenIdle(connection);
    }

    private void sent(Connection connection, int result) {
        connection.transportState &= ~SENDING;
        if (result >= 0) {
            connection.sent(result);
        } else if (result == -Linux.EAGAIN || result == -Linux.EINTR) {
            connection.sent(0);
        } else {
            connection.close(CloseCause.RESET);
        }
        releaseWhenIdle(connection);
    }

    @Override
    public void shutdownOutput(Connection connection) {
        connection.transportState |= SHUTTING;
        long about = userData(SHUT, connection.slot);
        ((Ring) connection.place)
                .entry(Ring.SHUTDOWN, Ring.FIXED_FILE, connection.slot, 0, SHUT_WR, 0, about);
    }

    private void shut(Connection connection) {
        connection.transportState &= ~SHUTTING;
        releaseWhenIdle(connection);
    }

    @Override
    public void close(Connection connection) {
        connection.transportState |= CLOSING;
        Ring ring = (Ring) connection.place;
        if ((connection.transportState & RECEIVING) != 0) {
            cancel(ring, userData(RECEIVED, connection.slot));
        }
        if ((connection.transportState & SENDING) != 0) {
            cancel(ring, userData(SENT, connection.slot));
        }
        if ((connection.transportState & FULL) != 0) {
            cancel(ring, userData(WRITABLE, connection.slot));
        }
        if ((connection.transportState & (RECEIVING | SENDING | FULL)) == 0) {
            loop.execute(() -> releaseWhenIdle(connection));
        }
    }

    private void releaseWhenIdle(Connection connection) {
        if ((connection.transportState & (CLOSING | BUSY)) == CLOSING) {
            connection.transportState = ENDED; // once only
            files.forget(connection);
            Ring ring = (Ring) connection.place;
            ring.table[connection.slot] = null;
            ring.connections--;
            closeSlot(ring, connection.slot);
            connection.gone();
        }
    }

    static void closeSlot(Ring ring, int slot) {
        long entry = ring.entry(Ring.CLOSE, Ring.SKIP_SUCCESS, 0, 0, 0, 0, userData(IGNORED, 0));
        Ring.fileIndex(entry, slot + 1);
    }

    /**
     * By what it is about: the kernel finds that in a hash table, while by descriptor it would look
     * at everything.
     */
    static void cancel(Ring ring, long about) {
        ring.entry(Ring.ASYNC_CANCEL, 0, -1, about, 0, 0, userData(IGNORED, 0));
    }

    @Override
    public void resetOnClose(Connection connection) {
        int descriptor = lend(connection);
        if (descriptor >= 0) {
            Linux.setOption(descriptor, Linux.SOL_SOCKET, Linux.SO_LINGER, 1, 0); // on, for no time
            Linux.close(descriptor);
        }
    }

    @Override
    public SocketAddress remote(Connection connection) {
        return name(connection, true);
    }

    @Override
    public SocketAddress local(Connection connection) {
        return name(connection, false);
    }

    private static SocketAddress name(Connection connection, boolean ofPeer) {
        int descriptor = lend(connection);
        if (descriptor >= 0) {
            try {
                return LinuxSockets.name(descriptor, ofPeer);
            } catch (IOException e) {
                // it is gone already
            } finally {
                Linux.close(descriptor);
            }
        }
        return UnixDomainSocketAddress.of("");
    }

    /**
     * An ordinary descriptor of the socket, for what has no operation of its own; negative when
     * there is none to be had. The caller closes it.
     */
    static int lend(Connection connection) {
        Ring ring = (Ring) connection.place;
        long about = userData(INSTALLED, 0);
        ring.entry(Ring.FIXED_FD_INSTALL, Ring.FIXED_FILE, connection.slot, 0, 0, 0, about);
        ring.submit(0);
        int end = ring.lastCompletion();
        for (int index = ring.firstCompletion(); index != end; index++) {
            long completion = ring.completion(index);
            if (Ring.userData(completion) == about) {
                Ring.forget(completion);
                return Ring.result(completion);
            }
        }
        return -1;
    }

    // ---- datagrams

    @Override
    public Datagrams.Socket bindDatagrams(InetSocketAddress address) throws IOException {
        return new DatagramSocket(LinuxSockets.datagrams(address));
    }

    @Override
    public void open(Datagrams socket) {
        int number = datagrams.add(socket);
        poll(number, socket);
    }

    private void poll(int number, Datagrams socket) {
        int descriptor = UringDatagrams.descriptor(socket);
        long about = userData(READABLE, number);
        main.entry(Ring.POLL_ADD, 0, descriptor, 0, POLL_MULTISHOT, POLLIN, about);
    }

    private void readable(int number, int result, int flags) {
        Datagrams socket = datagrams.get(number);
        if (result >= 0 && !socket.closed()) {
            datagrams.receive(socket);
        }
        if ((flags & Ring.MORE) == 0) {
            if (socket.closed()) {
                datagrams.forget(number); // nothing more can come for it
            } else {
                poll(number, socket);
            }
        }
    }

    @Override
    public int send(Datagrams socket, byte[] bytes, int length, InetSocketAddress to)
            throws IOException {
        return datagrams.send(socket, bytes, length, to);
    }

    @Override
    public void close(Datagrams socket) {
        cancel(main, userData(READABLE, datagrams.number(socket)));
        main.submit(0);
        Linux.close(UringDatagrams.descriptor(socket));
    }

    // ----

    @Override
    public void close() {
        accepts.close();
        datagrams.closeAll();
        files.close();
        tables.close();
        synchronized (waking) {
            awake = true;
            Linux.close(wakeUp);
        }
    }
}
