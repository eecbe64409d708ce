// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.live;

import io.sirocco.bench.Failure;
import io.sirocco.bench.Histograms;
import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** What was counted, until somebody takes it over. One thread at a time. */
final class Tally {
    final Histogram latency = Histograms.none();
    final Map<Failure, Long> failures = new EnumMap<>(Failure.class);
    final Map<Failure, String> words = new EnumMap<>(Failure.class); // of the first of each kind
    long counted;
    long bytesIn;
    long bytesOut;

    void failed(Failure kind, String how) {
        failed(kind, 1, how);
    }

    void failed(Failure kind, long count, String how) {
        if (count > 0) {
            failures.merge(kind, count, Long::sum);
            words.putIfAbsent(kind, how);
        }
    }

    void add(Tally other) {
        latency.add(other.latency);
        other.failures.forEach((kind, n) -> failures.merge(kind, n, Long::sum));
        other.words.forEach(words::putIfAbsent);
        counted += other.counted;
        bytesIn += other.bytesIn;
        bytesOut += other.bytesOut;
    }

    long failed() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }
}
