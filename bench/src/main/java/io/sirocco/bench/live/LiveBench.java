// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import com.sun.management.OperatingSystemMXBean;
import io.sirocco.bench.Result;
import io.sirocco.bench.hold.LoopbackSources;
import io.sirocco.bench.hold.Processes.Use;
import io.sirocco.bench.hold.ServerCost;
import io.sirocco.bench.hold.ServerWatch;
import io.sirocco.bench.live.LiveResult.Deliveries;
import io.sirocco.bench.live.LiveResult.Opening;
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
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
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
    private static final long QUIET = 100_000_000; // so long nothing comes: there is no more
    private static final int PORTS = 10_000; // connections that one address of ours will do for
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final LivePlan plan;
    private final Consumer<Result.Second> progress;
    private final Optional<ServerWatch> server;
    private final List<Rig> rigs = new ArrayList<>();
    private final Sides sides = new Sides(rigs);
    private final List<Crowd> crowds = new ArrayList<>();
    private final List<Entrance> entrances = new ArrayList<>();
    private final Fanout fanout;
    private final Tally total = new Tally();
    private final Histogram openings = Tally.none();
    private final Histogram tickets = Tally.none();
    private final List<Duration> times = new ArrayList<>();
    private final List<Result.Second> seconds = new ArrayList<>();
    private CountDownLatch idle; // of crowds: nothing is under way any more
    private long serverCpu; // by the plan's meter
    private int held;
    private long began;
    private boolean interrupted;

    private LiveBench(LivePlan plan, Consumer<Result.Second> progress) {
        this.plan = plan;
        this.progress = progress;
        this.fanout = new Fanout(plan);
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
                                        .heldMillis(0))) {
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
            sides.all(crowds, Crowd::giveUp); // so that none asks while the loops stop
            sides.all(entrances, Entrance::close);
            Thread.interrupted(); // or nobody would wait for that
        }
    }

    private List<InetAddress> sources() {
        boolean many = plan.sources.isEmpty() && plan.sessions() > PORTS;
        return many ? LoopbackSources.of(plan.server.getAddress(), plan.sessions()) : plan.sources;
    }

    // ---- CONNECT

    private LiveResult storms() throws IOException {
        began = System.nanoTime();
        Use serverThen = lookAtServer();
        long serverBefore = plan.cpuMicros.getAsLong();
        long cpu = 0;
        long elapsed = 0;
        Optional<ServerCost> cost = Optional.empty();
        for (int i = 0; i < plan.times && !interrupted && (i == 0 || hasTime()); i++) {
            long before = PROCESS.getProcessCpuTime();
            elapsed += open(rig -> new Idle(rig)).toNanos();
            cpu += PROCESS.getProcessCpuTime() - before;
            int ready = (int) sides.sum(entrances, entrance -> entrance.in().size());
            int failed = (int) sides.sum(entrances, Entrance::failures);
            Histogram latency = noteOpening();
            seconds.add(second(ready, failed, latency));
            progress.accept(seconds.getLast());
            await(new CountDownLatch(1), plan.hold.toNanos());
            boolean last = i + 1 == plan.times || interrupted || !hasTime();
            if (last) {
                cost = cost(serverThen, lookAtServer(), (System.nanoTime() - began) / 1e9);
            }
            leave();
            sides.all(rigs, rig -> add(rig.take()));
            total.counted += ready;
        }
        serverCpu = plan.cpuMicros.getAsLong() - serverBefore;
        total.latency.add(openings);
        return result(Duration.ofNanos(elapsed), share(cpu, elapsed), Optional.empty(), cost);
    }

    private boolean hasTime() {
        return System.nanoTime() - began < plan.duration.toNanos();
    }

    /** Opens all, and returns how long that took; no more of what was there before is known. */
    private Duration open(Function<Rig, Crowd> crowd) throws IOException {
        entrances.clear();
        crowds.clear();
        var done = new CountDownLatch(rigs.size());
        for (Rig rig : rigs) {
            int wanted = rig.share(plan.sessions());
            Crowd one = crowd.apply(rig);
            crowds.add(one);
            entrances.add(new Entrance(rig, one, wanted, done::countDown));
        }
        long from = System.nanoTime();
        for (int i = 0; i < rigs.size(); i++) {
            rigs.get(i).loop.execute(entrances.get(i)::start);
        }
        await(done, Long.MAX_VALUE);
        long last = Math.max(from, sides.most(entrances, Entrance::lastReady));
        var took = Duration.ofNanos(last - from);
        times.add(took);
        failUnlessReady();
        return took;
    }

    private void failUnlessReady() throws IOException {
        if (!interrupted && sides.sum(entrances, entrance -> entrance.in().size()) == 0) {
            sides.all(rigs, rig -> add(rig.take()));
            throw new IOException(
                    "not one client became ready: "
                            + total.words.values().stream().findFirst().orElse("no answer"));
        }
    }

    private Histogram noteOpening() {
        Histogram latency = sum(Entrance::latency);
        openings.add(latency);
        tickets.add(sum(Entrance::tickets));
        return latency;
    }

    private Histogram sum(Function<Entrance, Histogram> of) {
        var sum = Tally.none();
        sides.all(
                entrances,
                entrance -> {
                    synchronized (sum) {
                        sum.add(of.apply(entrance));
                    }
                });
        return sum;
    }

    private void leave() {
        held =
                (int)
                        sides.sum(
                                entrances,
                                entrance -> entrance.in().stream().filter(Session::ready).count());
        var gone = new CountDownLatch(entrances.size());
        sides.all(entrances, entrance -> entrance.leave(gone::countDown));
        await(gone, interrupted ? GRACE : plan.timeout.toNanos() + SECOND);
    }

    // ---- ECHO, FANOUT

    private LiveResult load() throws IOException {
        idle = new CountDownLatch(plan.work == LiveWork.ECHO ? rigs.size() : 1);
        open(
                rig ->
                        plan.work == LiveWork.ECHO
                                ? new Echo(rig, idle::countDown)
                                : new Receivers(rig, fanout));
        noteOpening();
        if (plan.work == LiveWork.FANOUT && !fanout.hasPublisher() && !interrupted) {
            throw new IOException("there is nobody to publish");
        }
        int receivers = fanout.receivers();
        boolean cold = plan.warmUp.isZero();
        if (!cold) {
            sides.all(crowds, Crowd::start);
            began = System.nanoTime();
            pass(plan.warmUp, false);
        }
        Use serverThen = lookAtServer();
        long serverBefore = plan.cpuMicros.getAsLong();
        long cpu = PROCESS.getProcessCpuTime();
        began = System.nanoTime(); // no later than any crowd's
        sides.all(rigs, Rig::forgetBytes);
        if (!interrupted) {
            sides.all(crowds, Crowd::measure);
        }
        if (cold) {
            sides.all(crowds, Crowd::start);
        }
        pass(plan.duration, true);
        long elapsed = System.nanoTime() - began;
        double share = share(PROCESS.getProcessCpuTime() - cpu, elapsed);
        sides.all(crowds, Crowd::end);
        awaitLate();
        serverCpu = plan.cpuMicros.getAsLong() - serverBefore;
        Optional<ServerCost> cost =
                cost(serverThen, lookAtServer(), (System.nanoTime() - began) / 1e9);
        sides.all(crowds, Crowd::giveUp);
        awaitStalled();
        leave();
        collect();
        long measured = Math.min(elapsed, plan.duration.toNanos()); // what came later is late
        Optional<Deliveries> deliveries =
                plan.work == LiveWork.FANOUT
                        ? Optional.of(deliveries(receivers))
                        : Optional.empty();
        return result(Duration.ofNanos(measured), share, deliveries, cost);
    }

    private Deliveries deliveries(int receivers) {
        return new Deliveries(
                receivers,
                Math.max(0, fanout.published() - fanout.firstMeasured()),
                total.latency.getTotalCount(),
                plan.stalled,
                sides.sum(crowds, crowd -> ((Receivers) crowd).stalledGot()),
                (int) sides.sum(crowds, crowd -> ((Receivers) crowd).stalledCut()));
    }

    /** Of a fan-out nobody can tell by itself that it has all. */
    private void awaitLate() {
        long most = interrupted ? Math.min(GRACE, plan.timeout.toNanos()) : plan.timeout.toNanos();
        if (plan.work == LiveWork.ECHO) {
            await(idle, most);
            return;
        }
        long until = System.nanoTime() + most;
        while (System.nanoTime() < until
                && sides.sum(crowds, crowd -> ((Receivers) crowd).missing()) > 0) {
            await(idle, LOOK);
        }
    }

    /** Those who stalled read again: what was kept for them, or that they were cut off. */
    private void awaitStalled() {
        long until = System.nanoTime() + plan.timeout.toNanos();
        for (long seen = -2, now = -1;
                plan.stalled > 0 && now != seen && System.nanoTime() < until && !interrupted; ) {
            seen = now;
            await(new CountDownLatch(1), QUIET);
            now =
                    sides.sum(
                            crowds,
                            c -> ((Receivers) c).stalledGot() + ((Receivers) c).stalledCut());
        }
    }

    /** Lets time pass; ends early when somebody has had enough, or nobody is left. */
    private void pass(Duration duration, boolean measuring) {
        long from = System.nanoTime();
        for (long at = 0; at < duration.toNanos() && !interrupted && isAnybodyThere(); ) {
            long until = Math.min(at + SECOND, duration.toNanos());
            await(idle, from + until - System.nanoTime());
            at = until;
            if (measuring) {
                seconds.add(collect());
                progress.accept(seconds.getLast());
            }
        }
    }

    private boolean isAnybodyThere() {
        return sides.sum(entrances, e -> e.in().stream().anyMatch(Session::ready) ? 1 : 0) > 0;
    }

    // ---- what all of them share

    private void await(CountDownLatch latch, long nanos) {
        try {
            boolean ignored = !interrupted && latch.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
    }

    private Use lookAtServer() {
        return server.map(ServerWatch::look).orElse(null);
    }

    private Optional<ServerCost> cost(Use from, Use to, double seconds) {
        return server.map(watch -> watch.cost(from, to, seconds, OptionalDouble.empty()));
    }

    private double share(long cpu, long elapsed) {
        int threads = Math.min(plan.loops, Runtime.getRuntime().availableProcessors());
        return elapsed == 0 ? 0 : (double) cpu / elapsed / threads;
    }

    /** Adds what has come in since the last call to the total. */
    private Result.Second collect() {
        var tally = new Tally();
        sides.all(
                rigs,
                rig -> {
                    Tally taken = rig.take();
                    synchronized (tally) {
                        tally.add(taken);
                    }
                });
        add(tally);
        return second(tally.counted, tally.failed(), tally.latency);
    }

    private void add(Tally tally) {
        synchronized (total) {
            total.add(tally);
        }
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
            Duration elapsed,
            double share,
            Optional<Deliveries> deliveries,
            Optional<ServerCost> cost) {
        var figures =
                new Result(
                        elapsed,
                        total.counted,
                        total.bytesIn,
                        total.bytesOut,
                        total.latency,
                        Map.of(),
                        Map.copyOf(total.failures),
                        List.copyOf(seconds),
                        share);
        int ready = (int) sides.sum(entrances, entrance -> entrance.in().size());
        return new LiveResult(
                plan.work,
                figures,
                new EnumMap<>(total.words),
                new Opening(plan.sessions(), ready, held, List.copyOf(times), openings, tickets),
                deliveries,
                cost,
                serverCpu);
    }
}
