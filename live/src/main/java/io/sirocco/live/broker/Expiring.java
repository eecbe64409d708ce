// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A map of values that expire, with at most {@link #MAX} entries. Each put removes some that have
 * expired. Any thread.
 */
final class Expiring<K, V> {
    /** By the heap; a million where that has 4 GiB. */
    static final int MAX = Math.clamp(Runtime.getRuntime().maxMemory() >> 12, 1_000, 1_000_000);

    private record Held<V>(V value, long until) {
        boolean over(long now) {
            return now - until >= 0;
        }
    }

    private final ConcurrentHashMap<K, Held<V>> held = new ConcurrentHashMap<>();
    private final Sweep<K, Held<V>> sweep = new Sweep<>(held, Held::over);
    private final Clock clock;
    private final String what;

    Expiring(Clock clock, String what) {
        this.clock = clock;
        this.what = what;
    }

    /** In the place of what is there. */
    void put(K key, V value, Duration life) {
        mustHaveRoom(key);
        held.put(key, hold(value, life));
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
        sweep.run(Sweep.SOME, clock.nanos());
        if (isFull(key)) {
            sweep.run(Sweep.MANY, clock.nanos());
        }
        if (isFull(key)) {
            throw new BrokerException("There are " + MAX + " " + what + " already.");
        }
    }

    private boolean isFull(K key) {
        return held.mappingCount() >= MAX && !held.containsKey(key);
    }
}
