// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The buckets that bound one connection: its own, its route's, its server's. Loop-confined. */
final class Pacing {
    private final List<Bandwidth> ownReads;
    private final List<Bandwidth> ownWrites;
    private final Bandwidth[] reads;
    private final Bandwidth[] writes;

    Pacing(List<Bandwidth> reads, List<Bandwidth> writes) {
        this(reads, writes, List.of(), List.of());
    }

    private Pacing(
            List<Bandwidth> ownReads,
            List<Bandwidth> ownWrites,
            List<Bandwidth> furtherReads,
            List<Bandwidth> furtherWrites) {
        this.ownReads = ownReads;
        this.ownWrites = ownWrites;
        this.reads =
                Stream.concat(ownReads.stream(), furtherReads.stream()).toArray(Bandwidth[]::new);
        this.writes =
                Stream.concat(ownWrites.stream(), furtherWrites.stream()).toArray(Bandwidth[]::new);
    }

    /**
     * Its own buckets, and these in the place of all others; of {@code each} it has ones that
     * follow them, the same as before if it had those already.
     */
    Pacing with(
            List<Bandwidth> furtherReads,
            List<Bandwidth> furtherWrites,
            List<Bandwidth> eachReads,
            List<Bandwidth> eachWrites) {
        return new Pacing(
                ownReads,
                ownWrites,
                plus(furtherReads, eachReads, reads),
                plus(furtherWrites, eachWrites, writes));
    }

    private static List<Bandwidth> plus(
            List<Bandwidth> further, List<Bandwidth> each, Bandwidth[] known) {
        if (each.isEmpty()) {
            return further;
        }
        var all = new ArrayList<>(further);
        for (Bandwidth source : each) {
            all.add(
                    Arrays.stream(known)
                            .filter(bucket -> bucket.follows(source))
                            .findFirst()
                            .orElseGet(source::another));
        }
        return all;
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
