// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.log.Log;
import java.util.ArrayList;
import java.util.List;

/** Messages for a client that is on its way: what is beyond the bound is a gap. Loop-confined. */
final class Held {
    private static final int MOST = 10_000;

    private final long mostBytes;
    private final List<Delivery> all = new ArrayList<>();
    private long bytes;
    private long dropped;

    Held(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    void add(Delivery delivery) {
        if (all.size() >= MOST || bytes >= mostBytes) {
            dropped++;
            return;
        }
        all.add(delivery);
        bytes += Log.size(delivery.publication);
    }

    List<Delivery> all() {
        return all;
    }

    /** How many there was no room for. */
    long dropped() {
        return dropped;
    }
}
