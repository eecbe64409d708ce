// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** What was counted, until somebody takes it over. One thread at a time. */
final class Tally {
    final Histogram latency = Histograms.none();
    final Map<Integer, long[]> statuses = new TreeMap<>();
    final EnumMap<Failure, Long> failures = new EnumMap<>(Failure.class);
    long requests;
    long bytesIn;
    long bytesOut;
    private int lastStatus;
    private long[] lastCount = {};

    /** An answer has come, in time or late. */
    void answered(int status, long nanos) {
        Histograms.record(latency, nanos);
        if (status != lastStatus) {
            lastStatus = status;
            lastCount = statuses.computeIfAbsent(status, s -> new long[1]);
        }
        lastCount[0]++;
    }

    void failed(Failure failure, long count) {
        if (count > 0) {
            failures.merge(failure, count, Long::sum);
        }
    }

    void add(Tally other) {
        latency.add(other.latency);
        other.statuses.forEach(
                (status, n) -> statuses.computeIfAbsent(status, s -> new long[1])[0] += n[0]);
        other.failures.forEach((failure, n) -> failures.merge(failure, n, Long::sum));
        requests += other.requests;
        bytesIn += other.bytesIn;
        bytesOut += other.bytesOut;
    }

    long failed() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }
}
