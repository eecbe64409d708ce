// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import org.HdrHistogram.Histogram;

/**
 * Latencies of a phase, in microseconds; all are 0 when nothing was answered. Immutable.
 *
 * @param answers how many there were
 */
public record Latency(long answers, double p50, double p99, double p999, double max) {

    static Latency of(Histogram nanos) {
        long count = nanos.getTotalCount();
        return count == 0
                ? new Latency(0, 0, 0, 0, 0)
                : new Latency(
                        count,
                        nanos.getValueAtPercentile(50) / 1e3,
                        nanos.getValueAtPercentile(99) / 1e3,
                        nanos.getValueAtPercentile(99.9) / 1e3,
                        nanos.getMaxValue() / 1e3);
    }
}
