// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import io.sirocco.net.log.LazyLogger;
import io.sirocco.net.transport.Transport;
import io.sirocco.net.transport.TransportLoop;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The rings of one loop, each with a table of sockets. A table has as many slots as the process may
 * have files open, so there are further ones when tables fill; the loop waits on the main ring, and
 * an eventfd reports completions of each other ring there. Loop-confined.
 */
final class UringTables implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Uring.class);

    /** A smaller table could overflow by what one multishot accept brings. */
    private static final int ROOMY = 16_384;

    /** That much: a backlog of the usual size, and what joins it while the kernel empties it. */
    private static final int TURN_BRINGS = 5_000;

    /**
     * Places of the main table that only those have which are on their way to another: they leave
     * two turns later, and meanwhile more may come.
     */
    private static final int RESERVE = 8_192;

    private static final int BUFFER_BYTES_OF_FURTHER_RINGS = 1 << 20;

    private final Uring transport;
    private final TransportLoop loop;
    private final long signalCount; // where the kernel puts what eventfds say
    private final int size;
    private final Ring.Owner owner;
    private final UringTable main;
    private final List<UringTable> further = new ArrayList<>();
    private int leaving; // places of the main table that are neither free nor a connection's

    /** Tables of {@code size} places. */
    UringTables(Uring transport, TransportLoop loop, int size) throws IOException {
        this.transport = transport;
        this.loop = loop;
        this.size = size;
        this.signalCount = loop.arena().allocate(8, 8).address();
        this.owner = new RingOwner(loop);
        this.main = open(Transport.MAX_RECEIVED_PER_TURN, false);
    }

    /** The loop, for its rings. */
    private static final class RingOwner implements Ring.Owner {
        private final TransportLoop loop;
        private long nanos;
        private final Runnable pause = () -> LockSupport.parkNanos(nanos);

        RingOwner(TransportLoop loop) {
            this.loop = loop;
        }

        @Override
        public boolean inLoop() {
            return loop.loop().inLoop();
        }

        @Override
        public void pause(long most) {
            if (loop.loop().isOwnThread()) {
                nanos = most;
                loop.runOnCarrier(pause);
            } else { // another thread of the loop would run if this one parked
                Thread.onSpinWait();
            }
        }
    }

    private UringTable open(int bufferBytes, boolean secondary) throws IOException {
        var ring = new Ring(loop.arena(), owner, size, bufferBytes, secondary);
        return new UringTable(transport, ring);
    }

    /** Returns the table of the ring that the loop waits on. */
    UringTable main() {
        return main;
    }

    /** In the order in which they were added, which is their number in completions. */
    List<UringTable> further() {
        return further;
    }

    /** Returns whether the main table has a slot for one more connection. */
    boolean mainHasRoom() {
        return main.used < size - Math.min(RESERVE, size / (size < ROOMY ? 4 : 2));
    }

    /**
     * Returns whether a multishot accept could bring more than the main table has room for: into a
     * full table they would be lost.
     */
    boolean crowded() {
        return size < ROOMY || size - main.used - leaving < TURN_BRINGS;
    }

    /**
     * Returns how many connections may be on their way here for one listener: the reserve is to
     * hold them, those of some other listeners, and what is accepted meanwhile.
     */
    int arrivals() {
        return Math.clamp(size / 16, 1, 256);
    }

    /** A place of the main table is in use until its socket is in another table. */
    void leaves() {
        leaving++;
    }

    void hasLeft() {
        leaving--;
    }

    /** Returns a table with room, which may be a new one. */
    UringTable roomy() throws IOException {
        if (mainHasRoom()) {
            return main;
        }
        for (UringTable table : further) {
            if (table.used < size) {
                return table;
            }
        }
        UringTable added = open(BUFFER_BYTES_OF_FURTHER_RINGS, true);
        further.add(added);
        listenTo(added);
        int tables = further.size() + 1;
        LOG.get().log(Level.DEBUG, "{0} has {1} tables of {2} sockets", loop.loop(), tables, size);
        return added;
    }

    /** A further ring has something to say: posts what its kernel side has deferred. */
    void ready(int number) {
        UringTable table = further.get(number);
        table.ring.submit(0);
        listenTo(table);
    }

    private void listenTo(UringTable table) {
        long about = Uring.userData(Uring.RING_READY, further.indexOf(table));
        listenTo(table.ring.eventfd, about);
    }

    /** Requests a completion about {@code about} when {@code eventfd} is signalled next. */
    void listenTo(int eventfd, long about) {
        main.ring.entry(Ring.READ, 0, eventfd, signalCount, 8, 0, about);
    }

    @Override
    public void close() {
        for (int i = 0; i < further.size(); i++) {
            further.get(i).close();
        }
        main.close();
    }
}
