// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.live.RequestException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The requests of a namespace that wait for an answer, by their numbers. Any thread. */
final class Requests {
    private final int most;
    private final Map<Long, Asked> waiting = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    Requests(int most) {
        this.most = most;
    }

    /**
     * One more, with a number of its own.
     *
     * @throws RequestException when there are as many as there may be
     */
    Asked begin(String event) {
        if (waiting.size() >= most) {
            throw RequestException.refused(
                    "limited", waiting.size() + " requests wait for an answer already");
        }
        var asked = new Asked(numbers.getAndIncrement(), event);
        waiting.put(asked.number(), asked);
        return asked;
    }

    /** Nobody waits for it any more. */
    void end(Asked asked) {
        waiting.remove(asked.number());
    }

    /** The one of this number; null when nobody waits for it. */
    Asked get(long number) {
        return waiting.get(number);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Those that are on their way will have no answer. */
    void closeSent(String why) {
        waiting.values().stream().filter(Asked::isSent).forEach(asked -> asked.closed(why));
    }

    /** Nor will any other. */
    void close(String why) {
        waiting.values().forEach(asked -> asked.closed(why));
    }
}
