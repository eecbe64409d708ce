// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import java.util.ArrayDeque;

/**
 * Spreads questions over time. Deadlines have a grain of 16 ms, so a hundred may be due at the same
 * moment, and each would wait for those before it: the latency would be our own. The first goes at
 * once, and of those that wait an eighth each millisecond. Loop-confined.
 */
final class Shaper {
    private static final long STEP = 1_000_000;
    private static final int SHARE = 8;

    private final Loop loop;
    private final ArrayDeque<Due> due = new ArrayDeque<>();
    private boolean awaited;

    private record Due(Held held, Connection connection) {}

    Shaper(Loop loop) {
        this.loop = loop;
    }

    /** Has {@code held} ask on {@code connection}, soon. */
    void add(Held held, Connection connection) {
        due.add(new Due(held, connection));
        if (!awaited) {
            go();
        }
    }

    private void go() {
        for (int n = Math.ceilDiv(due.size(), SHARE); n > 0; n--) {
            Due next = due.poll();
            next.held.turn(next.connection);
        }
        awaited = true;
        loop.scheduleAt(loop.clock().nanos() + STEP, this::look);
    }

    private void look() {
        awaited = false;
        if (!due.isEmpty()) {
            go();
        }
    }
}
