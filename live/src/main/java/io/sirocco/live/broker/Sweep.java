// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.broker;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiPredicate;

/**
 * Removes what is over from a map, some entries at a time: each call goes on where the last one
 * ended, so that none takes long however many there are. Any thread.
 */
final class Sweep<K, V> {
    /** Entries that are looked at for each one that is added: more are removed than come. */
    static final int SOME = 16;

    /** Entries that are looked at when there is no room. */
    static final int MANY = 1_000;

    private final ConcurrentHashMap<K, V> map;
    private final BiPredicate<V, Long> over;
    private final AtomicBoolean busy = new AtomicBoolean();
    private Iterator<Map.Entry<K, V>> at; // while busy

    /**
     * Of a map.
     *
     * @param over whether a value is, at a time
     */
    Sweep(ConcurrentHashMap<K, V> map, BiPredicate<V, Long> over) {
        this.map = map;
        this.over = over;
        this.at = map.entrySet().iterator();
    }

    /** Removes one, whatever it is; none while another thread sweeps. */
    void evict() {
        if (!busy.compareAndSet(false, true)) {
            return;
        }
        try {
            if (!at.hasNext()) {
                at = map.entrySet().iterator();
            }
            if (at.hasNext()) {
                map.remove(at.next().getKey());
            }
        } finally {
            busy.set(false);
        }
    }

    /** Looks at no more than {@code most} entries; at none while another thread does. */
    void run(int most, long now) {
        if (!busy.compareAndSet(false, true)) {
            return;
        }
        try {
            if (!at.hasNext()) {
                at = map.entrySet().iterator();
            }
            for (int i = 0; i < most && at.hasNext(); i++) {
                Map.Entry<K, V> each = at.next();
                if (over.test(each.getValue(), now)) {
                    map.remove(each.getKey(), each.getValue()); // unless it is another by now
                }
            }
        } finally {
            busy.set(false);
        }
    }
}
