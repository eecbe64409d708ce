// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Histograms;
import java.util.ArrayList;
import java.util.List;

/** The receivers of one loop, and what they have measured. Loop-confined. */
final class Receivers implements Crowd {
    final Rig rig;
    final Fanout fanout;
    final Probes probes;
    private final int stalling; // so many of the first to come
    private boolean publishes; // the first to come
    private final List<Receiver> receivers = new ArrayList<>();
    private final List<Session> stalled = new ArrayList<>();
    private Publisher publisher; // null unless it is of this loop, and in the room
    private long stalledGot;
    private int stalledCut;
    private boolean over;

    Receivers(Rig rig, Fanout fanout) {
        this.rig = rig;
        this.fanout = fanout;
        this.probes = new Probes(rig);
        this.stalling = rig.share(rig.plan.stalled);
        this.publishes = rig.index == 0;
    }

    @Override
    public void enter(Session session, Runnable in) {
        if (publishes) {
            publishes = false;
            var one = new Publisher(fanout, rig, session);
            new Joining(rig, one, () -> joined(one), in).begin(session);
            return;
        }
        if (probes.wanted()) {
            probes.enter(session);
            in.run();
            return;
        }
        boolean stalls = stalled.size() < stalling;
        if (stalls) {
            stalled.add(session);
        }
        var receiver = new Receiver(this, stalls);
        new Joining(rig, receiver, () -> joined(receiver), in).begin(session);
    }

    private void joined(Publisher one) {
        publisher = one;
        fanout.publisher(one, rig.loop);
    }

    private void joined(Receiver receiver) {
        receivers.add(receiver);
        if (!receiver.stalls) {
            fanout.received(1);
        }
    }

    @Override
    public void start() {
        stalled.stream().filter(Session::ready).forEach(Session::stall);
        if (publisher != null) {
            publisher.start();
        }
    }

    @Override
    public void measure() {
        if (publisher != null) {
            fanout.measure(rig.nanos());
        }
    }

    @Override
    public void end() {
        if (publisher != null) {
            publisher.end();
        }
    }

    /** What has not come by now is lost; from now on those who stalled read again. */
    @Override
    public void giveUp() {
        if (!over) {
            over = true;
            rig.tally().failed(Failure.LOST, missing(), "messages did not reach all");
            stalled.stream().filter(Session::ready).forEach(Session::readAgain);
        }
    }

    /** Deliveries that are measured and have not come yet. */
    long missing() {
        long first = fanout.firstMeasured();
        return receivers.stream().filter(r -> !r.stalls).mapToLong(r -> r.missing(first)).sum();
    }

    /** Whether there are any; cheaper than to count them. */
    boolean misses() {
        long first = fanout.firstMeasured();
        return receivers.stream().anyMatch(r -> !r.stalls && r.missing(first) > 0);
    }

    // ---- what receivers tell

    /** A message has come that had not come before. */
    void got(Receiver receiver, long number, long now) {
        boolean measured = number >= fanout.firstMeasured();
        if (receiver.stalls) {
            stalledGot += measured ? 1 : 0;
            return;
        }
        if (measured && !over) {
            Tally tally = rig.tally();
            Histograms.record(tally.latency, now - fanout.due(number));
            if (now < fanout.until()) {
                tally.counted++;
            }
        }
        fanout.got(number);
    }

    /**
     * @param late whether it had not come before
     */
    void notInOrder(long number, boolean late) {
        if (number >= fanout.firstMeasured()) {
            rig.tally()
                    .failed(
                            late ? Failure.DISORDERED : Failure.DOUBLED,
                            late ? "a message behind a later one" : "a message came again");
        }
    }

    void stalledEnded() {
        stalledCut++;
    }

    /** Messages that those have got who stalled. */
    long stalledGot() {
        return stalledGot;
    }

    /** How many of them were cut off. */
    int stalledCut() {
        return stalledCut;
    }
}
