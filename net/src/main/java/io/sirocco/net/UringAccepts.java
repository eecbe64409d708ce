// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The acceptors of one io_uring transport, and where what they accept goes. Accept is multishot
 * where the main table has room for all that it may bring.
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
    private final IdTable<LoopAcceptor> acceptors = new IdTable<>(); // that have a socket
    private final IdTable<Move> moves = new IdTable<>();

    /**
     * Where the sockets go that are on their way to this loop's tables: put there by any thread.
     */
    private final ConcurrentMap<Integer, LoopAcceptor.Placement> arriving =
            new ConcurrentHashMap<>();

    private final AtomicInteger arrivals = new AtomicInteger();

    /** A socket on its way from a slot here to a table there, where it has a number. */
    private record Move(
            Ring from,
            int slot,
            Ring to,
            LoopAcceptor.Placement place,
            int kindThere,
            UringAccepts there,
            int numberThere) {}

    UringAccepts(Loop loop, UringTables tables) {
        this.loop = loop;
        this.tables = tables;
        this.main = tables.main();
    }

    void listen(LoopAcceptor acceptor) {
        if (acceptor.socket instanceof Uring.Listening) {
            acceptor.id = acceptors.add(acceptor);
            accept(acceptor);
        }
    }

    /** Acceptors and connections on their way that it knows; for tests. */
    int known() {
        return acceptors.all().size() + arriving.size();
    }

    void accepting(LoopAcceptor acceptor, boolean on) {
        if (on && !acceptor.armed) {
            accept(acceptor);
        } else if (!on && acceptor.armed) {
            cancel(acceptor);
        }
    }

    void unlisten(LoopAcceptor acceptor) {
        if (acceptor.socket instanceof Uring.Listening socket) {
            if (acceptor.armed) {
                cancel(acceptor);
            }
            Uring.submitNow(main);
            Linux.close(socket.descriptor());
            forgetIfDone(acceptor);
        }
    }

    /** An acceptor that is closed and has no accept under way is named by no completion to come. */
    private void forgetIfDone(LoopAcceptor acceptor) {
        if (!acceptor.listening() && !acceptor.armed && acceptors.get(acceptor.id) == acceptor) {
            acceptors.remove(acceptor.id);
        }
    }

    void close() {
        acceptors.all().forEach(LoopAcceptor::closeNow);
    }

    private void accept(LoopAcceptor acceptor) {
        if (acceptor.socket instanceof Uring.Listening socket) {
            long about = Uring.userData(Uring.ACCEPTED, acceptor.id);
            int flags = Linux.SOCK_NONBLOCK; // for sendfile; operations of a ring wait all the same
            long entry = main.entry(Ring.ACCEPT, 0, socket.descriptor(), 0, 0, flags, about);
            acceptor.armed = true;
            acceptor.multishot = !mustBeOneAtATime(acceptor);
            Ring.priority(entry, acceptor.multishot ? ACCEPT_MULTISHOT : 0);
            Ring.fileIndex(entry, Ring.FILE_INDEX_ALLOC);
        }
    }

    private boolean mustBeOneAtATime(LoopAcceptor acceptor) {
        return acceptor.oneAtATime() || tables.crowded();
    }

    private void cancel(LoopAcceptor acceptor) {
        Uring.cancel(main, Uring.userData(Uring.ACCEPTED, acceptor.id));
    }

    /** The kernel has put a connection into place {@code result} of the main table, or failed. */
    void accepted(int number, int result, int flags) {
        LoopAcceptor acceptor = acceptors.get(number);
        if ((flags & Ring.MORE) == 0) {
            acceptor.armed = false;
        }
        if (result >= 0) {
            LoopAcceptor.Placement place = acceptor.place();
            if (place.acceptor().loop == loop) {
                place(place, result);
            } else {
                tables.leaves();
                handOver(main, result, place);
            }
        } else if (result != -Linux.ECANCELED && result != -Linux.EINTR && acceptor.accepting()) {
            acceptor.failed(Linux.reason(-result));
        }
        if (!acceptor.armed && acceptor.accepting()) {
            accept(acceptor);
        } else if (!acceptor.armed) {
            forgetIfDone(acceptor);
        } else if (acceptor.multishot && mustBeOneAtATime(acceptor)) {
            acceptor.multishot = false;
            cancel(acceptor); // and then again, for one
        }
    }

    /** Another loop has handed a connection over. */
    void arrived(int number, int result) {
        LoopAcceptor.Placement place = arriving.remove(number);
        place.acceptor().arrived(place.room());
        if (result >= 0) {
            place(place, result);
        } else {
            place.acceptor().lost(place.room());
        }
    }

    /**
     * Admits the connection in {@code slot} of the main table, or moves it to a further one while
     * there is room left.
     */
    private void place(LoopAcceptor.Placement place, int slot) {
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
            place.acceptor().lost(place.room());
            place.acceptor().failed(e.getMessage());
        }
    }

    /** Hands a connection that waits for a slot over to the acceptor of another loop. */
    void handOver(Connection connection, LoopAcceptor target) {
        Ring ring = (Ring) connection.handle;
        ring.table[connection.slot] = null;
        if (ring == main) {
            ring.connections--;
            tables.leaves();
        }
        handOver(ring, connection.slot, target.place(LoopAcceptor.Capacity.SLOT));
    }

    private void handOver(Ring from, int slot, LoopAcceptor.Placement place) {
        UringAccepts there = ((Uring) place.acceptor().loop.poller()).accepts();
        move(from, slot, there.main, place, Uring.ARRIVED, there);
    }

    private void move(
            Ring from,
            int slot,
            Ring to,
            LoopAcceptor.Placement place,
            int kindThere,
            UringAccepts there) {
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
            loop.schedule(RETRY, () -> move(move));
            return;
        }
        if (result < 0) {
            LOG.get().log(Level.WARNING, "{0} lost a connection: {1}", loop, Linux.reason(-result));
            move.there.arriving.remove(move.numberThere);
            if (move.kindThere == Uring.TAKEN_OVER) {
                move.to.connections--;
            } else {
                move.place.acceptor().arrived(move.place.room());
            }
            move.place.acceptor().lost(move.place.room());
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
        LoopAcceptor.Placement place = arriving.remove(number);
        if (slot < 0) {
            ring.connections--;
            place.acceptor().lost(place.room());
        } else {
            admit(ring, slot, place);
        }
    }

    private static void admit(Ring ring, int slot, LoopAcceptor.Placement place) {
        var connection = new Connection(place.acceptor(), ring, slot);
        ring.put(connection);
        place.acceptor().accepted(connection, place.room());
    }
}
