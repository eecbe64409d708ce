// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.bench.Histograms;
import io.sirocco.bench.live.LiveResult.Deliveries;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The receivers of all loops, who wait for what one publishes. Used by one thread. */
final class Audience {
    private final LivePlan plan;
    private final Sides sides;
    private final Fanout fanout;
    private final List<Receivers> receivers;
    private int atFirst; // receivers who did not stall

    Audience(LivePlan plan, Sides sides) {
        this.plan = plan;
        this.sides = sides;
        this.fanout = new Fanout(plan);
        this.receivers = sides.rigs().stream().map(rig -> new Receivers(rig, fanout)).toList();
    }

    List<Receivers> receivers() {
        return receivers;
    }

    boolean hasPublisher() {
        return fanout.hasPublisher();
    }

    /** All are in who will ever be. */
    void complete() {
        atFirst = fanout.receivers();
    }

    /** Whether deliveries that are measured have not come yet. */
    boolean misses() {
        return sides.ask(receivers, Receivers::misses).contains(true);
    }

    /** Starts the echo probes of all loops; {@code whenDone} runs once for each loop. */
    void probe(Runnable whenDone) {
        sides.all(receivers, r -> r.probes.begin(whenDone));
    }

    void endProbes() {
        sides.all(receivers, r -> r.probes.end());
    }

    /** Those that are not answered by now are lost; answers how long the others took. */
    Histogram probed() {
        var sum = Histograms.none();
        sides.ask(receivers, r -> r.probes.giveUp().latency.copy()).forEach(sum::add);
        return sum;
    }

    /** Grows as long as those who stalled still get messages, or are cut off. */
    long stalledTold() {
        return sides.sum(receivers, r -> r.stalledGot() + r.stalledCut());
    }

    Deliveries deliveries(long delivered) {
        return new Deliveries(
                atFirst,
                Math.max(0, fanout.published() - fanout.firstMeasured()),
                delivered,
                plan.stalled,
                sides.sum(receivers, Receivers::stalledGot),
                (int) sides.sum(receivers, Receivers::stalledCut));
    }
}
