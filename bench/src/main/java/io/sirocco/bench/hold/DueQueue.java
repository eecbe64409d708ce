// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

import io.sirocco.net.Connection;
import io.sirocco.net.Loop;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The connections whose next question is near, in the order of the moments at which the schedule
 * wants them. A connection's deadline is kept to 16 ms, which would be most of the latency; this
 * keeps moments to a tenth of a millisecond. Moments are whole milliseconds, so that the loop wakes
 * up at most once for all questions of one. Loop-confined.
 */
final class DueQueue {
    private static final long GRAIN = 1_000_000;

    private final Loop loop;
    private final PriorityQueue<Due> queue =
            new PriorityQueue<>(Comparator.comparingLong(Due::nanos));
    private long awaited = Long.MAX_VALUE; // the earliest moment at which the loop looks here

    private record Due(long nanos, Held held, Connection connection) {}

    DueQueue(Loop loop) {
        this.loop = loop;
    }

    /** Returns the moment that is {@code millis} from now, on the clock of the loop. */
    long moment(long millis) {
        return Math.ceilDiv(loop.clock().nanos(), GRAIN) * GRAIN + millis * GRAIN;
    }

    /** Has {@code held} ask on {@code connection} at {@code nanos}; at once if that has passed. */
    void add(Held held, Connection connection, long nanos) {
        queue.add(new Due(nanos, held, connection));
        await();
    }

    private void await() {
        if (!queue.isEmpty() && queue.peek().nanos < awaited) {
            awaited = queue.peek().nanos;
            loop.scheduleAt(awaited, this::ask);
        }
    }

    private void ask() {
        awaited = Long.MAX_VALUE;
        long now = loop.clock().nanos();
        while (!queue.isEmpty() && queue.peek().nanos <= now) {
            Due due = queue.poll();
            due.held.turn(due.connection, due.nanos);
        }
        await();
    }
}
