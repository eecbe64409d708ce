// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.clu;

import io.sirocco.bench.hold.Processes;
import io.sirocco.bench.hold.Processes.Use;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Puts a load on a controller and measures it. Any thread; the calling one waits. */
public final class CluBench {
    private static final long TICK_MILLIS = 100;

    private final CluPlan plan;
    private final Loop loop;
    private final CluClients clients;
    private final Optional<Processes> server;

    private CluBench(CluPlan plan, Loop loop, CluClients clients) {
        this.plan = plan;
        this.loop = loop;
        this.clients = clients;
        this.server =
                plan.pid().isPresent()
                        ? Optional.of(new Processes(List.of(plan.pid().getAsLong())))
                        : Processes.onUdp(plan.controller());
    }

    /**
     * Runs a load as often as the plan says.
     *
     * @param progress receives the figures of each time when it has ended
     * @throws IOException if no socket can be opened, or the controller does not respond at all
     */
    public static CluResult run(CluPlan plan, Consumer<CluResult.Run> progress)
            throws IOException, InterruptedException {
        try (Loops loops =
                        Loops.start(
                                s ->
                                        s.loops(1)
                                                .transport(plan.transport())
                                                .name("bench")
                                                .withoutWatchdog());
                var clients = new CluClients(plan, loops)) {
            return new CluBench(plan, loops.all().getFirst(), clients).run(progress);
        }
    }

    private CluResult run(Consumer<CluResult.Run> progress)
            throws IOException, InterruptedException {
        inLoop(clients::start);
        pass(plan.warmUp().plusMillis(TICK_MILLIS));
        if (ask(clients::value).isEmpty()) {
            throw new IOException(
                    "the controller at %s:%d has not responded to '%s': is the key right?"
                            .formatted(
                                    plan.controller().getAddress().getHostAddress(),
                                    plan.controller().getPort(),
                                    plan.script()));
        }
        var runs = new ArrayList<CluResult.Run>();
        ask(clients::take);
        for (int i = 0; i < plan.times(); i++) {
            CluResult.Run run = measure();
            progress.accept(run);
            runs.add(run);
        }
        inLoop(clients::stop);
        return new CluResult(List.copyOf(runs), ask(clients::value).orElse(""));
    }

    private CluResult.Run measure() throws InterruptedException {
        long began = System.nanoTime();
        Optional<Use> before = server.flatMap(Processes::use);
        pass(plan.duration());
        CluClients.Counts counts = ask(clients::take);
        double seconds = (System.nanoTime() - began) / 1e9;
        Optional<Use> after = server.flatMap(Processes::use);
        long responses = counts.latency().getTotalCount();
        OptionalDouble cpu =
                before.isEmpty() || after.isEmpty() || responses == 0
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(
                                1e3
                                        * (after.get().cpuMillis() - before.get().cpuMillis())
                                        / responses);
        return new CluResult.Run(
                seconds, responses, counts.lost(), counts.wrong(), counts.latency(), cpu);
    }

    /** Waits, and has overdue requests given up meanwhile. */
    private void pass(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            Thread.sleep(Duration.ofNanos(Math.min(left, TICK_MILLIS * 1_000_000)));
            loop.execute(clients::tick);
        }
    }

    private void inLoop(Runnable task) {
        CompletableFuture.runAsync(task, loop).join();
    }

    private <T> T ask(Supplier<T> question) {
        return CompletableFuture.supplyAsync(question, loop).join();
    }
}
