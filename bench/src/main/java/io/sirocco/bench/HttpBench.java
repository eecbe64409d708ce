// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import com.sun.management.OperatingSystemMXBean;
import io.sirocco.net.Loop;
import io.sirocco.net.Loops;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Puts a load of HTTP/1.1 requests on a server, and measures.
 *
 * <pre>
 *   start -> warm-up -> measure, a {@link Result.Second} each second -> end -> late answers -> close
 * </pre>
 *
 * Any thread; it is the calling one that waits.
 */
public final class HttpBench {
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final Load load;
    private final Consumer<Result.Second> progress;
    private final List<Crew> crews = new ArrayList<>();
    private final CountDownLatch done;
    private Tally total = new Tally();
    private final List<Result.Second> seconds = new ArrayList<>();
    private long began;
    private long cpu; // time of the process when it began
    private boolean interrupted;

    private HttpBench(Load load, Consumer<Result.Second> progress) {
        this.load = load;
        this.progress = progress;
        this.done = new CountDownLatch(load.loops);
    }

    /**
     * Does what {@code load} says; returns when it is done, or the thread is interrupted, with what
     * was measured until then. An interrupt is not passed on: it has been obeyed.
     *
     * <p>What was asked in time may be answered up to the load's timeout later. Such answers are in
     * the latencies, not in the rate; what is not answered even then has failed.
     *
     * @param progress told about once a second, on the calling thread
     * @throws IOException when no loop can be started, or not one connection can be opened
     */
    public static Result run(Load load, Consumer<Result.Second> progress) throws IOException {
        var run = new HttpBench(load, progress);
        try (Loops loops =
                Loops.start(
                        s ->
                                s.loops(load.loops)
                                        .transport(load.transport)
                                        .name("bench")
                                        .withoutWatchdog())) {
            return run.on(loops.all());
        } finally {
            Thread.interrupted();
        }
    }

    private Result on(List<Loop> loops) throws IOException {
        for (int i = 0; i < loops.size(); i++) {
            int share = share(load.connections, i);
            long quota = load.requests == Long.MAX_VALUE ? Long.MAX_VALUE : share(load.requests, i);
            crews.add(new Crew(load, loops.get(i), i, share, quota, done::countDown));
        }
        try {
            if (load.warmUp.isZero()) {
                begin();
                all(Crew::start);
            } else {
                all(Crew::start);
                pass(load.warmUp, false);
                begin();
            }
            pass(load.duration, true);
            long elapsed = System.nanoTime() - began;
            double share = (double) (PROCESS.getProcessCpuTime() - cpu) / elapsed;
            all(Crew::end);
            await(
                    Math.min(
                            load.timeout.toNanos(),
                            interrupted ? load.grace.toNanos() : Long.MAX_VALUE));
            all(Crew::giveUp);
            collect();
            failUnlessConnected();
            int threads = Math.min(load.loops, Runtime.getRuntime().availableProcessors());
            long measured = Math.min(elapsed, load.duration.toNanos()); // what came later is late
            return result(Duration.ofNanos(measured), share / threads);
        } finally {
            all(Crew::giveUp); // so that none opens connections while the loops stop
            Thread.interrupted(); // or nobody would wait for that
        }
    }

    private void begin() {
        total = new Tally(); // without what the warm-up has left
        cpu = PROCESS.getProcessCpuTime();
        began = System.nanoTime(); // no later than any crew's
        if (!interrupted) {
            all(Crew::measure);
        }
    }

    private int share(int whole, int i) {
        return whole / load.loops + (i < whole % load.loops ? 1 : 0);
    }

    private long share(long whole, int i) {
        return whole / load.loops + (i < whole % load.loops ? 1 : 0);
    }

    /** Lets time pass; ends early when all is answered, or somebody has had enough. */
    private void pass(Duration duration, boolean measuring) throws IOException {
        long from = System.nanoTime();
        for (long at = 0; at < duration.toNanos() && !interrupted && done.getCount() > 0; ) {
            long until = Math.min(at + load.tick.toNanos(), duration.toNanos());
            await(from + until - System.nanoTime());
            at = until;
            failWhenHopeless();
            Result.Second second = collect(); // also to warm up: its first time costs milliseconds
            if (measuring) {
                seconds.add(second);
                progress.accept(second);
            }
        }
    }

    private void await(long nanos) {
        try {
            boolean ignored = done.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
    }

    private void failWhenHopeless() throws IOException {
        if (count(Crew::hopeless) == crews.size()) {
            throw refusal();
        }
    }

    /** It was short, or the server neither accepted nor refused in that time. */
    private void failUnlessConnected() throws IOException {
        if (!interrupted && count(Crew::everConnected) == 0) {
            throw refusal();
        }
    }

    private IOException refusal() {
        var reasons = new ConcurrentLinkedQueue<IOException>();
        all(crew -> reasons.addAll(crew.refusals()));
        return reasons.isEmpty()
                ? new SocketTimeoutException(load.where() + " has not answered in that time")
                : reasons.element();
    }

    private int count(Predicate<Crew> property) {
        var count = new AtomicInteger();
        all(crew -> count.addAndGet(property.test(crew) ? 1 : 0));
        return count.get();
    }

    /** Adds what has come in since the last call to the total. */
    private Result.Second collect() {
        var taken = new ConcurrentLinkedQueue<Tally>();
        all(crew -> taken.add(crew.take()));
        var tally = new Tally();
        taken.forEach(tally::add);
        total.add(tally);
        long at = (System.nanoTime() - began) / 1_000_000;
        boolean none = tally.latency.getTotalCount() == 0;
        return new Result.Second(
                at,
                tally.requests,
                none ? 0 : tally.latency.getValueAtPercentile(50) / 1e3,
                none ? 0 : tally.latency.getValueAtPercentile(99) / 1e3,
                tally.failed());
    }

    /** Does something with each crew, on its loop, and returns when all is done. */
    private void all(Consumer<Crew> action) {
        CompletableFuture.allOf(
                        crews.stream()
                                .map(
                                        crew ->
                                                CompletableFuture.runAsync(
                                                        () -> action.accept(crew), crew.loop))
                                .toArray(CompletableFuture[]::new))
                .join();
    }

    private Result result(Duration elapsed, double generatorShare) {
        Map<Integer, Long> statuses = new TreeMap<>();
        total.statuses.forEach((status, count) -> statuses.put(status, count[0]));
        return new Result(
                elapsed,
                total.requests,
                total.bytesIn,
                total.bytesOut,
                total.latency,
                statuses,
                new EnumMap<>(total.failures),
                List.copyOf(seconds),
                generatorShare);
    }
}
