// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.report;

import io.sirocco.bench.report.Race.Round;
import java.util.function.ToDoubleFunction;

/** One of the figures of a round. Immutable. */
enum Figure {
    /** CPU time of the server for one request, in microseconds: less is better. */
    CPU(Round::cpuMicros),
    /** Answers per second: more is better. */
    RATE(Round::requestsPerSecond),
    P50(Round::p50),
    P99(Round::p99),
    P999(Round::p999);

    private final ToDoubleFunction<Round> of;

    Figure(ToDoubleFunction<Round> of) {
        this.of = of;
    }

    double of(Round round) {
        return of.applyAsDouble(round);
    }
}
