// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.metrics;

import io.sirocco.http.Monitor;
import io.sirocco.http.RequestError;
import java.util.EnumMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the requests of a server by route, method and status, their duration, bytes, refusals by
 * rule, and handlers that threw. Each loop has its own counters, so that none waits for another; a
 * reader adds them up. Bounded: {@link #MAX_ROUTES} routes, ten methods, statuses from 200 to 599.
 * Monitors one server at a time. Any thread.
 */
public final class Metrics implements Monitor {
    /** The name of what no route has matched. */
    public static final String NO_ROUTE = "(none)";

    /**
     * The name of requests whose head was refused: nobody knows their route, or how long they took.
     */
    public static final String REFUSED = "(refused)";

    /** The name of all routes beyond {@link #MAX_ROUTES}. */
    public static final String OTHER_ROUTES = "(other)";

    /** Routes that are counted each by itself. */
    public static final int MAX_ROUTES = 500;

    private static final int MAX_LOOPS = 1024; // further ones share counts, and may lose some

    private final AtomicReferenceArray<LoopCounts> loops = new AtomicReferenceArray<>(MAX_LOOPS);
    private final LongAdder failed = new LongAdder();

    /** Has counted nothing yet. */
    public Metrics() {}

    private LoopCounts of(int loop) {
        int i = loop % MAX_LOOPS;
        LoopCounts counts = loops.getPlain(i);
        if (counts == null) {
            counts = new LoopCounts();
            loops.set(i, counts);
        }
        return counts;
    }

    @Override
    public void completed(CompletedRequest answered) {
        of(answered.loop()).add(answered);
    }

    @Override
    public void rejected(RejectedRequest rejected) {
        of(rejected.loop()).add(rejected);
    }

    @Override
    public void handlerFailed(String requestId, Throwable thrown) {
        failed.increment();
    }

    /** What was counted so far; figures of one request may be a moment apart. */
    public Totals totals() {
        var routes = new TreeMap<String, RouteTotals>();
        var refused = new EnumMap<RequestError, Long>(RequestError.class);
        for (int i = 0; i < MAX_LOOPS; i++) {
            LoopCounts counts = loops.get(i);
            if (counts != null) {
                counts.addTo(routes, refused);
            }
        }
        return new Totals(routes, refused, failed.sum());
    }
}
