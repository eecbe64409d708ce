// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.List;

/** The buckets that bound one connection: its own, its route's, its server's. Loop-confined. */
final class Pacing {
    private final Bandwidth[] reads;
    private final Bandwidth[] writes;

    Pacing(List<Bandwidth> reads, List<Bandwidth> writes) {
        this.reads = reads.toArray(Bandwidth[]::new);
        this.writes = writes.toArray(Bandwidth[]::new);
    }

    /**
     * Pays for {@code bytes} that were read; answers the milliseconds for which to read no more.
     */
    long read(int bytes, long now) {
        for (Bandwidth bucket : reads) {
            bucket.spend(bytes, now);
        }
        return pause(reads, now);
    }

    /** How many bytes to read at a time, up to {@code most}. */
    int piece(int most) {
        int least = most;
        for (Bandwidth bucket : reads) {
            least = bucket.piece(least);
        }
        return least;
    }

    /** How many of {@code wanted} bytes may be written now. */
    int write(int wanted, long now) {
        int allowed = wanted;
        for (Bandwidth bucket : writes) {
            allowed = Math.min(allowed, bucket.allowed(wanted, now));
        }
        return allowed;
    }

    void wrote(int bytes, long now) {
        for (Bandwidth bucket : writes) {
            bucket.spend(bytes, now);
        }
    }

    /** Milliseconds until something may be written. */
    long writePause(long now) {
        return pause(writes, now);
    }

    private static long pause(Bandwidth[] buckets, long now) {
        long nanos = 0;
        for (Bandwidth bucket : buckets) {
            nanos = Math.max(nanos, bucket.pause(now));
        }
        return (nanos + 999_999) / 1_000_000;
    }
}
