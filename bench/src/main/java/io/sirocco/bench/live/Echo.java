// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Histograms;
import io.sirocco.bench.Pacer;
import io.sirocco.bench.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The callers of one loop, and what they have measured. Loop-confined. */
final class Echo implements Crowd {
    final Rig rig;
    final Pacer pacer;
    private final Supplier<Tally> measured;

    /** What is sent, and is to come back: an array with one text. */
    final byte[] text;

    /** The event as it goes over the wire, behind its id. */
    final byte[] event;

    private final List<EchoCaller> callers = new ArrayList<>();

    /**
     * @param whenDone told once, when nothing is asked any more and nothing under way
     */
    Echo(Rig rig, Runnable whenDone) {
        this(rig, rig.plan.rate, rig::tally, whenDone);
    }

    /**
     * @param rate of all loops
     * @param measured supplies the tally for latencies; failures go to the rig
     */
    Echo(Rig rig, double rate, Supplier<Tally> measured, Runnable whenDone) {
        this.rig = rig;
        this.measured = measured;
        var schedule = Schedule.at(rate, rig.index, rig.plan.loops);
        this.pacer = new Pacer(rig.loop, schedule, Long.MAX_VALUE, whenDone);
        String padding = "x".repeat(rig.plan.size);
        this.text = ("[\"" + padding + "\"]").getBytes(ISO_8859_1);
        this.event = ("[\"echo\",\"" + padding + "\"]").getBytes(ISO_8859_1);
    }

    @Override
    public void enter(Session session, Runnable in) {
        var caller = new EchoCaller(this, session);
        session.part(caller);
        callers.add(caller);
        in.run();
    }

    @Override
    public void start() {
        pacer.start();
        callers.forEach(caller -> pacer.free(caller, rig.nanos()));
    }

    @Override
    public void measure() {
        pacer.measure(rig.plan.duration.toNanos());
    }

    @Override
    public void end() {
        pacer.end();
    }

    @Override
    public void giveUp() {
        rig.tally().failed(Failure.TIMEOUT, pacer.giveUp(), "no answer");
    }

    // ---- what callers tell

    void answered(EchoCaller caller, long now, long due) {
        answered(caller, now, due, null, "");
    }

    /**
     * @param failure what is wrong with the answer, or null
     */
    void answered(EchoCaller caller, long now, long due, Failure failure, String words) {
        if (pacer.settle(due, 1)) {
            Tally tally = measured.get();
            Histograms.record(tally.latency, now - due);
            if (failure != null) {
                rig.tally().failed(failure, words);
            }
            if (pacer.inTime(now)) {
                tally.counted++;
            }
        }
        pacer.free(caller, now);
    }

    /**
     * @param measured requests of it that are lost
     */
    void lost(int measured, Failure why, String words) {
        rig.tally().failed(why, Math.max(1, measured), words);
    }
}
