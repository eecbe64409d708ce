// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sirocco.bench.Result;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class UpstreamTest {
    @Test
    void itsTimeCountsAsTheGenerators() {
        Result result = Upstream.with(result(0.5), 800_000); // of two seconds
        assertEquals(0.9, result.generatorShare(), 1e-9);
        assertEquals(12, result.requests());
    }

    @Test
    void aCoreHasNoMoreThanAll() {
        assertEquals(1, Upstream.with(result(0.9), 800_000).generatorShare());
    }

    private static Result result(double share) {
        return new Result(
                Duration.ofSeconds(2),
                12,
                1_200,
                0,
                new Histogram(3),
                Map.of(200, 12L),
                Map.of(),
                List.of(),
                share);
    }
}
