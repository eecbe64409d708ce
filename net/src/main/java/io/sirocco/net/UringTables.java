// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

/**
 * The rings of one loop, each with a table of sockets. A table has as many places as the process
 * may have files open, so there are further ones when tables fill; the main one is the one that the
 * loop waits on, and it hears of the others through an eventfd each. Loop-confined.
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

    private static final int BUFFERS = Connection.MAX_RECEIVED_PER_TURN / Ring.BUFFER_SIZE;
    private static final int BUFFERS_OF_FURTHER_RINGS = 256;

    private final Loop loop;
    private final long signalCount; // where the kernel puts what eventfds say
    private final int size;
    private final Ring main;
    private final List<Ring> further = new ArrayList<>();
    private int leaving; // places of the main table that are neither free nor a connection's

    /** Tables of {@code size} places. */
    UringTables(Loop loop, int size) throws IOException {
        this.loop = loop;
        this.size = size;
        this.signalCount = loop.arena.allocate(8, 8).address();
        this.main = new Ring(loop.arena, loop::inLoop, size, BUFFERS, false);
    }

    Ring main() {
        return main;
    }

    /** In the order in which they were added, which is their number in completions. */
    List<Ring> further() {
        return further;
    }

    /** Whether the main table has a place for one connection more. */
    boolean mainHasRoom() {
        return main.connections < size - Math.min(RESERVE, size / (size < ROOMY ? 4 : 2));
    }

    /**
     * Whether the main table could overflow by what a multishot accept brings: into a full table
     * they would be lost.
     */
    boolean crowded() {
        return size < ROOMY || size - main.connections - leaving < TURN_BRINGS;
    }

    /**
     * How many may be on their way here for one listener: the reserve is to hold them, those of
     * some other listeners, and what is accepted meanwhile.
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

    /** A table with room, which may be a new one. */
    Ring roomy() throws IOException {
        if (mainHasRoom()) {
            return main;
        }
        for (Ring ring : further) {
            if (ring.connections < size) {
                return ring;
            }
        }
        var ring = new Ring(loop.arena, loop::inLoop, size, BUFFERS_OF_FURTHER_RINGS, true);
        further.add(ring);
        listenTo(ring);
        int tables = further.size() + 1;
        LOG.get().log(Level.DEBUG, "{0} has {1} tables of {2} sockets", loop, tables, size);
        return ring;
    }

    /** A further ring has something to say: posts what its kernel side has deferred. */
    void ready(int number) {
        Ring ring = further.get(number);
        ring.submit(0);
        listenTo(ring);
    }

    private void listenTo(Ring ring) {
        listenTo(ring.eventfd, Uring.userData(Uring.RING_READY, further.indexOf(ring)));
    }

    /** Has a completion about {@code about} come when {@code eventfd} is signalled next. */
    void listenTo(int eventfd, long about) {
        main.entry(Ring.READ, 0, eventfd, signalCount, 8, 0, about);
    }

    @Override
    public void close() {
        further.forEach(Ring::close);
        main.close();
    }
}
