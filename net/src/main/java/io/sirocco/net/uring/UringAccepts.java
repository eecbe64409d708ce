// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.log.LinkedErrors;
import io.sirocco.net.transport.TransportAcceptor;
import io.sirocco.net.transport.TransportAcceptor.Capacity;
import io.sirocco.net.transport.TransportAcceptor.Placement;
import io.sirocco.net.transport.TransportLoop;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Brings the connections that one io_uring transport accepts to their tables.
 *
 * <pre>
 *   accepted   in the main table ──▶ stays there
 *                    │ └── it is full ──▶ a further table of this loop (takenOver)
 *                    └──── another loop's turn ──▶ that one's main table (arrived)
 *   handedOver   here the place is free again
 * </pre>
 *
 * Loop-confined.
 */
final class UringAccepts {
    static {
        LinkedErrors.link(OutOfMemoryError.class);
    }

    private static final LazyLogger LOG = LazyLogger.of(Uring.class);

    private static final int MSG_SEND_FD = 1;

    /** A table that is full for the moment is tried again after so many milliseconds. */
    private static final long RETRY = 10;

    private final TransportLoop loop;
    private final UringTables tables;
    private final UringTable main;
    private final IdTable<UringListener> listeners = new IdTable<>(); // that have a socket
    private final IdTable<Move> moves = new IdTable<>();

    /**
     * The places of sockets that are on their way to this loop's tables, put there by any thread.
     */
    private final ConcurrentMap<Integer, Placement> arriving = new ConcurrentHashMap<>();

    private final AtomicInteger arrivals = new AtomicInteger();

    /** A socket on its way from a slot here to a table there, where it has a number. */
    private record Move(
            UringTable from,
            int slot,
            UringTable to,
            Placement place,
            int kindThere,
            UringAccepts there,
            int numberThere) {}

    UringAccepts(TransportLoop loop, UringTables tables) {
        this.loop = loop;
        this.tables = tables;
        this.main = tables.main();
    }

    /** Returns the listeners and connections on their way that it knows; for tests. */
    int known() {
        return listeners.all().size() + arriving.size();
    }

    /** Returns the number of {@code listener} in completions, until {@link #forget}. */
    int add(UringListener listener) {
        return listeners.add(listener);
    }

    /** Forgets a listener that no completion to come names. */
    void forget(UringListener listener) {
        if (listeners.get(listener.id()) == listener) {
            listeners.remove(listener.id());
        }
    }

    /** Returns the ring that accepts. */
    Ring ring() {
        return main.ring;
    }

    /** Returns whether a multishot accept could bring more than the main table has room for. */
    boolean crowded() {
        return tables.crowded();
    }

    /** Closes all listeners. Allocates nothing, since a loop may have died for want of heap. */
    void close() {
        for (int i = 0; i < listeners.numbers(); i++) {
            UringListener listener = listeners.get(i);
            if (listener != null) {
                listener.closeNow();
            }
        }
    }

    /** Takes the outcome of an accept. */
    void accepted(int number, int result, int flags) {
        listeners.get(number).accepted(result, (flags & Ring.MORE) != 0);
    }

    /** Brings the connection in {@code slot} of the main table to its place. */
    void bring(int slot, Placement place) {
        if (place.acceptor().loop() == loop.loop()) {
            place(place, slot);
        } else {
            tables.leaves();
            handOver(main, slot, place);
        }
    }

    /** Takes a connection that another loop has handed over, or its loss. */
    void arrived(int number, int result) {
        Placement place = arriving.remove(number);
        place.arrived();
        if (result >= 0) {
            place(place, result);
        } else {
            place.lost();
        }
    }

    /**
     * Admits the connection in {@code slot} of the main table, or moves it to a further one while
     * there is room left.
     */
    private void place(Placement place, int slot) {
        try {
            UringTable table = tables.roomy();
            table.used++;
            if (table == main) {
                admit(main, slot, place);
            } else {
                tables.leaves();
                move(main, slot, table, place, Uring.TAKEN_OVER, this);
            }
        } catch (IOException e) {
            main.closeSlot(slot);
            place.lost();
            place.acceptor().failed(e.getMessage());
        }
    }

    /** Hands a connection that waits for a slot over to the acceptor of another loop. */
    void handOver(UringConnection connection, TransportAcceptor target) {
        UringTable table = connection.table;
        table.remove(connection.slot);
        if (table == main) {
            table.used--;
            tables.leaves();
        }
        handOver(table, connection.slot, target.place(Capacity.SLOT));
    }

    private void handOver(UringTable from, int slot, Placement place) {
        UringAccepts there = ((Uring) place.acceptor().transport()).accepts();
        move(from, slot, there.main, place, Uring.ARRIVED, there);
    }

    private void move(
            UringTable from,
            int slot,
            UringTable to,
            Placement place,
            int kindThere,
            UringAccepts there) {
        int number = there.arrivals.getAndIncrement();
        there.arriving.put(number, place);
        move(new Move(from, slot, to, place, kindThere, there, number));
    }

    private void move(Move move) {
        long about = Uring.userData(Uring.HANDED_OVER, moves.add(move));
        int to = move.to.ring.descriptor;
        long entry = move.from.ring.entry(Ring.MSG_RING, 0, to, MSG_SEND_FD, 0, 0, about);
        Ring.offset(entry, Uring.userData(move.kindThere, move.numberThere));
        Ring.address3(entry, move.slot);
        Ring.fileIndex(entry, Ring.FILE_INDEX_ALLOC);
    }

    /** Takes the outcome of a move: the socket is in the other table, or lost. */
    void handedOver(int number, int result) {
        Move move = moves.remove(number);
        if (result == -Linux.ENFILE) {
            loop.loop().schedule(RETRY, () -> move(move));
            return;
        }
        if (result < 0) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "{0} lost a connection: {1}",
                            loop.loop(),
                            Linux.reason(-result));
            move.there.arriving.remove(move.numberThere);
            if (move.kindThere == Uring.TAKEN_OVER) {
                move.to.used--;
            } else {
                move.place.arrived();
            }
            move.place.lost();
        }
        move.from.closeSlot(move.slot);
        if (move.from == main) {
            tables.hasLeft();
        } else {
            move.from.used--;
        }
    }

    /** Takes a connection that has moved from the main table to a further one, or its loss. */
    void takenOver(UringTable table, int slot, int number) {
        Placement place = arriving.remove(number);
        if (slot < 0) {
            table.used--;
            place.lost();
        } else {
            admit(table, slot, place);
        }
    }

    private void admit(UringTable table, int slot, Placement place) {
        UringConnection connection;
        try {
            connection = new UringConnection(place.acceptor(), table, slot);
        } catch (OutOfMemoryError e) {
            loop.failed(e);
            table.used--;
            table.closeSlot(slot);
            place.lost();
            return;
        }
        place.accepted(connection);
    }
}
