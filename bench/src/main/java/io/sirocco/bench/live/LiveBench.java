// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import com.sun.management.OperatingSystemMXBean;
import io.sirocco.bench.Histograms;
import io.sirocco.bench.Result;
import io.sirocco.bench.hold.LoopbackSources;
import io.sirocco.bench.hold.ServerCost;
import io.sirocco.bench.hold.ServerWatch;
import io.sirocco.bench.live.LiveResult.Deliveries;
import io.sirocco.bench.live.LiveResult.Holding;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Puts clients of Socket.IO on a server, and measures.
 *
 * <pre>
 *   CONNECT          open all -> hold -> all leave; again, as often as the plan says
 *   ECHO, FANOUT     open all -> warm-up -> measure -> end -> what comes late -> all leave
 * </pre>
 *
 * Who is lost stays lost. Any thread; it is the calling one that waits.
 */
public final class LiveBench {
    private static final long SECOND = 1_000_000_000;
    private static final long GRACE = SECOND; // for what is under way when a run is interrupted
    private static final long LOOK = 5_000_000;
    private static final long EACH_LEAVES = 1_000_000; // at most, when there are many
    private static final long QUIET = 100_000_000; // so long nothing comes: there is no more
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final LivePlan plan;
    private final Consumer<Result.Second> progress;
    private final Optional<ServerWatch> server;
    private final List<Rig> rigs = new ArrayList<>();
    private final Sides sides = new Sides(rigs);
    private final Patience patience = new Patience();
    private final Doors doors;
    private final Tally total = new Tally();
    private final List<Result.Second> seconds = new ArrayList<>();
    private long began;

    private LiveBench(LivePlan plan, Consumer<Result.Second> progress) {
        this.plan = plan;
        this.progress = progress;
        this.doors = new Doors(plan, sides, patience);
        this.server = plan.watch ? ServerWatch.on(plan.server, plan.pid) : Optional.empty();
    }

    /**
     * Does what {@code plan} says; returns when it is done, or the thread is interrupted, with what
     * was measured until then. An interrupt is not passed on: it has been obeyed.
     *
     * @param progress told about once a second, on the calling thread
     * @throws IOException when no loop can be started, or not one client becomes ready
     */
    public static LiveResult run(LivePlan plan, Consumer<Result.Second> progress)
            throws IOException {
        var run = new LiveBench(plan, progress);
        try (Loops loops =
                Loops.start(
                        s ->
                                s.loops(plan.loops)
                                        .transport(plan.transport)
                                        .name("bench")
                                        .withoutWatchdog())) {
            return run.on(loops.all());
        } finally {
            Thread.interrupted();
        }
    }

    private LiveResult on(List<Loop> loops) throws IOException {
        var handshake = Handshake.of(plan);
        List<InetAddress> sources = sources();
        for (Loop loop : loops) {
            rigs.add(new Rig(plan, loop, handshake, sources));
        }
        try {
            return plan.work == LiveWork.CONNECT ? storms() : load();
        } finally {
            doors.close(); // so that none comes in while the loops stop
            Thread.interrupted(); // or nobody would wait for that
        }
    }

    private List<InetAddress> sources() {
        boolean many = plan.sources.isEmpty() && plan.sessions() > LoopbackSources.CONNECTIONS_EACH;
        return many ? LoopbackSources.of(plan.server.getAddress(), plan.sessions()) : plan.sources;
    }

    /** Returns how long it took. */
    private Duration open(List<? extends Crowd> crowds) throws IOException {
        began = began == 0 ? System.nanoTime() : began;
        var before = new int[1];
        Duration took =
                doors.open(
                        crowds,
                        ready -> {
                            progress.accept(opening(ready - before[0]));
                            before[0] = ready;
                        });
        if (doors.ready() == 0 && !patience.interrupted()) {
            take();
            throw new IOException(
                    "not one client became ready: "
                            + plan.told(
                                    total.words.values().stream().findFirst().orElse("no answer")));
        }
        return took;
    }

    private void leave() {
        long most = plan.timeout.toNanos() + SECOND + plan.sessions() * EACH_LEAVES;
        doors.leave(patience.interrupted() ? GRACE : most);
    }

    // ---- CONNECT

    private LiveResult storms() throws IOException {
        began = System.nanoTime();
        var use = new ServerUse(server, plan);
        Optional<ServerCost> cost = Optional.empty();
        long cpu = 0;
        long elapsed = 0;
        boolean more = true;
        for (int i = 1; more; i++) {
            long before = PROCESS.getProcessCpuTime();
            elapsed += open(rigs.stream().map(Idle::new).toList()).toNanos();
            cpu += PROCESS.getProcessCpuTime() - before;
            Doors.Opened opened = doors.count();
            total.counted += doors.ready();
            total.latency.add(opened.latency());
            tell(second(doors.ready(), opened.failed(), opened.latency()));
            if (!patience.interrupted()) {
                patience.sleep(plan.hold.toNanos());
            }
            boolean hasTime = System.nanoTime() - began < plan.duration.toNanos();
            more = i < plan.times && hasTime && !patience.interrupted();
            if (!more) {
                cost = use.cost();
            }
            leave();
            take();
        }
        double share = share(cpu, elapsed);
        return result(elapsed, share, Optional.empty(), Optional.empty(), cost, use.cpuMicros());
    }

    // ---- ECHO, FANOUT

    private LiveResult load() throws IOException {
        var idle = new CountDownLatch(rigs.size()); // of echoes: nothing is under way any more
        Optional<Audience> audience =
                plan.work == LiveWork.FANOUT
                        ? Optional.of(new Audience(plan, sides))
                        : Optional.empty();
        List<? extends Crowd> crowds =
                audience.isPresent()
                        ? audience.get().receivers()
                        : rigs.stream().map(rig -> new Echo(rig, idle::countDown)).toList();
        try {
            open(crowds);
            doors.count();
            if (audience.isPresent() && !audience.get().hasPublisher() && !patience.interrupted()) {
                throw new IOException("there is nobody to publish");
            }
            audience.ifPresent(Audience::complete);
            Optional<Held> held = plan.hold.isZero() ? Optional.empty() : audience.map(this::hold);
            return load(crowds, idle, audience, held);
        } finally {
            sides.all(crowds, Crowd::giveUp); // so that none asks while the loops stop
        }
    }

    /** How it was while the receivers were idle. */
    private record Held(Duration time, Histogram probes, Optional<ServerCost> server) {}

    /** The receivers are idle; others ask for echoes. */
    private Held hold(Audience audience) {
        var use = new ServerUse(server, plan);
        var answered = new CountDownLatch(rigs.size());
        long from = System.nanoTime();
        audience.probe(answered::countDown);
        for (long at = 0; at < plan.hold.toNanos() && !patience.interrupted(); ) {
            at = Math.min(at + plan.tick.toNanos(), plan.hold.toNanos());
            patience.sleep(from + at - System.nanoTime());
            progress.accept(second(0, take().failed(), Histograms.none()));
        }
        Duration time = Duration.ofNanos(System.nanoTime() - from);
        return new Held(time, endProbes(audience, answered), use.cost());
    }

    private Histogram endProbes(Audience audience, CountDownLatch answered) {
        audience.endProbes();
        patience.await(answered, patience.interrupted() ? GRACE : plan.timeout.toNanos());
        return audience.probed();
    }

    private LiveResult load(
            List<? extends Crowd> crowds,
            CountDownLatch idle,
            Optional<Audience> audience,
            Optional<Held> held) {
        var answered = new CountDownLatch(rigs.size());
        audience.ifPresent(a -> a.probe(answered::countDown));
        boolean cold = plan.warmUp.isZero();
        if (!cold) {
            sides.all(crowds, Crowd::start);
            began = System.nanoTime();
            pass(plan.warmUp, idle, false);
        }
        var use = new ServerUse(server, plan);
        long cpu = PROCESS.getProcessCpuTime();
        began = System.nanoTime(); // no later than any crowd's
        sides.all(rigs, Rig::forgetBytes);
        if (!patience.interrupted()) {
            sides.all(crowds, Crowd::measure);
        }
        if (cold) {
            sides.all(crowds, Crowd::start);
        }
        pass(plan.duration, idle, true);
        long elapsed = System.nanoTime() - began;
        double share = share(PROCESS.getProcessCpuTime() - cpu, elapsed);
        sides.all(crowds, Crowd::end);
        awaitLate(idle, audience);
        Histogram meanwhile = audience.map(a -> endProbes(a, answered)).orElseGet(Histograms::none);
        long serverCpu = use.cpuMicros();
        Optional<ServerCost> cost = use.cost();
        sides.all(crowds, Crowd::giveUp);
        if (plan.stalled > 0) {
            audience.ifPresent(this::awaitStalled);
        }
        leave();
        take();
        long measured = Math.min(elapsed, plan.duration.toNanos()); // what came later is late
        long delivered = total.latency.getTotalCount();
        return result(
                measured,
                share,
                audience.map(a -> a.deliveries(delivered)),
                held.map(h -> new Holding(h.time, h.probes, meanwhile, h.server)),
                cost,
                serverCpu);
    }

    /** Lets time pass; ends early when somebody has had enough, or nobody is left. */
    private void pass(Duration duration, CountDownLatch idle, boolean measuring) {
        long from = System.nanoTime();
        for (long at = 0;
                at < duration.toNanos() && !patience.interrupted() && doors.anybodyThere(); ) {
            long until = Math.min(at + plan.tick.toNanos(), duration.toNanos());
            patience.await(idle, from + until - System.nanoTime());
            at = until;
            if (measuring) {
                Tally tally = take();
                tell(second(tally.counted, tally.failed(), tally.latency));
            }
        }
    }

    /** Of a fan-out nobody can tell by itself that it has all. */
    private void awaitLate(CountDownLatch idle, Optional<Audience> audience) {
        boolean before = patience.interrupted();
        long timeout = plan.timeout.toNanos();
        long most = before ? Math.min(GRACE, timeout) : timeout;
        if (audience.isEmpty()) {
            patience.await(idle, most);
            return;
        }
        long until = System.nanoTime() + most;
        while (patience.interrupted() == before
                && System.nanoTime() < until
                && audience.get().misses()) {
            patience.sleep(LOOK);
        }
    }

    /** Those who stalled read again: what was kept for them, or that they were cut off. */
    private void awaitStalled(Audience audience) {
        long until = System.nanoTime() + plan.timeout.toNanos();
        for (long seen = -2, now = -1;
                now != seen && System.nanoTime() < until && !patience.interrupted(); ) {
            seen = now;
            patience.sleep(QUIET);
            now = audience.stalledTold();
        }
    }

    // ---- what all of them share

    private double share(long cpu, long elapsed) {
        int threads = Math.min(plan.loops, Runtime.getRuntime().availableProcessors());
        return elapsed == 0 ? 0 : (double) cpu / elapsed / threads;
    }

    /** Adds what has come in since the last call to the total. */
    private Tally take() {
        var taken = new Tally();
        sides.ask(rigs, Rig::take).forEach(taken::add);
        total.add(taken);
        return taken;
    }

    private void tell(Result.Second second) {
        seconds.add(second);
        progress.accept(second);
    }

    /** How it goes while clients come in. */
    private Result.Second opening(int more) {
        long at = (System.nanoTime() - began) / 1_000_000;
        return new Result.Second(at, more, 0, 0, 0);
    }

    private Result.Second second(long counted, long failed, Histogram latency) {
        boolean none = latency.getTotalCount() == 0;
        return new Result.Second(
                (System.nanoTime() - began) / 1_000_000,
                counted,
                none ? 0 : latency.getValueAtPercentile(50) / 1e3,
                none ? 0 : latency.getValueAtPercentile(99) / 1e3,
                failed);
    }

    private LiveResult result(
            long elapsed,
            double share,
            Optional<Deliveries> deliveries,
            Optional<Holding> holding,
            Optional<ServerCost> cost,
            long serverCpu) {
        var figures =
                new Result(
                        Duration.ofNanos(elapsed),
                        total.counted,
                        total.bytesIn,
                        total.bytesOut,
                        total.latency,
                        Map.of(),
                        Map.copyOf(total.failures),
                        List.copyOf(seconds),
                        share);
        return new LiveResult(
                plan.work,
                figures,
                new EnumMap<>(total.words),
                doors.opening(),
                deliveries,
                holding,
                cost,
                serverCpu);
    }
}
