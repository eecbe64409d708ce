// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The memory that one loop may hold for its connections, in bytes: unfinished headers, bodies that
 * no handler has read yet, output that no peer has taken yet, TLS records, WebSocket messages that
 * are not complete or that wait for the program. Limits of a single connection do not bound the sum
 * over all of them; this does.
 *
 * <p>Code that stores bytes for a peer reserves them first and releases exactly as many when they
 * are gone. When {@link #reserve} returns false, the caller holds nothing and refuses the peer by a
 * named rule. A protocol that stores bytes for one connection uses {@link Connection#stores}
 * instead, which releases them with the connection.
 *
 * <p>When memory is short, room is made before anything is refused:
 *
 * <ol>
 *   <li>Write memory that is not in use goes back to the system.
 *   <li>The connections that have kept the loop waiting for the rest of a message for the longest
 *       are {@linkplain Protocol#memoryShort told} to give up, one after the other. A peer that
 *       sends on steadily moves to the end of that queue. So a flood of unfinished requests
 *       displaces itself, and a request that arrives whole needs no room at all.
 *   <li>A connection that holds more than an eighth of the memory displaces nobody: it is refused
 *       itself.
 *   <li>While output is beyond the limit, connections whose peers have taken nothing for a quarter
 *       of a second are closed.
 * </ol>
 *
 * <p>Loop-confined, except {@link #used}, {@link #limit} and {@link #refused}: any thread.
 */
public final class MemoryBudget {
    private static final VarHandle USED;

    static {
        try {
            USED = MethodHandles.lookup().findVarHandle(MemoryBudget.class, "used", long.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Connections that one search for room has give up, or asks again. */
    private static final int MOST_LOOKED_AT = 256;

    /** Connections that one search sorts out, since they do not wait for their peers. */
    private static final int MOST_SORTED_OUT = 16_384;

    /** A connection with more than this part of the memory is refused before others are. */
    private static final int LARGE_PART = 8;

    private static final int MOST_SPARES = 256;

    /** What a peer sends between two moves to the end of the queue. */
    private static final int STEADY = 64 << 10;

    private final long limit;
    private long used;
    private volatile long refused;
    private Runnable reclaim = () -> {};

    private final Queue waiting = new Queue(); // for their peers, as far as is known
    private final Queue busy = new Queue(); // did not wait for their peers when they were asked
    private boolean makingRoom;
    private Holding spare; // linked by newer
    private int spares;

    /** What the bytes of a {@link Holding} are. */
    enum Held {
        /** Input that the connection keeps back. */
        INPUT,
        /** Incomplete records, and what a handshake takes. */
        RECORDS,
        /** What the protocol stores. */
        STORED
    }

    /** What one connection holds of the memory, and its place in the queue. Loop-confined. */
    static final class Holding {
        /** Bytes of heap that it costs itself. */
        private static final int COST = 64;

        private Connection owner;
        private Queue queue; // that it is in
        private Holding older;
        private Holding newer;
        private long input;
        private long records;
        private long stored;
        private long sent; // by the peer since it was moved last

        private long bytes() {
            return COST + input + records + stored;
        }

        long get(Held what) {
            return switch (what) {
                case INPUT -> input;
                case RECORDS -> records;
                case STORED -> stored;
            };
        }

        void set(Held what, long bytes) {
            switch (what) {
                case INPUT -> input = bytes;
                case RECORDS -> records = bytes;
                case STORED -> stored = bytes;
            }
        }

        boolean isEmpty() {
            return input + records + stored == 0;
        }
    }

    /** Holdings by the time for which they have waited. */
    private static final class Queue {
        private Holding oldest;
        private Holding newest;

        Holding oldestBut(Holding other) {
            return oldest == other && other != null ? other.newer : oldest;
        }

        void append(Holding holding) {
            holding.queue = this;
            holding.older = newest;
            holding.newer = null;
            if (newest == null) {
                oldest = holding;
            } else {
                newest.newer = holding;
            }
            newest = holding;
        }

        void remove(Holding holding) {
            if (holding.older == null) {
                oldest = holding.newer;
            } else {
                holding.older.newer = holding.newer;
            }
            if (holding.newer == null) {
                newest = holding.older;
            } else {
                holding.newer.older = holding.older;
            }
            holding.older = null;
            holding.newer = null;
        }
    }

    MemoryBudget(long limit) {
        this.limit = limit;
    }

    /** Sets what gives memory back that is only kept for later. */
    void onShortage(Runnable reclaim) {
        this.reclaim = reclaim;
    }

    /**
     * Reserves {@code bytes}, or nothing when that would exceed the limit and no room can be made.
     * May have other connections give up, whose protocols are called meanwhile.
     *
     * @return whether they are reserved
     */
    public boolean reserve(long bytes) {
        return reserve(bytes, null);
    }

    private boolean reserve(long bytes, Holding by) {
        if (used + bytes > limit && !makeRoom(bytes, by)) {
            refused++;
            return false;
        }
        USED.setOpaque(this, used + bytes);
        return true;
    }

    /**
     * Adds bytes that are held already, beyond the limit if need be. For memory whose amount is
     * known only after the fact; whatever comes next is refused until it is released.
     */
    public void add(long bytes) {
        USED.setOpaque(this, used + bytes);
    }

    /** Returns bytes that were reserved or added. */
    public void release(long bytes) {
        long now = used - bytes;
        assert now >= 0 : "released " + bytes + " bytes of " + used;
        USED.setOpaque(this, now);
    }

    /** Returns the bytes that are held now. Any thread. */
    public long used() {
        return (long) USED.getOpaque(this);
    }

    /** Returns the most that may be held. Any thread. */
    public long limit() {
        return limit;
    }

    /**
     * Returns how often a reservation was refused, or a connection had to give up what it held,
     * since the start. Any thread.
     */
    public long refused() {
        return refused;
    }

    /** Returns whether more than half is in use, so that each connection is to hold less. */
    boolean tight() {
        return used > limit >> 1;
    }

    /** Returns whether more is in use than may be. */
    boolean exceeded() {
        return used > limit;
    }

    /** Returns whether so much is in use that no request is to begin. */
    public boolean exhausted() {
        return used > limit + (limit >> 1);
    }

    /** Counts a connection that had to give up. */
    void countRefused() {
        refused++;
    }

    // ---- what connections hold

    /** Opens an account for {@code owner}, at the end of the queue. */
    Holding open(Connection owner) {
        Holding holding = spare;
        if (holding == null) {
            holding = new Holding();
        } else {
            spare = holding.newer;
            spares--;
        }
        holding.owner = owner;
        waiting.append(holding);
        add(Holding.COST);
        return holding;
    }

    /** Reserves {@code bytes} more for what {@code holding} counts; false when there is no room. */
    boolean grow(Holding holding, long bytes) {
        if (used + bytes > limit && holding.bytes() + bytes > limit / LARGE_PART) {
            reclaim.run();
            if (used + bytes > limit) {
                refused++;
                return false;
            }
        }
        if (holding.queue == busy) {
            renew(holding);
        }
        return reserve(bytes, holding);
    }

    /** The peer has sent {@code bytes} of what is waited for. */
    void progress(Holding holding, int bytes) {
        holding.sent += bytes;
        if (holding.sent >= STEADY || holding.queue == busy) {
            renew(holding);
        }
    }

    /** The peer has completed something: it is the last to give up from now on. */
    void renew(Holding holding) {
        holding.sent = 0;
        if (holding != waiting.newest) {
            move(holding, waiting);
        }
    }

    /** Puts {@code holding} at the end of {@code queue}. */
    private static void move(Holding holding, Queue queue) {
        holding.queue.remove(holding);
        queue.append(holding);
    }

    /** Closes an account, whatever is still counted on it. */
    void close(Holding holding) {
        holding.queue.remove(holding);
        release(holding.bytes());
        if (spares < MOST_SPARES) {
            holding.owner = null;
            holding.input = 0;
            holding.records = 0;
            holding.stored = 0;
            holding.sent = 0;
            holding.newer = spare;
            spare = holding;
            spares++;
        }
    }

    /** Has connections give up, but for the one {@code by} which it is asked. */
    private boolean makeRoom(long bytes, Holding by) {
        if (makingRoom || bytes > limit) {
            return false;
        }
        makingRoom = true;
        try {
            reclaim.run();
            int sortedOut = 0;
            for (int i = 0; i < MOST_LOOKED_AT && sortedOut < MOST_SORTED_OUT; ) {
                Holding candidate = waiting.oldestBut(by);
                if (candidate == null || used + bytes <= limit) {
                    break;
                }
                candidate.owner.giveUp();
                if (waiting.oldestBut(by) != candidate) {
                    i++;
                } else { // it does not wait for its peer, or still has to respond
                    move(candidate, busy);
                    sortedOut++;
                }
            }
            askBusy(bytes, by);
        } finally {
            makingRoom = false;
        }
        return used + bytes <= limit;
    }

    /** Some of those that were busy may wait for their peers by now. */
    private void askBusy(long bytes, Holding by) {
        for (int i = 0; i < MOST_LOOKED_AT && used + bytes > limit; i++) {
            Holding candidate = busy.oldestBut(by);
            if (candidate == null) {
                return;
            }
            candidate.owner.giveUp();
            if (busy.oldestBut(by) == candidate) {
                move(candidate, busy);
            }
        }
    }
}
