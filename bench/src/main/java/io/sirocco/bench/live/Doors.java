// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.bench.Histograms;
import io.sirocco.bench.live.LiveResult.Opening;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.HdrHistogram.Histogram;

/** Lets the clients of all loops in and out again, and waits for them. Used by one thread. */
final class Doors {
    private static final long LOOK = 1_000_000_000;

    private final LivePlan plan;
    private final Sides sides;
    private final Patience patience;
    private final List<Entrance> entrances = new ArrayList<>(); // of the last time
    private final Histogram latency = Histograms.none();
    private final Histogram tickets = Histograms.none();
    private final List<Duration> times = new ArrayList<>();
    private int ready;
    private int held;

    /**
     * How they came in once.
     *
     * @param failed who did not
     * @param latency of each who did, in nanoseconds
     */
    record Opened(int failed, Histogram latency) {}

    Doors(LivePlan plan, Sides sides, Patience patience) {
        this.plan = plan;
        this.sides = sides;
        this.patience = patience;
    }

    /**
     * Has all of them come in, each to the crowd of its loop; returns how long that took.
     *
     * @param progress receives each second the number of connected clients
     */
    Duration open(List<? extends Crowd> crowds, IntConsumer progress) {
        List<Rig> rigs = sides.rigs();
        entrances.clear();
        var done = new CountDownLatch(rigs.size());
        for (int i = 0; i < rigs.size(); i++) {
            int wanted = rigs.get(i).share(plan.sessions());
            entrances.add(new Entrance(rigs.get(i), crowds.get(i), wanted, done::countDown));
        }
        long from = System.nanoTime();
        for (int i = 0; i < rigs.size(); i++) {
            rigs.get(i).loop.execute(entrances.get(i)::start);
        }
        while (done.getCount() > 0 && !patience.interrupted()) { // each step has a deadline
            patience.await(done, LOOK);
            progress.accept((int) sides.sum(entrances, entrance -> entrance.in().size()));
        }
        long last =
                sides.ask(entrances, Entrance::lastReady).stream()
                        .mapToLong(Long::longValue)
                        .reduce(from, Math::max);
        times.add(Duration.ofNanos(last - from));
        ready = (int) sides.sum(entrances, entrance -> entrance.in().size());
        return times.getLast();
    }

    /** Those who have become ready the last time. */
    int ready() {
        return ready;
    }

    /** Counts the last time in; that takes CPU time, too. */
    Opened count() {
        Histogram once = sum(Entrance::latency);
        latency.add(once);
        tickets.add(sum(Entrance::tickets));
        return new Opened((int) sides.sum(entrances, Entrance::failures), once);
    }

    private Histogram sum(Function<Entrance, Histogram> of) {
        var sum = Histograms.none();
        sides.ask(entrances, entrance -> of.apply(entrance).copy()).forEach(sum::add);
        return sum;
    }

    boolean anybodyThere() {
        return sides.ask(entrances, entrance -> entrance.in().stream().anyMatch(Session::ready))
                .contains(true);
    }

    private int present() {
        return (int)
                sides.sum(
                        entrances,
                        entrance -> entrance.in().stream().filter(Session::ready).count());
    }

    /** Has all of them say good-bye, and waits for so long until they have gone. */
    void leave(long nanos) {
        held = present();
        var gone = new CountDownLatch(entrances.size());
        sides.all(entrances, entrance -> entrance.leave(gone::countDown));
        patience.await(gone, nanos);
    }

    /** Lets nobody in any more. */
    void close() {
        sides.all(entrances, Entrance::close);
    }

    Opening opening() {
        return new Opening(plan.sessions(), ready, held, List.copyOf(times), latency, tickets);
    }
}
