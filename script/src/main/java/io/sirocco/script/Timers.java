// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The timers of a context, at most {@link #MAX}, and {@link #MAX_OF_A_REQUEST} of one request. Of
 * the thread of its {@link Worker}.
 */
final class Timers {
    private static final int MAX = 10_000;
    private static final int MAX_OF_A_REQUEST = 1_000;

    private final PriorityQueue<Timer> queue = new PriorityQueue<>();
    private final Map<Integer, Timer> byId = new HashMap<>();
    private int last;

    /** An action and when it is due. */
    static final class Timer implements Comparable<Timer> {
        final int id;
        final long every; // negative if it does not repeat
        final Runnable action;
        final ScriptRequest request; // null for none
        private long at;

        private Timer(int id, long at, long every, Runnable action, ScriptRequest request) {
            this.id = id;
            this.at = at;
            this.every = every;
            this.action = action;
            this.request = request;
        }

        @Override
        public int compareTo(Timer other) {
            int byTime = Long.compare(at - other.at, 0);
            return byTime != 0 ? byTime : Integer.compare(id, other.id);
        }
    }

    /**
     * Adds a timer and returns its id.
     *
     * @throws IllegalStateException if there are too many, or the request is over
     */
    int add(long nanos, boolean repeats, Runnable action, ScriptRequest request) {
        if (byId.size() >= MAX) {
            throw new IllegalStateException("There are more than " + MAX + " timers.");
        }
        if (request != null) {
            if (request.isOver() && !request.mayCleanUp()) {
                throw new IllegalStateException("A request that is over has no timers.");
            }
            if (request.timers >= MAX_OF_A_REQUEST) {
                throw new IllegalStateException(
                        "A request has more than " + MAX_OF_A_REQUEST + " timers.");
            }
            request.timers++;
        }
        long at = System.nanoTime() + nanos;
        var timer = new Timer(++last, at, repeats ? nanos : -1, action, request);
        queue.add(timer);
        byId.put(timer.id, timer);
        return timer.id;
    }

    void clear(int id) {
        Timer timer = byId.remove(id);
        if (timer != null) {
            queue.remove(timer);
            gone(timer);
        }
    }

    private static void gone(Timer timer) {
        if (timer.request != null) {
            timer.request.timers--;
        }
    }

    /** Drops the timers of a request that are due after the time in which it may finish. */
    void end(ScriptRequest request) {
        if (request.timers > 0) {
            queue.removeIf(
                    each -> {
                        boolean late = each.request == request && !request.mayCleanUpAt(each.at);
                        if (late) {
                            byId.remove(each.id);
                            gone(each);
                        }
                        return late;
                    });
        }
    }

    /**
     * Returns a timer that is due, or null. A repeating one is scheduled again, unless its request
     * is over.
     */
    Timer due() {
        Timer first = queue.peek();
        if (first == null || first.at - System.nanoTime() > 0) {
            return null;
        }
        queue.poll();
        if (first.every >= 0 && (first.request == null || !first.request.isOver())) {
            first.at = System.nanoTime() + first.every;
            queue.add(first);
        } else {
            byId.remove(first.id);
            gone(first);
        }
        return first;
    }

    /** Returns the nanoseconds until the next one is due; negative if there is none. */
    long untilNext() {
        Timer first = queue.peek();
        return first == null ? -1 : Math.max(1, first.at - System.nanoTime());
    }
}
