// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Position;
import io.sirocco.live.log.Log;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Set;

/** Messages for a client that is on its way: what is beyond the bound is a gap. Loop-confined. */
final class Held {
    private static final int MAX = 10_000;

    private final long mostBytes;
    private final ArrayDeque<Delivery> all = new ArrayDeque<>();
    private long bytes;
    private long dropped;

    Held(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Adds one, unless that is too much, or too much was added before. */
    void add(Delivery delivery) {
        if (all.size() >= MAX || bytes >= mostBytes || dropped > 0) {
            dropped++;
            return;
        }
        all.add(delivery);
        bytes += Log.size(delivery.publication);
    }

    Collection<Delivery> all() {
        return all;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Takes the oldest; null when there is none. */
    Delivery poll() {
        Delivery oldest = all.poll();
        if (oldest != null) {
            bytes -= Log.size(oldest.publication);
        }
        return oldest;
    }

    /** Forgets those that have come otherwise. */
    void removeAll(Set<Position> positions) {
        all.removeIf(
                each -> {
                    boolean known = positions.contains(each.position);
                    if (known) {
                        bytes -= Log.size(each.publication);
                    }
                    return known;
                });
    }

    /** How many there was no room for. */
    long dropped() {
        return dropped;
    }
}
