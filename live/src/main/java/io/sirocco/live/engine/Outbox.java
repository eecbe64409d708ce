// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.engine;

import io.sirocco.http.WebSocket;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * What waits for a peer, bounded in bytes: while there is less than that, one more is taken. Less
 * may wait when much does for all peers ({@link OutputBudget}). The first parcel may have gone in
 * part, and then goes whole. Loop-confined, except {@link #size} and {@link #holds}.
 */
final class Outbox {
    /** Answers are never dropped, but they do not pile up either. */
    private static final int ANSWERS = 4;

    private static final VarHandle SIZE;
    private static final VarHandle HOLDS;

    static {
        try {
            SIZE = MethodHandles.lookup().findVarHandle(Outbox.class, "size", long.class);
            HOLDS = MethodHandles.lookup().findVarHandle(Outbox.class, "holds", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ArrayDeque<Parcel> queue = new ArrayDeque<>(4);
    private final OutputBudget all;
    private final long budget;
    private long size;
    private long holds; // memory of the parcels that waited here first
    private int sent;
    private long dropped;

    Outbox(OutputBudget all, long budget) {
        this.all = all;
        this.budget = Math.max(1, budget);
    }

    /** Adds one, of which {@code parts} have gone; false when the peer is to be closed over it. */
    boolean add(Parcel parcel, int parts, Overflow overflow) {
        long allowed = all.allowed(budget);
        if (parcel.counts() && all.isExhausted()) {
            return false;
        } else if (parts > 0) { // it is the first
            sent = parts;
        } else if (size >= allowed && parcel.droppable()) {
            switch (overflow) {
                case CLOSE -> {
                    return false;
                }
                case DROP_NEWEST -> {
                    dropped++;
                    return true;
                }
                case DROP_OLDEST -> {
                    dropOldest(parcel.size(), allowed);
                    if (size >= allowed) {
                        dropped++;
                        return true;
                    }
                }
            }
        } else if (size > (all.isFull() ? allowed : Math.max(1 << 16, allowed) * ANSWERS)) {
            return false;
        }
        queue.add(parcel);
        if (all.add(parcel)) {
            parcel.first(this);
            HOLDS.setOpaque(this, holds + parcel.cost());
        }
        size(size + parcel.size());
        return true;
    }

    private void dropOldest(int wanted, long allowed) {
        Iterator<Parcel> each = queue.iterator();
        boolean begun = sent > 0;
        while (each.hasNext() && size + wanted > allowed) {
            Parcel parcel = each.next();
            if (parcel.droppable() && !begun) {
                each.remove();
                removed(parcel);
                dropped++;
            }
            begun = false;
        }
    }

    /** Sends what a WebSocket has room for; answers whether that is all. */
    boolean writeTo(WebSocket socket) {
        for (Parcel first = queue.peek(); first != null; first = queue.peek()) {
            sent = first.writeTo(socket, sent);
            if (sent < first.parts()) {
                return false;
            }
            removeFirst();
        }
        return true;
    }

    /** Adds what one poll answers: as much as {@code most} bytes, or one message. */
    void addTo(StringBuilder body, int most) {
        for (Parcel first = queue.peek(); first != null; first = queue.peek()) {
            if (!body.isEmpty() && body.length() + first.pollSize() > most) {
                return;
            }
            first.addTo(body);
            removeFirst();
        }
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    private void removeFirst() {
        removed(queue.poll());
        sent = 0;
    }

    private void removed(Parcel parcel) {
        if (parcel.isFirst(this)) {
            parcel.first(null);
            HOLDS.setOpaque(this, holds - parcel.cost());
        }
        all.remove(parcel);
        size(size - parcel.size());
    }

    /** The peer is gone: nothing waits for it any more. */
    void clear() {
        while (!queue.isEmpty()) {
            removeFirst();
        }
    }

    /** Bytes that wait. Any thread; a moment old perhaps. */
    long size() {
        return (long) SIZE.getOpaque(this);
    }

    /** Memory that would be free without it. Any thread; a moment old perhaps. */
    long holds() {
        return (long) HOLDS.getOpaque(this);
    }

    private void size(long now) {
        SIZE.setOpaque(this, now);
    }

    /** How many messages had to go. */
    long dropped() {
        return dropped;
    }
}
