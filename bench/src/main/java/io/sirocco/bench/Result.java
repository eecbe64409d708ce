// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.AbstractHistogram;

/**
 * What was measured. Immutable; the histogram must not be changed.
 *
 * @param elapsed how long was measured
 * @param requests answers that came whole in that time, whatever their status
 * @param bytesIn bytes of those answers as they came over the wire, heads included
 * @param bytesOut bytes of their requests
 * @param latency in nanoseconds, three significant digits: of each answer, from when its request
 *     was due to when its last byte was there
 * @param statuses how many answers had each status
 * @param failures how many requests failed, and how; kinds that did not occur are absent
 * @param overTime one entry for each second, the last one shorter
 * @param generatorShare how much of the CPU time that the loops could have had they used: near 1,
 *     the figures are the generator's and not the server's
 */
public record Result(
        Duration elapsed,
        long requests,
        long bytesIn,
        long bytesOut,
        AbstractHistogram latency,
        Map<Integer, Long> statuses,
        Map<Failure, Long> failures,
        List<Second> overTime,
        double generatorShare) {

    /** From this share on a generator counts as the bottleneck. */
    public static final double BOTTLENECK = 0.9;

    /**
     * A second of the run.
     *
     * @param atMillis when it ended, from the beginning of the measurement
     * @param requests answers that came in it
     * @param p50 median latency of those, in microseconds
     * @param p99 in microseconds
     * @param failures that occurred in it
     */
    public record Second(long atMillis, long requests, double p50, double p99, long failures) {}

    /** Answers per second. */
    public double requestsPerSecond() {
        return elapsed.isZero() ? 0 : requests * 1e9 / elapsed.toNanos();
    }

    /** Answers to requests of that time that came later; they are in the latencies and statuses. */
    public long late() {
        return latency.getTotalCount() - requests;
    }

    /** Answers with another status than 2xx. */
    public long unsuccessful() {
        return statuses.entrySet().stream()
                .filter(status -> status.getKey() < 200 || status.getKey() > 299)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Whether something was answered, and all of that with 2xx, and no request failed. */
    public boolean allWell() {
        return latency.getTotalCount() > 0 && unsuccessful() == 0 && failed() == 0;
    }

    /** All that failed. */
    public long failed() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Latency in microseconds at {@code percentile}, from 0 to 100; 0 when nothing came. */
    public double micros(double percentile) {
        return latency.getTotalCount() == 0 ? 0 : latency.getValueAtPercentile(percentile) / 1e3;
    }
}
