// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How often something has happened, by key: at most {@link Expiring#MAX} of them. One that tells
 * nothing any more is swept out; when all tell something, a new one takes the place of another. Any
 * thread.
 */
final class Counts {
    /**
     * @param used tokens that are missing, or tries since the last silence
     * @param tried when
     * @param allowed whether that try was within the limit
     */
    private record Count(double used, long tried, boolean allowed, Limit limit) {}

    private final ConcurrentHashMap<String, Count> counts = new ConcurrentHashMap<>();
    private final Sweep<String, Count> sweep = new Sweep<>(counts, Counts::isOver);
    private final Clock clock;

    Counts(Clock clock) {
        this.clock = clock;
    }

    boolean count(String key, Limit limit) {
        long now = clock.nanos();
        sweep.run(Sweep.SOME, now);
        if (isFull(key)) {
            sweep.run(Sweep.MANY, now);
        }
        if (isFull(key)) {
            sweep.evict();
        }
        return counts.compute(key, (k, before) -> next(before, limit, now)).allowed;
    }

    private static Count next(Count before, Limit limit, long now) {
        double used = before == null || isOver(before, now) ? 0 : before.used;
        return switch (limit) {
            case Limit.Bucket bucket -> {
                double left = before == null ? 0 : Math.max(0, used - filled(before, bucket, now));
                boolean allowed = left + 1 <= bucket.count();
                yield new Count(allowed ? left + 1 : left, now, allowed, limit);
            }
            case Limit.UntilSilence silence ->
                    new Count(
                            Math.min(used, silence.count()) + 1,
                            now,
                            used < silence.count(),
                            limit);
        };
    }

    private static double filled(Count count, Limit.Bucket bucket, long now) {
        return (double) (now - count.tried) * bucket.count() / bucket.per().toNanos();
    }

    private static boolean isOver(Count count, long now) {
        Duration life =
                switch (count.limit) {
                    case Limit.Bucket bucket -> bucket.per();
                    case Limit.UntilSilence silence -> silence.silence();
                };
        return now - count.tried >= life.toNanos();
    }

    private boolean isFull(String key) {
        return counts.mappingCount() >= Expiring.MAX && !counts.containsKey(key);
    }
}
