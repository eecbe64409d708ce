// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.ConnectionInput.Queue;
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
 * named rule. A protocol that stores bytes for one connection uses {@link Connection#reserveMemory}
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
 *   <li>The less memory is left, the fewer unsent bytes make a connection {@linkplain
 *       Connection#isCongested congested}.
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
    private static final int MAX_LOOKED_AT = 256;

    /** Connections that one search sorts out, since they do not wait for their peers. */
    private static final int MAX_SORTED_OUT = 16_384;

    /** A connection with more than this part of the memory is refused before others are. */
    private static final int LARGE_PART = 8;

    /** What a peer sends between two moves to the end of the queue. */
    private static final int STEADY = 64 << 10;

    private final long limit;
    private long used;
    private volatile long refused;
    private Runnable reclaim = () -> {};

    private final Queue waiting = new Queue(); // for their peers, as far as is known
    private final Queue busy = new Queue(); // did not wait for their peers when they were asked
    private final ConnectionInput.Pool inputs = new ConnectionInput.Pool();
    private boolean makingRoom;

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

    private boolean reserve(long bytes, ConnectionInput by) {
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
    public boolean tight() {
        return used > limit >> 1;
    }

    /** Returns whether more is in use than may be. */
    boolean exceeded() {
        return used > limit;
    }

    /** Returns the high-water mark of a connection's unsent bytes: lower while memory is short. */
    int highWater() {
        return exceeded()
                ? Connection.LOW_WATER / 8 // the sum over all must not get far beyond the limit
                : tight() ? Connection.LOW_WATER : Connection.HIGH_WATER;
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

    /** Lends {@code owner} what counts its input, at the end of the queue. */
    ConnectionInput open(Connection owner) {
        ConnectionInput input = inputs.borrow(owner);
        waiting.append(input);
        add(ConnectionInput.COST);
        return input;
    }

    /** Reserves {@code bytes} more for {@code input}; false when there is no room. */
    boolean grow(ConnectionInput input, long bytes) {
        if (used + bytes > limit && input.total() + bytes > limit / LARGE_PART) {
            reclaim.run();
            if (used + bytes > limit) {
                refused++;
                return false;
            }
        }
        if (busy.contains(input)) {
            renew(input);
        }
        return reserve(bytes, input);
    }

    /** The peer has sent {@code bytes} of what is waited for. */
    void progress(ConnectionInput input, int bytes) {
        input.peerSent += bytes;
        if (input.peerSent >= STEADY || busy.contains(input)) {
            renew(input);
        }
    }

    /** The peer has completed something: it is the last to give up from now on. */
    void renew(ConnectionInput input) {
        input.peerSent = 0;
        if (!waiting.endsWith(input)) {
            waiting.append(input);
        }
    }

    /** Takes {@code input} back, and releases what is still counted. */
    void close(ConnectionInput input) {
        release(input.total());
        inputs.giveBack(input);
    }

    /** Has connections give up, but for the one {@code by} which it is asked. */
    private boolean makeRoom(long bytes, ConnectionInput by) {
        if (makingRoom || bytes > limit) {
            return false;
        }
        makingRoom = true;
        try {
            reclaim.run();
            int sortedOut = 0;
            for (int i = 0; i < MAX_LOOKED_AT && sortedOut < MAX_SORTED_OUT; ) {
                ConnectionInput candidate = waiting.oldestBut(by);
                if (candidate == null || used + bytes <= limit) {
                    break;
                }
                InputSide.giveUp(candidate.owner);
                if (waiting.oldestBut(by) != candidate) {
                    i++;
                } else { // it does not wait for its peer, or still has to respond
                    busy.append(candidate);
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
    private void askBusy(long bytes, ConnectionInput by) {
        for (int i = 0; i < MAX_LOOKED_AT && used + bytes > limit; i++) {
            ConnectionInput candidate = busy.oldestBut(by);
            if (candidate == null) {
                return;
            }
            InputSide.giveUp(candidate.owner);
            if (busy.oldestBut(by) == candidate) {
                busy.append(candidate);
            }
        }
    }
}
