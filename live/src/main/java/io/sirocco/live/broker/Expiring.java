// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What is known for a time only: at most {@link #MOST} of it. Whoever puts something sweeps out
 * what is over, not more often than each second. Any thread.
 */
final class Expiring<K, V> {
    static final int MOST = 1_000_000;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private record Held<V>(V value, long until) {
        boolean over(long now) {
            return now - until >= 0;
        }
    }

    private final Map<K, Held<V>> held = new ConcurrentHashMap<>();
    private final Clock clock;
    private final String what;
    private final AtomicLong swept;

    Expiring(Clock clock, String what) {
        this.clock = clock;
        this.what = what;
        this.swept = new AtomicLong(clock.nanos());
    }

    /** In the place of what is there. */
    void put(K key, V value, Duration life) {
        mustHaveRoom(key);
        held.put(key, hold(value, life));
    }

    /** Says what was there, which stays then. */
    Optional<V> putIfAbsent(K key, V value, Duration life) {
        mustHaveRoom(key);
        long now = clock.nanos();
        Held<V> mine = hold(value, life);
        Held<V> there = held.compute(key, (k, old) -> old == null || old.over(now) ? mine : old);
        return there == mine ? Optional.empty() : Optional.of(there.value);
    }

    Optional<V> of(K key) {
        return Optional.ofNullable(held.get(key))
                .filter(one -> !one.over(clock.nanos()))
                .map(Held::value);
    }

    Optional<V> remove(K key) {
        return Optional.ofNullable(held.remove(key))
                .filter(old -> !old.over(clock.nanos()))
                .map(Held::value);
    }

    int size() {
        return held.size();
    }

    private Held<V> hold(V value, Duration life) {
        return new Held<>(value, clock.nanos() + life.toNanos());
    }

    private void mustHaveRoom(K key) {
        sweep();
        if (held.size() >= MOST && !held.containsKey(key)) {
            throw new BrokerException("There are " + MOST + " " + what + " already.");
        }
    }

    private void sweep() {
        long now = clock.nanos();
        long last = swept.get();
        if (now - last >= SECOND && swept.compareAndSet(last, now)) {
            held.values().removeIf(one -> one.over(now));
        }
    }
}
