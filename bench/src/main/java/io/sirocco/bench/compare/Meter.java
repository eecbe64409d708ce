// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import io.sirocco.bench.Result;
import io.sirocco.bench.live.LiveBench;
import io.sirocco.bench.live.LivePlan;
import io.sirocco.bench.live.LiveResult;
import io.sirocco.bench.report.Race;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.DoubleStream;

/** Measures one round: what a server gave, and what CPU time that took it. */
final class Meter {
    private static final double[] PERCENTS = {
        0, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 98, 99, 99.5, 99.9, 99.99, 99.999, 100
    };

    private Meter() {}

    /**
     * Wakes the server, measures, and stops it again.
     *
     * @throws IOException when there is nothing to measure; says why
     */
    static Race.Round round(Generator generator, Work work, ServerProcess server, Duration time)
            throws IOException, InterruptedException {
        server.resume();
        try {
            Race.Round round =
                    work.shape().live().isPresent()
                            ? live(work, server, time)
                            : whole(generator, work, server, time);
            if (!server.alive()) { // and its CPU time has gone with it
                throw new IOException("its server ended" + server.lastWords());
            }
            return round;
        } finally {
            server.pause();
        }
    }

    private static Race.Round whole(
            Generator generator, Work work, ServerProcess server, Duration time)
            throws IOException, InterruptedException {
        long before = server.cpuMicros();
        Result result = generator.run(work, server.address(), time);
        return round(result, server.cpuMicros() - before);
    }

    /** Without what it takes to let the clients in, unless that is the work. */
    private static Race.Round live(Work work, ServerProcess server, Duration time)
            throws IOException {
        LivePlan plan = work.plan(server.address(), time, server::cpuMicros);
        LiveResult result = LiveBench.run(plan, second -> {});
        return round(result.figures(), result.cpuMicros());
    }

    static Race.Round round(Result result, long cpuMicros) throws IOException {
        if (result.requests() == 0) {
            throw new IOException("no request was answered");
        }
        return new Race.Round(
                (double) cpuMicros / result.latency().getTotalCount(), // late answers cost, too
                result.requestsPerSecond(),
                result.elapsed().isZero() ? 0 : result.bytesIn() * 1e9 / result.elapsed().toNanos(),
                result.micros(50),
                result.micros(90),
                result.micros(99),
                result.micros(99.9),
                result.micros(100),
                result.failed() + notSuccessful(result),
                result.generatorShare(),
                curve(result),
                result.overTime().stream().map(Result.Second::requests).toList());
    }

    private static long notSuccessful(Result result) {
        return result.statuses().entrySet().stream()
                .filter(status -> status.getKey() / 100 != 2)
                .mapToLong(status -> status.getValue())
                .sum();
    }

    /** No further than the number of answers carries: of a hundred there is no p99.9. */
    private static List<Race.Point> curve(Result result) {
        double most = 100 - 100.0 / result.latency().getTotalCount();
        return DoubleStream.of(PERCENTS)
                .filter(percent -> percent <= most || percent == 100)
                .mapToObj(percent -> new Race.Point(percent, result.micros(percent)))
                .toList();
    }
}
