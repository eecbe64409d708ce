// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import io.sirocco.net.Loop;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * Says which client of a loop asks when: in a closed loop each as soon as it is free, in an open
 * one whoever has waited longest, when the {@link Schedule} says so. Knows what is measured, and
 * what of that is under way.
 *
 * <pre>
 *   start -> measure -> end, when no more is asked -> giveUp
 *   measure -> start, when nothing is to warm up
 * </pre>
 *
 * Loop-confined.
 */
public final class Pacer {
    /** When a request is said to be due that is not measured. */
    public static final long WARM_UP = Long.MIN_VALUE;

    /** A client, as far as this is about it. */
    public abstract static class Asker {
        private boolean waits; // in the queue of its pacer

        /** How many requests it could send now; 0 when it is busy, or is not there. */
        protected abstract int room();

        /** Sends requests, as many as it has room for at most, that were due at {@code due}. */
        protected abstract void ask(long due, int count);
    }

    private final Loop loop;
    private final Schedule schedule; // null when the loop is closed
    private final long quota;
    private final Runnable whenDone;
    private final ArrayDeque<Asker> waiting = new ArrayDeque<>(); // of an open loop: who is free
    private final Appointment appointment; // of an open loop
    private boolean measuring; // from measure() to giveUp()
    private boolean over; // its time is
    private boolean done;
    private long begin;
    private long until = Long.MAX_VALUE; // requests that are due earlier, answers that come earlier
    private long asked; // since begin
    private long underWay; // requests that are measured, and neither answered nor lost

    /**
     * @param schedule of an open loop
     * @param quota how many requests to measure at most
     * @param whenDone told once, when nothing that is measured is left to ask, nor under way
     */
    public Pacer(Loop loop, Optional<Schedule> schedule, long quota, Runnable whenDone) {
        this.loop = loop;
        this.schedule = schedule.orElse(null);
        this.quota = quota;
        this.whenDone = whenDone;
        this.appointment = new Appointment(loop, this::comeBack);
    }

    /** Those ask from now on who say that they are free. */
    public void start() {
        begin = measuring ? begin : now();
    }

    /** Measures from now on, for so long. */
    public void measure(long nanos) {
        begin = now();
        until = begin + nanos;
        measuring = true;
        asked = 0;
        if (schedule != null) {
            pump(begin);
        }
        lookWhetherDone();
    }

    /** Nobody asks any more; what was due before may still be asked. */
    public void end() {
        until = Math.min(until, now());
        if (schedule == null) {
            over = true;
        } else {
            pump(until);
        }
        lookWhetherDone();
    }

    /** What is not answered by now is lost: returns how many that are. */
    public long giveUp() {
        long lost = measuring ? underWay + unasked() : 0;
        measuring = false;
        over = true;
        done = true;
        return lost;
    }

    private long unasked() {
        long due = schedule == null ? 0 : Math.min(quota, schedule.dueBefore(until - begin));
        return Math.max(0, due - asked); // what is due at the very end may have been asked
    }

    /** Whether it has told so, or has given up. */
    public boolean done() {
        return done;
    }

    /** Whether requests are measured that are asked now. */
    public boolean measuring() {
        return measuring;
    }

    /** Whether an answer that comes now still counts for the rate. */
    public boolean inTime(long now) {
        return now < until;
    }

    /**
     * Requests that were due at {@code due} are answered, or never will be; returns whether they
     * are measured.
     */
    public boolean settle(long due, int count) {
        boolean measured = due != WARM_UP && measuring;
        if (measured) {
            underWay -= count;
            lookWhetherDone();
        }
        return measured;
    }

    /** It has room; it may be asked to ask from within this call. */
    public void free(Asker asker, long now) {
        if (schedule == null) {
            over |= now >= until;
            int count = (int) Math.min(asker.room(), left());
            if (count > 0) {
                ask(asker, now, count);
            }
        } else {
            await(asker);
            pump(now);
        }
        lookWhetherDone();
    }

    private long left() {
        return over ? 0 : measuring ? quota - asked : Long.MAX_VALUE;
    }

    private void ask(Asker asker, long due, int count) {
        asked += count;
        if (measuring) {
            underWay += count;
        }
        asker.ask(measuring ? due : WARM_UP, count);
    }

    private void lookWhetherDone() {
        if (measuring && left() == 0 && underWay == 0 && !done) {
            done = true;
            whenDone.run();
        }
    }

    // ---- the open loop

    /** Has what is due asked, as far as there is room, and comes back for what is not. */
    private void pump(long now) {
        while (left() > 0) {
            long due = begin + schedule.due(asked);
            if (due >= until) {
                over = true;
            } else if (due > now) {
                appointment.by(due);
                return;
            } else {
                Asker asker = longestWaiting();
                if (asker == null) {
                    return; // the next that is free comes here
                }
                ask(asker, due, 1);
                if (asker.room() > 0) {
                    await(asker);
                }
            }
        }
    }

    private void comeBack() {
        pump(now());
        lookWhetherDone();
    }

    private void await(Asker asker) {
        if (!asker.waits) {
            asker.waits = true;
            waiting.add(asker);
        }
    }

    private Asker longestWaiting() {
        for (Asker asker; (asker = waiting.poll()) != null; ) {
            asker.waits = false;
            if (asker.room() > 0) {
                return asker;
            }
        }
        return null;
    }

    private long now() {
        return loop.clock().nanos();
    }
}
