// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static io.sirocco.net.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * io_uring. Sockets are direct descriptors: they live in a ring's table and cost the process none.
 * A table has as many places as the process may have files open, so a loop adds rings when its
 * tables fill; the first is the one it waits on, and it hears of the others through an eventfd
 * each.
 *
 * <p>Accept and receive are multishot: armed once, they post a completion for each connection or
 * piece of input, the latter in a buffer of the kernel's choice. A slot is closed only when nothing
 * is under way on it, so neither can a completion arrive for a slot that has a new owner, nor an
 * operation reach the new owner's socket. Closing therefore begins with cancelling.
 */
final class Uring implements Transport {
    private static final LazyLogger LOG = LazyLogger.of(Uring.class);

    // What completions are about: the top byte of their user data
    private static final int IGNORED = 0;
    private static final int ACCEPTED = 1;
    private static final int RECEIVED = 2;
    private static final int SENT = 3;
    private static final int WOKEN = 4;
    private static final int TIME = 5;
    private static final int HANDED_OVER = 6; // here: the socket may leave this table
    private static final int TAKEN_OVER = 7; // there: from another table of this loop
    private static final int ARRIVED = 8; // there: from another loop
    private static final int RING_READY = 9;
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
    private static final int SHUTTING =
            1 << 6; // a shutdown is under way, on a thread of the kernel's
    private static final int FULL = 1 << 7; // it is to become writable
    private static final int BUSY = RECEIVING | SENDING | SHUTTING | FULL;

    private static final int ACCEPT_MULTISHOT = 1;
    private static final int RECV_MULTISHOT = 2;
    private static final int POLL_MULTISHOT = 1;
    private static final int POLLIN = 1;
    private static final int POLLOUT = 4;
    private static final int MSG_SEND_FD = 1;
    private static final int SHUT_WR = 1;

    /** For tests: the places of one table. */
    static final String TABLE_SIZE = "io.sirocco.net.tableSize";

    /** A smaller table could overflow by what one multishot accept brings. */
    private static final int ROOMY = 16_384;

    /** That much: a backlog of the usual size, and what joins it while the kernel empties it. */
    private static final int TURN_BRINGS = 5_000;

    /**
     * Places of the main table that only those have which are on their way to another: they leave
     * two turns later, and meanwhile more may come.
     */
    private static final int RESERVE = 8_192;

    private static final int BUFFERS = Connection.TURN_BRINGS / Ring.BUFFER_SIZE;
    private static final int BUFFERS_OF_FURTHER_RINGS = 256;

    private final Loop loop;
    private final int tableSize;
    private final Ring main;
    private final List<Ring> further = new ArrayList<>();
    private final List<Gate> gates = new ArrayList<>();
    private final UringAttempts attempts = new UringAttempts();
    private final UringDatagrams datagrams;
    private final UringFiles files;
    private int leaving; // places of the main table that are neither free nor a connection's
    private final Object waking = new Object();
    private boolean awake; // for good: it is closed
    private final int wakeUp;
    private final long wakeUpCount;
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
        tableSize = Integer.getInteger(TABLE_SIZE, Linux.openFilesLimit());
        main = new Ring(arena, tableSize, BUFFERS, false);
        wakeUp = Linux.eventfd();
        if (wakeUp < 0) {
            main.close();
            throw Linux.failure("eventfd", wakeUp);
        }
        wakeUpCount = arena.allocate(8, 8).address();
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
                case ACCEPTED -> accepted(gates.get(number), result, flags);
                case TAKEN_OVER -> admit(ring, result, gates.get(number));
                case ARRIVED -> arrived(gates.get(number), result);
                case HANDED_OVER -> handedOver(ring, number, result);
                case WOKEN -> listenForWakeUp();
                case TIME -> timerAt = number == timers ? Long.MAX_VALUE : timerAt;
                case RING_READY -> ready(further.get(number));
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
        main.entry(Ring.READ, 0, wakeUp, wakeUpCount, 8, 0, userData(WOKEN, 0));
    }

    private void ready(Ring ring) {
        ring.submit(0); // posts what the kernel has deferred
        listenTo(ring);
    }

    private void listenTo(Ring ring) {
        main.entry(
                Ring.READ,
                0,
                ring.eventfd,
                wakeUpCount,
                8,
                0,
                userData(RING_READY, further.indexOf(ring)));
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
        gate.id = gates.size();
        gates.add(gate);
        accept(gate);
    }

    private void accept(Gate gate) {
        if (gate.socket instanceof Listening socket) {
            long entry =
                    main.entry(
                            Ring.ACCEPT,
                            0,
                            socket.descriptor,
                            0,
                            0,
                            0,
                            userData(ACCEPTED, gate.id));
            gate.armed = true;
            gate.multishot = tableSize >= ROOMY && !gate.oneAtATime() && !crowded();
            Ring.priority(entry, gate.multishot ? ACCEPT_MULTISHOT : 0);
            Ring.fileIndex(entry, Ring.FILE_INDEX_ALLOC);
        }
    }

    @Override
    public void accepting(Gate gate, boolean on) {
        if (on && !gate.armed) {
            accept(gate);
        } else if (!on && gate.armed) {
            cancel(main, userData(ACCEPTED, gate.id));
        }
    }

    @Override
    public void unlisten(Gate gate) {
        if (gate.socket instanceof Listening socket) {
            if (gate.armed) {
                cancel(main, userData(ACCEPTED, gate.id));
            }
            main.submit(0);
            Linux.close(socket.descriptor);
        }
    }

    private void accepted(Gate gate, int result, int flags) {
        if ((flags & Ring.MORE) == 0) {
            gate.armed = false;
        }
        if (result >= 0) {
            Gate target = gate.takeNext();
            if (target.loop == loop) {
                place(target, result);
            } else {
                handOver(result, ((Uring) target.loop.poller()).main, userData(ARRIVED, target.id));
            }
        } else if (result != -Linux.ECANCELED && result != -Linux.EINTR && gate.accepting()) {
            gate.failed(Linux.reason(-result));
        }
        if (!gate.armed && gate.accepting()) {
            accept(gate);
        } else if (gate.armed && gate.multishot && (gate.oneAtATime() || crowded())) {
            gate.multishot = false;
            cancel(main, userData(ACCEPTED, gate.id)); // and then again, for one
        }
    }

    private void arrived(Gate gate, int result) {
        if (result >= 0) {
            place(gate, result);
        } else {
            gate.lost();
        }
    }

    /**
     * Admits the connection in {@code slot} of the main table, or moves it to a further one while
     * there is room left.
     */
    private void place(Gate gate, int slot) {
        if (main.connections < tableSize - reserve()) {
            main.connections++;
            admit(main, slot, gate);
            return;
        }
        try {
            Ring ring = roomy();
            ring.connections++;
            handOver(slot, ring, userData(TAKEN_OVER, gate.id));
        } catch (IOException e) {
            closeSlot(main, slot);
            gate.failed(e.getMessage());
        }
    }

    private int reserve() {
        return Math.min(RESERVE, tableSize / (tableSize < ROOMY ? 4 : 2));
    }

    /**
     * Whether the main table could overflow by what a multishot accept brings: into a full table
     * they would be lost.
     */
    private boolean crowded() {
        return tableSize - main.connections - leaving < TURN_BRINGS;
    }

    private Ring roomy() throws IOException {
        for (Ring ring : further) {
            if (ring.connections < tableSize) {
                return ring;
            }
        }
        Ring ring = new Ring(loop.arena, tableSize, BUFFERS_OF_FURTHER_RINGS, true);
        further.add(ring);
        listenTo(ring);
        LOG.get()
                .log(
                        Level.DEBUG,
                        "{0} has {1} tables of {2} sockets",
                        loop,
                        further.size() + 1,
                        tableSize);
        return ring;
    }

    private void handOver(int slot, Ring to, long userDataThere) {
        leaving++;
        long entry =
                main.entry(
                        Ring.MSG_RING,
                        0,
                        to.descriptor,
                        MSG_SEND_FD,
                        0,
                        0,
                        userData(HANDED_OVER, slot));
        Ring.offset(entry, userDataThere);
        Ring.address3(entry, slot);
        Ring.fileIndex(entry, Ring.FILE_INDEX_ALLOC);
    }

    private void handedOver(Ring ring, int slot, int result) {
        if (result < 0) {
            LOG.get().log(Level.WARNING, "{0} lost a connection: {1}", loop, Linux.reason(-result));
        }
        closeSlot(ring, slot);
        leaving--;
    }

    private void admit(Ring ring, int slot, Gate gate) {
        if (slot < 0) {
            ring.connections--;
            gate.lost();
            return;
        }
        var connection = new Connection(gate, ring, slot);
        ring.table[slot] = connection;
        gate.accepted(connection);
    }

    // ---- connecting

    @Override
    public void connect(Attempt attempt) throws IOException {
        boolean room = main.connections < tableSize - reserve();
        attempts.begin(attempt, room ? main : roomy());
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
        gates.forEach(Gate::closeNow);
        datagrams.closeAll();
        files.close();
        further.forEach(Ring::close);
        main.close();
        synchronized (waking) {
            awake = true;
            Linux.close(wakeUp);
        }
    }
}
