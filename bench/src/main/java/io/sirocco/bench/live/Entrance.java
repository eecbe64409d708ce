// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.bench.Histograms;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Opens the sessions of one loop, so many at a time. Loop-confined. */
final class Entrance {
    private static final int LEAVING = 1_000; // at the same time

    private final Rig rig;
    private final Crowd crowd;
    private final int wanted;
    private final Runnable whenDone;
    private final List<Slot> slots = new ArrayList<>();
    private final List<Session> in = new ArrayList<>();
    private final Histogram latency = Histograms.none();
    private final Histogram tickets = Histograms.none();
    private int begun;
    private int idle; // slots that have nothing to do any more
    private int failed;
    private long lastReady;
    private boolean closed;
    private Runnable whenGone; // null unless they are leaving
    private int told; // of those who are in, to leave
    private int leaving; // of those, who have not gone yet
    private boolean telling;

    /**
     * @param wanted how many sessions
     * @param whenDone told once, when each of them has become ready or never will
     */
    Entrance(Rig rig, Crowd crowd, int wanted, Runnable whenDone) {
        this.rig = rig;
        this.crowd = crowd;
        this.wanted = wanted;
        this.whenDone = whenDone;
    }

    void start() {
        int count = Math.max(1, Math.min(wanted, rig.share(rig.plan.opening())));
        for (int i = 0; i < count; i++) {
            slots.add(new Slot(this, rig));
        }
        slots.forEach(Slot::next);
    }

    /** Lets nobody in any more. */
    void close() {
        closed = true;
    }

    Crowd crowd() {
        return crowd;
    }

    /** Another session to open; null when there is none. */
    Session next() {
        if (begun < wanted && !closed) {
            begun++;
            return new Session(rig);
        }
        idle++;
        if (idle == slots.size()) {
            whenDone.run();
        }
        return null;
    }

    void ticket(long nanos) {
        Histograms.record(tickets, nanos);
    }

    void ready(Session session, long nanos, long now) {
        Histograms.record(latency, nanos);
        lastReady = now;
        in.add(session);
    }

    void failed() {
        failed++;
    }

    /** Sessions that have become ready. */
    List<Session> in() {
        return in;
    }

    int failures() {
        return failed;
    }

    /** Nanoseconds from the beginning of each session to its being ready. */
    Histogram latency() {
        return latency;
    }

    /** Nanoseconds that each ticket took. */
    Histogram tickets() {
        return tickets;
    }

    /** When the last of them was. */
    long lastReady() {
        return lastReady;
    }

    /** How a server refuses somebody at its door, and what can be done about it. */
    static String told(int status) {
        return status == 429
                ? "429: it limits the connects of one address (sirocco live: --connects 0)"
                : Integer.toString(status);
    }

    /** Disconnects all clients, a thousand at a time; {@code gone} runs when none is left. */
    void leave(Runnable gone) {
        whenGone = gone;
        leaveMore();
    }

    private void leaveMore() {
        if (telling) {
            return; // one that was not there any more has gone at once
        }
        telling = true;
        while (leaving < LEAVING && told < in.size()) {
            leaving++;
            in.get(told++).leave(this::left);
        }
        telling = false;
        if (leaving == 0 && whenGone != null) {
            Runnable gone = whenGone;
            whenGone = null;
            gone.run();
        }
    }

    private void left() {
        leaving--;
        leaveMore();
    }
}
