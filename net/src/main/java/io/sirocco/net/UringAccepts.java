// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

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

    private final Loop loop;
    private final UringTables tables;
    private final Ring main;
    private final List<Gate> gates = new ArrayList<>(); // by number, which completions carry

    UringAccepts(Loop loop, UringTables tables) {
        this.loop = loop;
        this.tables = tables;
        this.main = tables.main();
    }

    void listen(Gate gate) {
        gate.id = gates.size();
        gates.add(gate);
        accept(gate);
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
            main.submit(0);
            Linux.close(socket.descriptor());
        }
    }

    void close() {
        gates.forEach(Gate::closeNow);
    }

    private void accept(Gate gate) {
        if (gate.socket instanceof Uring.Listening socket) {
            long about = Uring.userData(Uring.ACCEPTED, gate.id);
            long entry = main.entry(Ring.ACCEPT, 0, socket.descriptor(), 0, 0, 0, about);
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
            Gate target = gate.takeNext();
            if (target.loop == loop) {
                place(target, result);
            } else {
                Ring there = ((Uring) target.loop.poller()).mainRing();
                handOver(result, there, Uring.userData(Uring.ARRIVED, target.id));
            }
        } else if (result != -Linux.ECANCELED && result != -Linux.EINTR && gate.accepting()) {
            gate.failed(Linux.reason(-result));
        }
        if (!gate.armed && gate.accepting()) {
            accept(gate);
        } else if (gate.armed && gate.multishot && mustBeOneAtATime(gate)) {
            gate.multishot = false;
            cancel(gate); // and then again, for one
        }
    }

    /** Another loop has handed a connection over. */
    void arrived(int number, int result) {
        Gate gate = gates.get(number);
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
        try {
            Ring ring = tables.roomy();
            ring.connections++;
            if (ring == main) {
                admit(main, slot, gate);
            } else {
                handOver(slot, ring, Uring.userData(Uring.TAKEN_OVER, gate.id));
            }
        } catch (IOException e) {
            Uring.closeSlot(main, slot);
            gate.failed(e.getMessage());
        }
    }

    private void handOver(int slot, Ring to, long aboutThere) {
        tables.leaves();
        long about = Uring.userData(Uring.HANDED_OVER, slot);
        long entry = main.entry(Ring.MSG_RING, 0, to.descriptor, MSG_SEND_FD, 0, 0, about);
        Ring.offset(entry, aboutThere);
        Ring.address3(entry, slot);
        Ring.fileIndex(entry, Ring.FILE_INDEX_ALLOC);
    }

    /** The socket in {@code slot} of the main table is in another one, or is lost. */
    void handedOver(int slot, int result) {
        if (result < 0) {
            LOG.get().log(Level.WARNING, "{0} lost a connection: {1}", loop, Linux.reason(-result));
        }
        Uring.closeSlot(main, slot);
        tables.hasLeft();
    }

    /** A further table has taken a connection over from the main one. */
    void takenOver(Ring ring, int slot, int number) {
        Gate gate = gates.get(number);
        if (slot < 0) {
            ring.connections--;
            gate.lost();
        } else {
            admit(ring, slot, gate);
        }
    }

    private static void admit(Ring ring, int slot, Gate gate) {
        var connection = new Connection(gate, ring, slot);
        ring.table[slot] = connection;
        gate.accepted(connection);
    }
}
