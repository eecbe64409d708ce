// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.bench.Histograms;
import io.sirocco.bench.hold.HoldSecond.Phase;
import io.sirocco.bench.hold.Processes.Use;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Opens many connections, holds them while each asks now and then, and says what became of them.
 *
 * <pre>
 *   OPENING -> all were open, or cannot be -> HOLDING -> the duration is over -> RESTING -> close
 *                       interrupted, or none is left: at once -------------------^
 * </pre>
 *
 * Any thread; it is the calling one that waits.
 */
public final class Hold {
    /** Failed attempts, with none that succeeded, after which the server counts as unreachable. */
    private static final int REFUSALS = 64;

    private final HoldPlan plan;
    private final Spread spread;
    private final Optional<ServerWatch> server;
    private final Consumer<HoldSecond> progress;
    private final Histogram opening = Histograms.none();
    private final Histogram holding = Histograms.none();
    private final List<HoldSecond> overTime = new ArrayList<>();
    private final Optional<KernelMemory> kernelBefore = KernelMemory.now();
    private final Map<String, SlabCache> cachesBefore = SlabCache.all();
    private final Optional<ControlGroups> groups;
    private final Optional<KernelShares> sharesBefore;
    private final Processes own;
    private final Use ownBefore;
    private final long heapBefore;
    private long began;
    private long ticked; // when the last report came
    private Use serverThen = Use.NONE;
    private Use ownThen = Use.NONE;
    private Report now;
    private boolean interrupted;

    private Hold(
            HoldPlan plan,
            Spread spread,
            Optional<ServerWatch> server,
            Consumer<HoldSecond> progress)
            throws IOException {
        this.plan = plan;
        this.spread = spread;
        this.server = server;
        this.progress = progress;
        this.own = spread.processes();
        this.groups = server.flatMap(watch -> ControlGroups.of(watch.processes(), own));
        this.sharesBefore = groups.flatMap(ControlGroups::now);
        this.heapBefore = plan.heap ? spread.liveHeap() : 0;
        this.ownBefore = own.use().orElse(Use.NONE);
    }

    /**
     * Does what {@code plan} says; returns when it is done, or the thread is interrupted, with what
     * there is until then. An interrupt is not passed on: it has been obeyed.
     *
     * @param progress told about once a second, on the calling thread
     * @throws IOException when the transport cannot be had, a process that held connections has
     *     died, or not one connection can be opened
     */
    public static HoldResult run(HoldPlan plan, Consumer<HoldSecond> progress) throws IOException {
        Optional<ServerWatch> server = ServerWatch.on(plan.server, plan.pid, plan.heap);
        try (Spread spread = Spread.start(plan)) {
            return new Hold(plan, spread, server, progress).course();
        }
    }

    /** What was used, and answered, until a moment. */
    private record Mark(Use server, Use own, long answers) {}

    private Mark mark() {
        return new Mark(lookAtServer(), own.use().orElse(Use.NONE), now.counts().answers());
    }

    private HoldResult course() throws IOException {
        open();
        Mark from = mark();
        double held = hold() / 1e9;
        Mark to = mark();
        OptionalDouble idleShare = rest();
        interrupted |= Thread.interrupted(); // from here on it would only keep figures away
        return result(from, to, held, idleShare);
    }

    private HoldResult result(Mark from, Mark to, double held, OptionalDouble idleShare)
            throws IOException {
        var kernel = kernelBefore.flatMap(k -> KernelMemory.now().map(after -> after.since(k)));
        double ownSeconds = (to.own.cpuMillis() - from.own.cpuMillis()) / 1e3;
        return new HoldResult(
                now.wanted(),
                now.alive(),
                now.openMillis() < 0 ? (ticked - began) / 1e9 : now.openMillis() / 1e3,
                held,
                interrupted,
                now.counts(),
                Optional.ofNullable(now.refusal()),
                held == 0 ? 0 : (to.answers - from.answers) / held,
                plan.expectedRate(),
                Latency.of(opening),
                Latency.of(holding),
                server.map(watch -> watch.cost(from.server, to.server, held, idleShare)),
                kernel,
                sharesBefore.flatMap(s -> groups.get().now().map(after -> after.since(s))),
                caches(kernel),
                generator(held == 0 ? 0 : ownSeconds / held),
                List.copyOf(overTime));
    }

    /** Those that make up a hundredth or more of what grew. */
    private List<SlabCache> caches(Optional<KernelMemory> kernel) {
        long least = kernel.map(KernelMemory::slab).orElse(0L) / 100;
        return SlabCache.growth(cachesBefore, SlabCache.all(), least);
    }

    private void open() throws IOException {
        began = System.nanoTime();
        ticked = began;
        serverThen = lookAtServer();
        ownThen = own.use().orElse(ownThen);
        spread.begin();
        now = spread.report();
        opening.add(now.latency());
        while (!now.opened() && !interrupted) {
            tick(plan.tick, Phase.OPENING);
            Counts counts = now.counts();
            if (counts.connected() == 0 && counts.unopened() >= Math.min(REFUSALS, now.wanted())) {
                throw new IOException(now.refusal());
            }
        }
    }

    /** Returns how long, in nanoseconds. */
    private long hold() throws IOException {
        long from = ticked;
        long left = plan.duration.toNanos();
        while (left > 0 && !interrupted && !now.over()) {
            tick(plan.tick.toNanos() < left ? plan.tick : Duration.ofNanos(left), Phase.HOLDING);
            left = plan.duration.toNanos() - (ticked - from);
        }
        return ticked - from;
    }

    /** Returns how much of a core the server uses when nobody asks. */
    private OptionalDouble rest() throws IOException {
        spread.rest();
        long latest = System.nanoTime() + plan.timeout.toNanos();
        while (now.busy() > 0 && !interrupted && System.nanoTime() < latest) {
            tick(plan.tick, Phase.RESTING);
        }
        tick(Duration.ZERO, Phase.RESTING);
        tick(plan.quiet, Phase.RESTING);
        return interrupted || server.isEmpty()
                ? OptionalDouble.empty()
                : overTime.getLast().server().map(ProcessUse::cpu).stream()
                        .mapToDouble(cpu -> cpu)
                        .findFirst();
    }

    /** Waits, and asks how the connections stand. */
    private void tick(Duration wait, Phase phase) throws IOException {
        await(ticked + wait.toNanos() - System.nanoTime());
        long before = now.counts().answers();
        now = spread.report();
        (phase == Phase.OPENING ? opening : holding).add(now.latency());
        long at = System.nanoTime();
        long passed = Math.max(1, at - ticked);
        ticked = at;
        Use use = lookAtServer();
        double serverCpu = share(serverThen, use, passed);
        serverThen = use;
        Use ownUse = own.use().orElse(ownThen);
        double ownCpu = share(ownThen, ownUse, passed);
        ownThen = ownUse;
        var second =
                new HoldSecond(
                        (at - began) / 1_000_000,
                        passed / 1_000_000,
                        phase,
                        now.wanted(),
                        now.alive(),
                        now.counts().answers() - before,
                        Latency.of(now.latency()),
                        now.counts(),
                        server.map(watch -> watch.use(serverCpu)),
                        new ProcessUse(
                                OptionalLong.of(now.heap()),
                                ownUse.rss(),
                                ownCpu,
                                own.descriptorsAtOnce()),
                        KernelMemory.now(),
                        groups.flatMap(ControlGroups::now));
        overTime.add(second);
        progress.accept(second);
    }

    private static double share(Use from, Use to, long nanos) {
        return (to.cpuMillis() - from.cpuMillis()) * 1e6 / nanos;
    }

    private void await(long nanos) {
        try {
            if (!interrupted && nanos > 0) {
                Thread.sleep(Duration.ofNanos(nanos));
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
    }

    private Use lookAtServer() {
        return server.map(ServerWatch::look).orElse(Use.NONE);
    }

    private GeneratorCost generator(double busyShare) throws IOException {
        long rss = own.use().orElse(Use.NONE).rss() - ownBefore.rss();
        return new GeneratorCost(
                spread.parts().size(),
                spread.transport(),
                plan.effectiveSources().size(),
                (plan.heap ? spread.liveHeap() : 0) - heapBefore,
                rss,
                busyShare);
    }
}
