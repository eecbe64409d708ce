// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static io.sirocco.net.linux.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.SocketAddresses;
import io.sirocco.net.output.OutputChunk;
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
 * for each connection or piece of input, the latter in a buffer of the kernel's choice. The first
 * receive of a connection is not, so that one that ends behind its first response has none to
 * cancel. A slot is closed only when nothing is under way on it, so neither can a completion arrive
 * for a slot that has a new owner, nor an operation reach the new owner's socket. Closing therefore
 * begins with cancelling. The user data of an operation on a connection names its kind, the slot,
 * and the sequence number of the connection in it ({@link Ring#find}): a result goes to the
 * connection that asked for it, or to none.
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
    private static final int INSTALLED = 11; // a connection has got an ordinary descriptor
    private static final int SHUT = 12;
    static final int PLACED = 13; // a socket of our own is in the table
    static final int TRIED = 14; // ... and connected, or not
    private static final int WRITABLE = 15; // it takes more of a file
    private static final int DISCONNECTED = 16; // it was reset
    private static final int NAMED = 17; // the peer's address was asked for
    private static final int BORROWED = 18; // a descriptor that comes too late

    // Connection.transportState: the sequence number is in its upper half
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
    static final int UNLENT = 1 << 10; // none was to be had: the file is read, piece by piece
    private static final int DISCONNECTING = 1 << 11;
    private static final int RECEIVED_ONCE = 1 << 12;
    private static final int BUSY =
            RECEIVING | SENDING | SHUTTING | FULL | INSTALLING | DISCONNECTING;

    /** Of them those that can be cancelled; the others end by themselves. */
    private static final int CANCELLABLE = RECEIVING | SENDING | FULL;

    private static final int RECV_MULTISHOT = 2;
    private static final int POLL_MULTISHOT = 1;
    private static final int POLLIN = 1;
    private static final int POLLOUT = 4;
    private static final int SHUT_WR = 1;
    private static final int SOCKET_GETSOCKOPT = 2; // SOCKET_URING_OP_GETSOCKOPT
    private static final int SO_TYPE = 3;
    private static final int SO_PEERNAME = 28;
    private static final int AF_UNSPEC = 0;
    private static final int INET = 16; // bytes of an address of IPv4
    private static final int INET6 = 28;

    /** For tests: the places of one table. */
    static final String TABLE_SIZE = "io.sirocco.net.tableSize";

    private final Loop loop;
    private final UringTables tables;
    private final Ring main;
    private final List<Ring> further;
    private final UringAccepts accepts;
    private final UringConnects attempts = new UringConnects();
    private final UringDatagrams datagrams;
    private final UringFiles files;
    private final Object waking = new Object();
    private boolean awake; // for good: it is closed
    private final int wakeUp;
    private final MemorySegment timespec;
    private long timerAt = Long.MAX_VALUE;
    private int timers;
    private final MemorySegment unspecified; // an address that stands for none
    private final MemorySegment peerName;
    private int questions;

    record Listening(int descriptor) implements LoopAcceptor.Socket {}

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
        peerName = arena.allocate(INET6, 8);
        try {
            main.requireOperations();
            requireSocketOptions();
            wakeUp = (int) LinuxSockets.check("eventfd", Linux.eventfd());
        } catch (IOException e) {
            tables.close();
            throw e;
        }
        datagrams = new UringDatagrams(loop);
        files = new UringFiles(arena, tableSize, loop.settings.loops);
        timespec = arena.allocate(16, 8);
        unspecified = arena.allocate(INET, 8);
        unspecified.set(JAVA_SHORT, 0, (short) AF_UNSPEC);
        listenForWakeUp();
    }

    /**
     * A probe tells of operations, not of the commands of one: so a socket is asked for an option.
     *
     * @throws IOException when the kernel cannot do that by a ring
     */
    private void requireSocketOptions() throws IOException {
        int socket =
                (int) LinuxSockets.check("socket", Linux.socket(Linux.AF_UNIX, Linux.SOCK_STREAM));
        try {
            if (getOption(main, 0, socket, SO_TYPE, 4) != 4 || Ring.takenToMiss("GETSOCKOPT")) {
                throw Ring.missing("URING_CMD with GETSOCKOPT", "6.7");
            }
        } finally {
            Linux.close(socket);
        }
    }

    @Override
    public TransportKind kind() {
        return TransportKind.IO_URING;
    }

    static long userData(int kind, int number) {
        return userData(kind, 0, number);
    }

    /** Of {@code sequence} the lower 24 bits. */
    static long userData(int kind, int sequence, int number) {
        return (long) kind << 56 | (sequence & 0xff_ffffL) << 32 | number & 0xffff_ffffL;
    }

    static int sequence(long userData) {
        return (int) (userData >>> 32) & 0xff_ffff;
    }

    private static long about(int kind, Connection connection) {
        return userData(kind, connection.transportState >>> 16, connection.slot);
    }

    // ---- the turn

    @Override
    public void await(boolean mayBlock) {
        boolean wait = mayBlock && main.due() == 0;
        for (int i = 0; i < further.size(); i++) {
            Ring ring = further.get(i);
            if (ring.hasUnsubmitted() || ring.overflowed()) {
                ring.submit(0);
            }
            wait &= ring.due() == 0;
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
            if (ring.due() > 0) {
                drain(ring);
            }
        }
    }

    @Override
    public void submit() {
        for (Ring ring : further) {
            ring.submitNow();
        }
        main.submitNow();
    }

    /** A send that waits for room would read what it sends whenever a ring is entered. */
    @Override
    public void cancelAll() {
        for (Ring ring : further) {
            cancelAll(ring);
        }
        cancelAll(main);
    }

    private static void cancelAll(Ring ring) {
        try {
            long about = userData(IGNORED, 0);
            ring.entry(Ring.ASYNC_CANCEL, 0, -1, 0, 0, Ring.CANCEL_ALL_OF_ANY, about);
            ring.submit(0);
        } catch (IllegalStateException e) {
            // it has failed, and is entered no more
        }
    }

    private void drain(Ring ring) {
        for (int due = ring.due(); due > 0; due--) { // of those that come meanwhile next time
            long about = ring.nextUserData();
            long outcome = ring.take();
            int result = (int) outcome;
            int flags = (int) (outcome >>> 32);
            int number = (int) about;
            switch ((int) (about >>> 56)) {
                case RECEIVED -> received(ring, ring.find(about), result, flags);
                case SENT -> sent(ring.find(about), result);
                case SHUT -> ended(ring.find(about), SHUTTING);
                case DISCONNECTED -> ended(ring.find(about), DISCONNECTING);
                case ACCEPTED -> accepts.accepted(number, result, flags);
                case TAKEN_OVER -> accepts.takenOver(ring, result, number);
                case ARRIVED -> accepts.arrived(number, result);
                case HANDED_OVER -> accepts.handedOver(number, result);
                case WOKEN -> listenForWakeUp();
                case TIME -> timerAt = number == timers ? Long.MAX_VALUE : timerAt;
                case RING_READY -> tables.ready(number);
                case PLACED -> attempts.placed(number, sequence(about), result);
                case TRIED -> attempts.tried(number, sequence(about), result);
                case READABLE -> readable(number, sequence(about), result, flags);
                case WRITABLE -> writable(ring.find(about));
                case INSTALLED -> installed(ring.find(about), result);
                case BORROWED -> closeIfAny(result);
                default -> {}
            }
            boolean works = about >>> 56 == RECEIVED || about >>> 56 == ACCEPTED;
            if (works && due > 1) {
                loop.flushIfLate();
            }
        }
        ring.consumed();
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

    /** For tests: the ring that the loop waits on. Any thread. */
    Ring mainRing() {
        return main;
    }

    /** That others hand connections over to. Any thread. */
    UringAccepts accepts() {
        return accepts;
    }

    // ---- accepting

    @Override
    public LoopAcceptor.Socket bind(SocketAddress address, int backlog, boolean shared)
            throws IOException {
        return new Listening(LinuxSockets.listen(address, backlog, shared));
    }

    /** The address that {@code socket} is bound to. */
    static SocketAddress address(Listening socket) throws IOException {
        return LinuxSockets.local(socket.descriptor);
    }

    @Override
    public void release(LoopAcceptor.Socket socket) {
        if (socket instanceof Listening listening) {
            Linux.close(listening.descriptor);
        }
    }

    @Override
    public void listen(LoopAcceptor acceptor) {
        accepts.listen(acceptor);
    }

    @Override
    public void accepting(LoopAcceptor acceptor, boolean on) {
        accepts.accepting(acceptor, on);
    }

    @Override
    public void handOver(Connection connection, LoopAcceptor target) {
        accepts.handOver(connection, target);
    }

    @Override
    public int arrivals() {
        return tables.arrivals();
    }

    @Override
    public void unlisten(LoopAcceptor acceptor) {
        accepts.unlisten(acceptor);
    }

    // ---- connecting

    @Override
    public void connect(PendingConnect attempt) throws IOException {
        attempts.begin(attempt, tables.roomy());
    }

    @Override
    public void cancel(PendingConnect attempt) {
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
                cancel((Ring) connection.handle, about(RECEIVED, connection));
            }
        }
    }

    private void receive(Connection connection) {
        if ((connection.transportState & (WANTED | RECEIVING | ENDED | CLOSING)) == WANTED) {
            connection.transportState |= RECEIVING;
            int flags = Ring.FIXED_FILE | Ring.BUFFER_SELECT;
            long about = about(RECEIVED, connection);
            int size = connection.readSize(Ring.BUFFER_SIZE);
            boolean whole = size == Ring.BUFFER_SIZE; // else bandwidth bounds it: piece by piece
            boolean again = (connection.transportState & RECEIVED_ONCE) != 0;
            connection.transportState |= RECEIVED_ONCE;
            long entry =
                    ((Ring) connection.handle)
                            .entry(
                                    Ring.RECV,
                                    flags,
                                    connection.slot,
                                    0,
                                    whole ? 0 : size,
                                    0,
                                    about);
            Ring.priority(entry, whole && again ? RECV_MULTISHOT : 0);
            Ring.bufferGroup(entry);
        }
    }

    private void received(Ring ring, Connection connection, int result, int flags) {
        if (connection != null && (flags & Ring.MORE) == 0) {
            connection.transportState &= ~(RECEIVING | CANCELLING);
        }
        if ((flags & Ring.HAS_BUFFER) != 0) {
            int buffer = flags >>> 16;
            if (result > 0 && connection != null) {
                connection.received(MEMORY, ring.buffer(buffer), result);
            }
            ring.recycle(buffer);
        }
        if (connection == null) {
            return;
        }
        if (result == 0) {
            connection.transportState |= ENDED;
            connection.endOfInput();
        } else if (result < 0 && result != -Linux.ENOBUFS && result != -Linux.ECANCELED) {
            connection.transportState |= ENDED;
            connection.close(CloseCause.RESET);
        }
        if ((flags & Ring.MORE) == 0) {
            boolean all = result > 0 && result < Ring.BUFFER_SIZE; // of what has come so far
            if (!all || !connection.closesWhenSent()) {
                receive(connection); // what is unread at a close would reset it
            }
            releaseWhenIdle(connection);
        }
    }

    @Override
    public boolean sendsFiles(Connection connection) {
        return (connection.transportState & UNLENT) == 0;
    }

    @Override
    public int send(Connection connection, OutputChunk chunk, int length) {
        boolean beforeFile = chunk.next() != null && chunk.next().file() != null;
        if (chunk.file() != null || beforeFile && sendsFiles(connection)) {
            return sendFile(connection, chunk, length);
        }
        connection.transportState |= SENDING;
        Ring ring = (Ring) connection.handle;
        long about = about(SENT, connection);
        boolean several = chunk.inMemoryBefore() && length == chunk.length();
        if (several && !connection.isRateLimited()) {
            ring.sendMessage(connection.slot, chunk, about);
            return -1;
        }
        ring.entry(
                Ring.SEND,
                Ring.FIXED_FILE,
                connection.slot,
                chunk.address(),
                length,
                Linux.MSG_NOSIGNAL,
                about);
        return -1;
    }

    /**
     * A file, or what goes before it: at once, by calls of their own, since rings have none. They
     * want an ordinary descriptor: where the connection has none, it is asked for, and {@link
     * #installed} has this tried again.
     */
    private int sendFile(Connection connection, OutputChunk chunk, int length) {
        if ((connection.transportState & (FULL | INSTALLING)) != 0) {
            return -1;
        }
        if (!files.has(connection)) {
            if (files.reserve(connection)) {
                connection.transportState |= INSTALLING;
                install(connection, about(INSTALLED, connection));
                return -1;
            }
            connection.transportState |= UNLENT;
            return 0; // it is asked for again, and read this time
        }
        connection.transportState &= ~LENT;
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

    private static void install(Connection connection, long about) {
        ((Ring) connection.handle)
                .entry(Ring.FIXED_FD_INSTALL, Ring.FIXED_FILE, connection.slot, 0, 0, 0, about);
    }

    /** There is an ordinary descriptor of the connection's socket, or none was to be had. */
    private void installed(Connection connection, int descriptor) {
        if (connection == null) {
            closeIfAny(descriptor);
            return;
        }
        connection.transportState &= ~INSTALLING;
        if ((connection.transportState & CLOSING) != 0) {
            closeIfAny(descriptor);
            files.forget(connection);
            releaseWhenIdle(connection);
            return;
        }
        if (descriptor >= 0) {
            connection.transportState |= LENT;
            files.keep(connection, descriptor);
        } else {
            connection.transportState |= UNLENT;
            files.forget(connection);
        }
        connection.sent(0);
    }

    private static void closeIfAny(int descriptor) {
        if (descriptor >= 0) {
            Linux.close(descriptor);
        }
    }

    private void awaitRoom(Connection connection) {
        connection.transportState |= FULL;
        long about = about(WRITABLE, connection);
        ((Ring) connection.handle)
                .entry(Ring.POLL_ADD, Ring.FIXED_FILE, connection.slot, 0, 0, POLLOUT, about);
    }

    private void writable(Connection connection) {
        if (connection == null) {
            return;
        }
        connection.transportState &= ~FULL;
        connection.sent(0);
        releaseWhenIdle(connection);
    }

    private void sent(Connection connection, int result) {
        if (connection == null) {
            return;
        }
        connection.transportState &= ~(SENDING | UNLENT);
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
        long about = about(SHUT, connection);
        ((Ring) connection.handle)
                .entry(Ring.SHUTDOWN, Ring.FIXED_FILE, connection.slot, 0, SHUT_WR, 0, about);
    }

    /** An operation has ended whose result does not matter. */
    private void ended(Connection connection, int operation) {
        if (connection != null) {
            connection.transportState &= ~operation;
            releaseWhenIdle(connection);
        }
    }

    @Override
    public void close(Connection connection) {
        connection.transportState |= CLOSING;
        Ring ring = (Ring) connection.handle;
        if ((connection.transportState & RECEIVING) != 0) {
            cancel(ring, about(RECEIVED, connection));
        }
        if ((connection.transportState & SENDING) != 0) {
            cancel(ring, about(SENT, connection));
        }
        if ((connection.transportState & FULL) != 0) {
            cancel(ring, about(WRITABLE, connection));
        }
        if ((connection.transportState & CANCELLABLE) == 0) {
            loop.execute(() -> releaseWhenIdle(connection));
        }
    }

    private void releaseWhenIdle(Connection connection) {
        if ((connection.transportState & (CLOSING | BUSY)) == CLOSING) {
            connection.transportState = ENDED; // once only
            files.forget(connection);
            Ring ring = (Ring) connection.handle;
            ring.table[connection.slot] = null;
            ring.connections--;
            closeSlot(ring, connection.slot);
            connection.gone();
        }
    }

    /** Gives {@code slot} back: nothing is under way on it. */
    static void closeSlot(Ring ring, int slot) {
        long entry = ring.entry(Ring.CLOSE, Ring.SKIP_SUCCESS, 0, 0, 0, 0, userData(IGNORED, 0));
        Ring.fileIndex(entry, slot + 1);
    }

    /**
     * By what it is about: the kernel finds that in a hash table, while by descriptor it would look
     * at everything.
     */
    static void cancel(Ring ring, long about) {
        ring.entry(Ring.ASYNC_CANCEL, Ring.SKIP_SUCCESS, -1, about, 0, 0, userData(IGNORED, 0));
    }

    /** Submits before a descriptor is closed; a ring that has failed keeps nobody from that. */
    static void submitNow(Ring ring) {
        try {
            ring.submit(0);
        } catch (IllegalStateException e) {
            // it is why the loop ends
        }
    }

    /**
     * Connecting to no address disconnects, which resets (RFC 9293 3.10.5); of a Unix-domain socket
     * it is refused, and nothing is to be reset there.
     */
    @Override
    public void resetOnClose(Connection connection) {
        connection.transportState |= DISCONNECTING;
        long about = about(DISCONNECTED, connection);
        long entry =
                ((Ring) connection.handle)
                        .entry(
                                Ring.CONNECT,
                                Ring.FIXED_FILE,
                                connection.slot,
                                unspecified.address(),
                                0,
                                0,
                                about);
        Ring.offset(entry, INET);
    }

    /** Asked of the ring, so that it is known without a descriptor, too. */
    @Override
    public SocketAddress remote(Connection connection) {
        int length = askPeerName(connection, INET); // of others than IPv4 only the first part
        int family = length == INET ? family(peerName) : Linux.AF_UNIX;
        if (family == Linux.AF_INET6) {
            length = askPeerName(connection, INET6);
        }
        return family == Linux.AF_UNIX || length < 0
                ? name(connection, true)
                : SocketAddresses.toJava(peerName, length);
    }

    private static int family(MemorySegment address) {
        return Short.toUnsignedInt(address.get(JAVA_SHORT, 0));
    }

    /** Has the first {@code length} bytes of it written to {@link #peerName}. */
    private int askPeerName(Connection connection, int length) {
        Ring ring = (Ring) connection.handle;
        return getOption(ring, Ring.FIXED_FILE, connection.slot, SO_PEERNAME, length);
    }

    /** Has {@code length} bytes of an option of a socket written to {@link #peerName}. */
    private int getOption(Ring ring, int flags, int socket, int option, int length) {
        long about = userData(NAMED, ++questions, socket);
        long name = (long) option << 32 | Linux.SOL_SOCKET;
        long entry = ring.entry(Ring.URING_CMD, flags, socket, name, 0, 0, about);
        Ring.offset(entry, SOCKET_GETSOCKOPT);
        Ring.fileIndex(entry, length); // here the length of the option
        Ring.address3(entry, peerName.address());
        return ring.await(about);
    }

    @Override
    public SocketAddress local(Connection connection) {
        return name(connection, false);
    }

    /** By an ordinary descriptor, which is closed at once. */
    private SocketAddress name(Connection connection, boolean ofPeer) {
        long about = userData(BORROWED, ++questions, connection.slot);
        install(connection, about);
        int descriptor = ((Ring) connection.handle).await(about);
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

    // ---- datagrams

    @Override
    public Datagrams.Socket bindDatagrams(InetSocketAddress address) throws IOException {
        return new DatagramSocket(LinuxSockets.datagrams(address));
    }

    @Override
    public void open(Datagrams socket) {
        poll(datagrams.add(socket), socket);
    }

    private void poll(int number, Datagrams socket) {
        int descriptor = UringDatagrams.descriptor(socket);
        long about = userData(READABLE, datagrams.sequence(number), number);
        main.entry(Ring.POLL_ADD, 0, descriptor, 0, POLL_MULTISHOT, POLLIN, about);
    }

    private void readable(int number, int sequence, int result, int flags) {
        Datagrams socket = datagrams.find(number, sequence);
        if (socket == null) {
            return;
        }
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
        int number = datagrams.number(socket);
        cancel(main, userData(READABLE, datagrams.sequence(number), number));
        submitNow(main);
        Linux.close(UringDatagrams.descriptor(socket));
    }

    // ----

    @Override
    public void close() {
        accepts.close();
        datagrams.closeAll();
        submitNow(main);
        closeDescriptors(main);
        further.forEach(this::closeDescriptors);
        tables.close();
        synchronized (waking) {
            awake = true;
            Linux.close(wakeUp);
        }
    }

    /** Those that are lent, and those that were on their way: a loop may die at any time. */
    private void closeDescriptors(Ring ring) {
        while (ring.due() > 0) {
            int kind = (int) (ring.nextUserData() >>> 56);
            int result = (int) ring.take();
            if (kind == INSTALLED || kind == BORROWED) {
                closeIfAny(result);
            }
        }
        files.close(ring);
    }
}
