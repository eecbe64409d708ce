// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How often something has happened, by key: at most {@link Expiring#MOST} of them. One that tells
 * nothing any more is swept out. Any thread.
 */
final class Counts {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /**
     * @param used tokens that are missing, or tries since the last silence
     * @param tried when
     * @param allowed whether that try was within the limit
     */
    private record Count(double used, long tried, boolean allowed, Limit limit) {}

    private final Map<String, Count> counts = new ConcurrentHashMap<>();
    private final Clock clock;
    private final AtomicLong swept;

    Counts(Clock clock) {
        this.clock = clock;
        this.swept = new AtomicLong(clock.nanos());
    }

    boolean count(String key, Limit limit) {
        long now = clock.nanos();
        sweep(now);
        if (counts.size() >= Expiring.MOST && !counts.containsKey(key)) {
            throw new BrokerException("There are " + Expiring.MOST + " counts already.");
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

    private void sweep(long now) {
        long last = swept.get();
        if (now - last >= SECOND && swept.compareAndSet(last, now)) {
            counts.values().removeIf(count -> isOver(count, now));
        }
    }
}
