// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.sirocco.net.TransportKind;
import io.sirocco.net.datagram.LinuxDatagrams;
import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.linux.SystemMemory;
import io.sirocco.net.linux.WakeUp;
import io.sirocco.net.transport.ConnectingSocket;
import io.sirocco.net.transport.DatagramSocket;
import io.sirocco.net.transport.ListeningSocket;
import io.sirocco.net.transport.Transport;
import io.sirocco.net.transport.TransportConnect;
import io.sirocco.net.transport.TransportLoop;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/**
 * The transport over io_uring: waits for its rings, and passes completions to what they are about.
 * Sockets of connections are direct descriptors: they live in the table of a ring ({@link
 * UringTables}) and cost the process none. The user data of an operation on a connection names its
 * kind, the slot, and the sequence number of the connection in it ({@link UringTable#find}), so a
 * result goes to the connection that started the operation, or to none. Loop-confined, except
 * {@link #wake}.
 */
public final class Uring implements Transport {
    // What completions are about: the top byte of their user data
    static final int IGNORED = 0;
    static final int ACCEPTED = 1;
    static final int RECEIVED = 2;
    static final int SENT = 3;
    private static final int WOKEN = 4;
    private static final int TIME = 5;
    static final int HANDED_OVER = 6; // here: the socket may leave this table
    static final int TAKEN_OVER = 7; // there: from another table of this loop
    static final int ARRIVED = 8; // there: from another loop
    static final int RING_READY = 9;
    static final int READABLE = 10;
    static final int INSTALLED = 11; // a connection has got an ordinary descriptor
    static final int SHUT = 12;
    static final int PLACED = 13; // a socket of our own is in the table
    static final int TRIED = 14; // ... and connected, or not
    static final int WRITABLE = 15; // it takes more of a file
    static final int DISCONNECTED = 16; // it was reset
    static final int NAMED = 17; // the peer's address was asked for
    static final int BORROWED = 18; // a descriptor that comes too late

    private static final int AF_UNSPEC = 0;
    static final int INET = 16; // bytes of an address of IPv4

    /** For tests: the property that sets the slots of one table. */
    public static final String TABLE_SIZE = "io.sirocco.net.tableSize";

    /** Twice what {@link UringTables} calls roomy. */
    private static final long LEAST_SLOTS = 32_768;

    private final TransportLoop loop;
    private final UringTables tables;
    private final Ring main; // of the main table
    private final List<UringTable> further;
    private final UringAccepts accepts;
    private final UringConnects connects = new UringConnects();
    private final UringDatagrams readiness;
    private final LinuxDatagrams datagrams;
    private final UringFiles files;
    private final WakeUp wakeUp;
    private boolean closed;
    private final MemorySegment timespec;
    private long timerAt = Long.MAX_VALUE;
    private int timers;
    private final MemorySegment unspecified; // an address that stands for none
    private final UringNames names;

    /** Opens the rings of {@code loop}, on its thread: the kernel lets no other one submit. */
    public Uring(TransportLoop loop) throws IOException {
        this.loop = loop;
        Arena arena = loop.arena();
        int tableSize = Integer.getInteger(TABLE_SIZE, tableSize());
        tables = new UringTables(this, loop, tableSize);
        main = tables.main().ring;
        further = tables.further();
        accepts = new UringAccepts(loop, tables);
        names = new UringNames(arena);
        try {
            main.requireOperations();
            names.requireSocketOptions(main);
            wakeUp = new WakeUp((int) LinuxSockets.check("eventfd", Linux.eventfd()));
        } catch (IOException e) {
            tables.close();
            throw e;
        }
        readiness = new UringDatagrams(main);
        datagrams = new LinuxDatagrams(loop, readiness);
        files = new UringFiles(arena, tableSize, loop.loops());
        timespec = arena.allocate(16, 8);
        unspecified = arena.allocate(INET, 8);
        unspecified.set(JAVA_SHORT, 0, (short) AF_UNSPEC);
        listenForWakeUp();
    }

    /**
     * As many slots as the process may have files open, but no more than there is memory for
     * connections: in a small container the table of a million slots that Docker's limit allows
     * would fill the heap.
     */
    private static int tableSize() {
        long connections = SystemMemory.total() / SystemMemory.BYTES_OF_A_CONNECTION;
        return (int) Math.min(Linux.openFilesLimit(), Math.max(LEAST_SLOTS, connections));
    }

    @Override
    public TransportKind kind() {
        return TransportKind.IO_URING;
    }

    static long userData(int kind, int number) {
        return userData(kind, 0, number);
    }

    /** Returns the user data of an operation; of {@code sequence} it has the lower 24 bits. */
    static long userData(int kind, int sequence, int number) {
        return (long) kind << 56 | (sequence & 0xff_ffffL) << 32 | number & 0xffff_ffffL;
    }

    static int sequence(long userData) {
        return (int) (userData >>> 32) & 0xff_ffff;
    }

    // ---- the turn

    @Override
    public void await(boolean mayBlock) {
        datagrams.flush();
        boolean wait = mayBlock && main.due() == 0;
        for (int i = 0; i < further.size(); i++) {
            Ring ring = further.get(i).ring;
            if (ring.hasUnsubmitted() || ring.overflowed() || ring.hasEvents()) {
                ring.submit(0);
            }
            wait &= ring.due() == 0 && !ring.hasEvents();
        }
        if (wait) {
            setTimer();
        }
        main.submit(wait ? 1 : 0);
    }

    @Override
    public void dispatch() {
        drain(tables.main());
        for (int i = 0; i < further.size(); i++) {
            UringTable table = further.get(i);
            if (table.ring.due() > 0) {
                drain(table);
            }
        }
    }

    @Override
    public void submit() {
        datagrams.flush();
        for (UringTable table : further) {
            table.ring.submitNow();
        }
        main.submitNow();
    }

    /** A send that waits for room would read what it sends whenever a ring is entered. */
    @Override
    public void cancelAll() {
        for (int i = 0; i < further.size(); i++) {
            cancelAll(further.get(i).ring);
        }
        cancelAll(main);
    }

    @Override
    public void closeListeners() {
        accepts.close();
        main.submitIfItWorks();
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

    private void drain(UringTable table) {
        Ring ring = table.ring;
        for (int due = ring.due(); due > 0; due--) { // of those that come meanwhile next time
            long about = ring.nextUserData();
            long outcome = ring.take();
            int result = (int) outcome;
            int flags = (int) (outcome >>> 32);
            int number = (int) about;
            switch ((int) (about >>> 56)) {
                case RECEIVED -> UringConnection.received(table.find(about), ring, result, flags);
                case SENT -> {
                    UringConnection connection = table.find(about);
                    if (connection != null) {
                        connection.sendDone(result);
                    }
                }
                case ACCEPTED -> accepts.accepted(number, result, flags);
                case TAKEN_OVER -> accepts.takenOver(table, result, number);
                case ARRIVED -> accepts.arrived(number, result);
                case HANDED_OVER -> accepts.handedOver(number, result);
                case WOKEN -> listenForWakeUp();
                case TIME -> timerAt = number == timers ? Long.MAX_VALUE : timerAt;
                case RING_READY -> tables.ready(number);
                case PLACED -> connects.placed(number, sequence(about), result);
                case TRIED -> connects.tried(number, sequence(about), result);
                case READABLE -> {
                    boolean more = (flags & Ring.MORE) != 0;
                    readiness.readable(number, sequence(about), result, more);
                }
                case BORROWED -> closeIfAny(result);
                case INSTALLED, WRITABLE, SHUT, DISCONNECTED -> ended(table, about, result);
                default -> {}
            }
            boolean works = about >>> 56 == RECEIVED || about >>> 56 == ACCEPTED;
            if (works && due > 1) {
                loop.flushIfLate();
            }
        }
        ring.consumed();
    }

    /** One of the rarer operations on a connection has ended. */
    private static void ended(UringTable table, long about, int result) {
        int kind = (int) (about >>> 56);
        UringConnection connection = table.find(about);
        if (connection == null) {
            if (kind == INSTALLED) {
                closeIfAny(result);
            }
            return;
        }
        switch (kind) {
            case INSTALLED -> connection.installed(result);
            case WRITABLE -> connection.writable();
            case SHUT -> connection.shut();
            default -> connection.disconnected();
        }
    }

    static void closeIfAny(int descriptor) {
        if (descriptor >= 0) {
            Linux.close(descriptor);
        }
    }

    private void setTimer() {
        long ahead = loop.untilNext();
        if (ahead < 0 || loop.loop().nanos() + ahead >= timerAt) {
            return;
        }
        timerAt = loop.loop().nanos() + ahead;
        timespec.set(JAVA_LONG, 0, ahead / 1_000_000_000);
        timespec.set(JAVA_LONG, 8, ahead % 1_000_000_000);
        main.entry(Ring.TIMEOUT, 0, -1, timespec.address(), 1, 0, userData(TIME, ++timers));
    }

    @Override
    public void wake() {
        wakeUp.signal();
    }

    private void listenForWakeUp() {
        tables.listenTo(wakeUp.descriptor(), userData(WOKEN, 0));
    }

    /** Returns the ring that the loop waits on; for tests. Any thread. */
    Ring mainRing() {
        return main;
    }

    /** Returns what it sees of its loop. */
    TransportLoop loop() {
        return loop;
    }

    /** Returns where other loops hand connections over to. Any thread. */
    UringAccepts accepts() {
        return accepts;
    }

    /** Returns what sends files. */
    UringFiles files() {
        return files;
    }

    /** Returns what asks for addresses. */
    UringNames names() {
        return names;
    }

    /** Returns where an address is that stands for none. */
    long unspecified() {
        return unspecified.address();
    }

    // ---- sockets

    @Override
    public ListeningSocket bind(SocketAddress address, int backlog, boolean shared)
            throws IOException {
        return new UringListener(accepts, LinuxSockets.listen(address, backlog, shared, 0));
    }

    @Override
    public int arrivals() {
        return tables.arrivals();
    }

    @Override
    public ConnectingSocket connect(TransportConnect attempt) throws IOException {
        return connects.begin(attempt, tables.roomy());
    }

    @Override
    public DatagramSocket bindDatagrams(InetSocketAddress address, boolean broadcast, boolean reuse)
            throws IOException {
        return datagrams.bind(address, broadcast, reuse);
    }

    // ----

    @Override
    public void close() {
        if (!closed) {
            closeAll();
        } else {
            tables.close(); // for which there was no heap before
        }
        connects.close();
    }

    private void closeAll() {
        try {
            accepts.close();
            datagrams.closeAll();
            main.submitIfItWorks();
            closeDescriptors(tables.main());
            for (int i = 0; i < further.size(); i++) {
                closeDescriptors(further.get(i));
            }
        } finally { // without heap, too: it ends all sockets of connections
            closeRings();
        }
    }

    private void closeRings() {
        closed = true;
        wakeUp.close();
        tables.close();
    }

    /** Closes descriptors that are lent or were on their way: a loop may die at any time. */
    private void closeDescriptors(UringTable table) {
        Ring ring = table.ring;
        while (ring.due() > 0) {
            int kind = (int) (ring.nextUserData() >>> 56);
            int result = (int) ring.take();
            if (kind == INSTALLED || kind == BORROWED) {
                closeIfAny(result);
            }
        }
        files.close(table);
    }
}
