// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

/**
 * Deadlines of one loop, in milliseconds of its time: a hashed wheel of 512 slots of 16 ms
 * (Varghese and Lauck, 1987). Arm and cancel are O(1). A deadline never fires early, and at most
 * one grain late: 16 ms, or 256 ms when it is further away than two seconds, which lets an idle
 * loop sleep. Loop-confined.
 */
final class TimerWheel {
    private static final int SLOTS = 512;
    private static final int TICK_SHIFT = 4;
    private static final long COARSE_FROM = 2_000;
    private static final long COARSE_GRAIN = 16; // ticks: 256 ms
    private static final int MAX_AHEAD = 1 << 30; // so that 32 bits of a tick can be compared

    private final Head[] slots = new Head[SLOTS];
    private final long[] occupied = new long[SLOTS / 64];
    private final Head visiting = new Head();
    private long now;
    private long tick;
    private int size;

    TimerWheel(long now) {
        this.now = now;
        this.tick = now >> TICK_SHIFT;
        for (int i = 0; i < SLOTS; i++) {
            slots[i] = new Head();
        }
    }

    /** Sets when {@code timer} is due; {@link Timer#NEVER} disarms it. */
    void arm(Timer timer, long due) {
        timer.due = due;
        if (due == Timer.NEVER) {
            return; // met at its old place, and dropped there
        }
        long at = tickOf(due);
        if (timer.isScheduled()) {
            if (timer.tick - (int) at <= 0) {
                return; // met earlier, and moved on from there
            }
            unlink(timer);
        }
        link(timer, at);
    }

    /** Forgets {@code timer} at once, so that nothing refers to it any more. */
    void cancel(Timer timer) {
        timer.due = Timer.NEVER;
        if (timer.isScheduled()) {
            unlink(timer);
        }
    }

    /** Fires all that is due at {@code millis}. */
    void advance(long millis) {
        now = millis;
        long last = millis >> TICK_SHIFT;
        if (last - tick >= SLOTS) { // a leap of the clock: each slot once is enough
            tick = last - SLOTS;
        }
        while (tick < last) {
            tick++;
            int slot = (int) tick & (SLOTS - 1);
            if ((occupied[slot >> 6] & 1L << slot) != 0) {
                visit(slot);
            }
        }
    }

    private void visit(int slot) {
        Head head = slots[slot];
        visiting.next = head.next;
        visiting.previous = head.previous;
        head.next.previous = visiting;
        head.previous.next = visiting;
        head.next = head;
        head.previous = head;
        occupied[slot >> 6] &= ~(1L << slot);
        while (visiting.next != visiting) {
            Timer timer = visiting.next;
            unlink(timer);
            if (timer.due <= now) {
                timer.due = Timer.NEVER;
                timer.fire();
            } else if (timer.due != Timer.NEVER) {
                link(timer, tickOf(timer.due));
            }
        }
    }

    /** Milliseconds from now until a slot has to be looked at; -1 when none has. */
    long untilNext() {
        if (size == 0) {
            return -1;
        }
        int from = (int) (tick + 1) & (SLOTS - 1);
        for (int i = 0; i <= occupied.length; i++) {
            int word = ((from >> 6) + i) & (occupied.length - 1);
            long bits = occupied[word];
            if (i == 0) {
                bits &= -1L << from;
            }
            if (bits != 0) {
                int slot = (word << 6) + Long.numberOfTrailingZeros(bits);
                long ahead = (slot - from) & (SLOTS - 1);
                return Math.max(1, (tick + 1 + ahead << TICK_SHIFT) - now);
            }
        }
        return -1;
    }

    int size() {
        return size;
    }

    /**
     * The first tick that begins no earlier than {@code due}, and after the present one; for what
     * is due in months an earlier one, from which it moves on.
     */
    private long tickOf(long due) {
        long at = Math.min(due + (1 << TICK_SHIFT) - 1 >> TICK_SHIFT, tick + MAX_AHEAD);
        if (due - now > COARSE_FROM) {
            at = (at + COARSE_GRAIN - 1) & -COARSE_GRAIN;
        }
        return Math.max(at, tick + 1);
    }

    private void link(Timer timer, long at) {
        int slot = (int) at & (SLOTS - 1);
        Head head = slots[slot];
        timer.tick = (int) at;
        timer.next = head;
        timer.previous = head.previous;
        head.previous.next = timer;
        head.previous = timer;
        occupied[slot >> 6] |= 1L << slot;
        size++;
    }

    private void unlink(Timer timer) {
        timer.previous.next = timer.next;
        timer.next.previous = timer.previous;
        timer.next = null;
        timer.previous = null;
        size--;
        int slot = timer.tick & (SLOTS - 1);
        Head head = slots[slot];
        if (head.next == head) {
            occupied[slot >> 6] &= ~(1L << slot);
        }
    }

    /** The ring of timers in one slot begins and ends here. */
    private static final class Head extends Timer {
        Head() {
            next = this;
            previous = this;
        }

        @Override
        void fire() {}
    }
}
