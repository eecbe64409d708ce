// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.HdrHistogram.Histogram;

/** Results of runs that never happened. */
final class SampleResult {
    private SampleResult() {}

    static Result of(double generatorShare) {
        var random = new Random(7);
        var latency = new Histogram(3);
        for (int i = 0; i < 1_234_567; i++) {
            latency.recordValue((long) (400_000 * Math.exp(Math.abs(random.nextGaussian()) * 0.9)));
        }
        var seconds = new ArrayList<Result.Second>();
        for (int i = 1; i <= 10; i++) {
            double p99 = 3_900 + random.nextInt(900);
            seconds.add(
                    new Result.Second(
                            i * 1000L, 120_000 + random.nextInt(9_000), 640, p99, i == 4 ? 3 : 0));
        }
        seconds.add(new Result.Second(10_050, 6_100, 640, 4_100, 0));
        return new Result(
                Duration.ofMillis(10_050),
                1_234_567,
                185_185_050,
                98_765_360,
                latency,
                Map.of(200, 1_234_560L, 503, 7L),
                Map.of(Failure.TIMEOUT, 1L, Failure.RESET, 2L),
                seconds,
                generatorShare);
    }

    static Result nothing() {
        return new Result(
                Duration.ofSeconds(1),
                0,
                0,
                0,
                new Histogram(3),
                Map.of(),
                Map.of(Failure.CONNECT, 64L),
                List.of(),
                0.02);
    }
}
