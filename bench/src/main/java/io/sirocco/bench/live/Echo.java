// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Schedule;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The callers of one loop, and what they have measured. Loop-confined. */
final class Echo implements Crowd {
    /** When a request is said to be due that is not measured. */
    static final long WARM_UP = Long.MIN_VALUE;

    final Rig rig;
    final int window;

    /** What is sent, and is to come back: an array with one text. */
    final byte[] text;

    /** The event as it goes over the wire, behind its id. */
    final byte[] event;

    private final Runnable whenDone;
    private final List<EchoCaller> callers = new ArrayList<>();

    // The measurement: from measure() to giveUp()
    private boolean measuring;
    private long until = Long.MAX_VALUE;
    private boolean issuing;
    private long underWay; // requests that are measured, and neither answered nor lost
    private boolean done;

    // The open loop: what is due is asked by the caller that has waited longest
    private final Schedule schedule; // null when the loop is closed
    private final ArrayDeque<EchoCaller> waiting = new ArrayDeque<>();
    private long begin;
    private long k; // the request that is due next
    private long appointment = Long.MAX_VALUE;

    /**
     * @param whenDone told once, when nothing is asked any more and nothing under way
     */
    Echo(Rig rig, Runnable whenDone) {
        this.rig = rig;
        this.whenDone = whenDone;
        this.window = rig.plan.window();
        String padding = "x".repeat(rig.plan.size);
        this.text = ("[\"" + padding + "\"]").getBytes(ISO_8859_1);
        this.event = ("[\"echo\",\"" + padding + "\"]").getBytes(ISO_8859_1);
        this.schedule =
                rig.plan.rate == 0 ? null : new Schedule(rig.plan.rate, rig.index, rig.plan.loops);
    }

    // ---- the course of a run

    @Override
    public void enter(Session session, Runnable in) {
        var caller = new EchoCaller(this, session);
        session.part(caller);
        callers.add(caller);
        in.run();
    }

    @Override
    public void start() {
        issuing = true;
        begin = measuring ? begin : rig.nanos();
        if (schedule == null) {
            callers.forEach(caller -> fill(caller, begin));
        } else {
            callers.forEach(this::free);
            pump(begin);
        }
    }

    @Override
    public void measure() {
        begin = rig.nanos();
        until = begin + rig.plan.duration.toNanos();
        measuring = true;
        k = 0;
        if (schedule != null && issuing) {
            pump(begin);
        }
    }

    @Override
    public void end() {
        until = Math.min(until, rig.nanos());
        if (schedule == null) {
            issuing = false;
            lookWhetherDone();
        } else {
            pump(until); // what was due before may still be asked
        }
    }

    @Override
    public void giveUp() {
        if (measuring) {
            long due = schedule == null ? 0 : schedule.dueBefore(until - begin);
            rig.tally().failed(Failure.TIMEOUT, underWay + Math.max(0, due - k), "no answer");
        }
        measuring = false;
        issuing = false;
        done = true;
    }

    // ---- what callers tell

    void answered(EchoCaller caller, long now, long due, boolean right) {
        if (due != WARM_UP && measuring) {
            underWay--;
            Tally tally = rig.tally();
            Tally.record(tally.latency, now - due);
            if (!right) {
                tally.failed(Failure.WRONG, "an echo of something else");
            }
            if (now < until) {
                tally.counted++;
            }
        }
        if (schedule == null) {
            fill(caller, now);
        } else {
            free(caller);
            pump(now);
        }
        lookWhetherDone();
    }

    /**
     * @param measured requests of it that are lost
     */
    void lost(int measured, Failure why, String words) {
        underWay -= measured;
        rig.tally().failed(why, Math.max(1, measured), words);
        lookWhetherDone();
    }

    private void lookWhetherDone() {
        if (!issuing && !done && underWay == 0) {
            done = true;
            whenDone.run();
        }
    }

    private void fill(EchoCaller caller, long now) {
        issuing &= now < until;
        while (issuing && caller.canAsk()) {
            issue(caller, now);
        }
    }

    private void issue(EchoCaller caller, long due) {
        if (measuring) {
            underWay++;
        }
        caller.ask(measuring ? due : WARM_UP);
    }

    // ---- the open loop

    private void free(EchoCaller caller) {
        if (!caller.waits) {
            caller.waits = true;
            waiting.add(caller);
        }
    }

    /** Asks what is due, as far as there are free callers, and comes back for what is not. */
    private void pump(long now) {
        while (issuing) {
            long due = begin + schedule.due(k);
            if (due >= until) {
                issuing = false;
            } else if (due > now) {
                comeBack(due);
                return;
            } else {
                EchoCaller caller = longestWaiting();
                if (caller == null) {
                    return; // the next that is free comes here
                }
                k++;
                issue(caller, due);
                if (caller.canAsk()) {
                    free(caller);
                }
            }
        }
        lookWhetherDone();
    }

    private EchoCaller longestWaiting() {
        for (EchoCaller caller; (caller = waiting.poll()) != null; ) {
            caller.waits = false;
            if (caller.canAsk()) {
                return caller;
            }
        }
        return null;
    }

    private void comeBack(long due) {
        if (due >= appointment) {
            return;
        }
        appointment = due;
        rig.loop.at(
                due,
                () -> {
                    if (appointment == due) { // else an earlier one was made since
                        appointment = Long.MAX_VALUE;
                        pump(rig.nanos());
                    }
                });
    }
}
