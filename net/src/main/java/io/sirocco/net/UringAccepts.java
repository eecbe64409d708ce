// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The gates of one io_uring transport, and where what they accept goes. Accept is multishot where
 * the main table has room for all that it may bring.
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
    private static final LazyLogger LOG = LazyLogger.of(Uring.class);

    private static final int ACCEPT_MULTISHOT = 1;
    private static final int MSG_SEND_FD = 1;

    /** A table that is full for the moment is tried again after so many milliseconds. */
    private static final long RETRY = 10;

    private final Loop loop;
    private final UringTables tables;
    private final Ring main;
    private final Numbered<Gate> gates = new Numbered<>(); // that have a socket
    private final Numbered<Move> moves = new Numbered<>();

    /**
     * Where the sockets go that are on their way to this loop's tables: put there by any thread.
     */
    private final ConcurrentMap<Integer, Gate.Place> arriving = new ConcurrentHashMap<>();

    private final AtomicInteger arrivals = new AtomicInteger();

    /** A socket on its way from a slot here to a table there, where it has a number. */
    private record Move(
            Ring from,
            int slot,
            Ring to,
            Gate.Place place,
            int kindThere,
            UringAccepts there,
            int numberThere) {}

    UringAccepts(Loop loop, UringTables tables) {
        this.loop = loop;
        this.tables = tables;
        this.main = tables.main();
    }

    void listen(Gate gate) {
        if (gate.socket instanceof Uring.Listening) {
            gate.id = gates.add(gate);
            accept(gate);
        }
    }

    /** Gates and connections on their way that it knows; for tests. */
    int known() {
        return gates.all().size() + arriving.size();
    }

    void accepting(Gate gate, boolean on) {
        if (on && !gate.armed) {
            accept(gate);
        } else if (!on && gate.armed) {
            cancel(gate);
        }
    }

    void unlisten(Gate gate) {
        if (gate.socket instanceof Uring.Listening socket) {
            if (gate.armed) {
                cancel(gate);
            }
            Uring.submitNow(main);
            Linux.close(socket.descriptor());
            forgetIfDone(gate);
        }
    }

    /** A gate that is closed and has no accept under way is named by no completion to come. */
    private void forgetIfDone(Gate gate) {
        if (!gate.listening() && !gate.armed && gates.get(gate.id) == gate) {
            gates.remove(gate.id);
        }
    }

    void close() {
        gates.all().forEach(Gate::closeNow);
    }

    private void accept(Gate gate) {
        if (gate.socket instanceof Uring.Listening socket) {
            long about = Uring.userData(Uring.ACCEPTED, gate.id);
            int flags = Linux.SOCK_NONBLOCK; // for sendfile; operations of a ring wait all the same
            long entry = main.entry(Ring.ACCEPT, 0, socket.descriptor(), 0, 0, flags, about);
            gate.armed = true;
            gate.multishot = !mustBeOneAtATime(gate);
            Ring.priority(entry, gate.multishot ? ACCEPT_MULTISHOT : 0);
            Ring.fileIndex(entry, Ring.FILE_INDEX_ALLOC);
        }
    }

    private boolean mustBeOneAtATime(Gate gate) {
        return gate.oneAtATime() || tables.crowded();
    }

    private void cancel(Gate gate) {
        Uring.cancel(main, Uring.userData(Uring.ACCEPTED, gate.id));
    }

    /** The kernel has put a connection into place {@code result} of the main table, or failed. */
    void accepted(int number, int result, int flags) {
        Gate gate = gates.get(number);
        if ((flags & Ring.MORE) == 0) {
            gate.armed = false;
        }
        if (result >= 0) {
            Gate.Place place = gate.place();
            if (place.gate().loop == loop) {
                place(place, result);
            } else {
                tables.leaves();
                handOver(main, result, place);
            }
        } else if (result != -Linux.ECANCELED && result != -Linux.EINTR && gate.accepting()) {
            gate.failed(Linux.reason(-result));
        }
        if (!gate.armed && gate.accepting()) {
            accept(gate);
        } else if (!gate.armed) {
            forgetIfDone(gate);
        } else if (gate.multishot && mustBeOneAtATime(gate)) {
            gate.multishot = false;
            cancel(gate); // and then again, for one
        }
    }

    /** Another loop has handed a connection over. */
    void arrived(int number, int result) {
        Gate.Place place = arriving.remove(number);
        place.gate().arrived(place.room());
        if (result >= 0) {
            place(place, result);
        } else {
            place.gate().lost(place.room());
        }
    }

    /**
     * Admits the connection in {@code slot} of the main table, or moves it to a further one while
     * there is room left.
     */
    private void place(Gate.Place place, int slot) {
        try {
            Ring ring = tables.roomy();
            ring.connections++;
            if (ring == main) {
                admit(main, slot, place);
            } else {
                tables.leaves();
                move(main, slot, ring, place, Uring.TAKEN_OVER, this);
            }
        } catch (IOException e) {
            Uring.closeSlot(main, slot);
            place.gate().lost(place.room());
            place.gate().failed(e.getMessage());
        }
    }

    /** Hands a connection that waits for a slot over to the gate of another loop. */
    void handOver(Connection connection, Gate target) {
        Ring ring = (Ring) connection.place;
        ring.table[connection.slot] = null;
        if (ring == main) {
            ring.connections--;
            tables.leaves();
        }
        handOver(ring, connection.slot, target.place(Gate.Room.SLOT));
    }

    private void handOver(Ring from, int slot, Gate.Place place) {
        UringAccepts there = ((Uring) place.gate().loop.poller()).accepts();
        move(from, slot, there.main, place, Uring.ARRIVED, there);
    }

    private void move(
            Ring from, int slot, Ring to, Gate.Place place, int kindThere, UringAccepts there) {
        int number = there.arrivals.getAndIncrement();
        there.arriving.put(number, place);
        move(new Move(from, slot, to, place, kindThere, there, number));
    }

    private void move(Move move) {
        Ring from = move.from;
        long about = Uring.userData(Uring.HANDED_OVER, moves.add(move));
        long entry = from.entry(Ring.MSG_RING, 0, move.to.descriptor, MSG_SEND_FD, 0, 0, about);
        Ring.offset(entry, Uring.userData(move.kindThere, move.numberThere));
        Ring.address3(entry, move.slot);
        Ring.fileIndex(entry, Ring.FILE_INDEX_ALLOC);
    }

    /** A socket has moved to another table, or is lost. */
    void handedOver(int number, int result) {
        Move move = moves.remove(number);
        if (result == -Linux.ENFILE) {
            loop.after(RETRY, () -> move(move));
            return;
        }
        if (result < 0) {
            LOG.get().log(Level.WARNING, "{0} lost a connection: {1}", loop, Linux.reason(-result));
            move.there.arriving.remove(move.numberThere);
            if (move.kindThere == Uring.TAKEN_OVER) {
                move.to.connections--;
            } else {
                move.place.gate().arrived(move.place.room());
            }
            move.place.gate().lost(move.place.room());
        }
        Uring.closeSlot(move.from, move.slot);
        if (move.from == main) {
            tables.hasLeft();
        } else {
            move.from.connections--;
        }
    }

    /** A further table has taken a connection over from the main one. */
    void takenOver(Ring ring, int slot, int number) {
        Gate.Place place = arriving.remove(number);
        if (slot < 0) {
            ring.connections--;
            place.gate().lost(place.room());
        } else {
            admit(ring, slot, place);
        }
    }

    private static void admit(Ring ring, int slot, Gate.Place place) {
        var connection = new Connection(place.gate(), ring, slot);
        ring.put(connection);
        place.gate().accepted(connection, place.room());
    }
}
