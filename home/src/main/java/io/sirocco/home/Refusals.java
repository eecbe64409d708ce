// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home;

import io.sirocco.net.Loop;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

/**
 * Counts the datagrams that a controller refuses, and has its owner told: the first at once, then
 * the sums, once a minute. Addresses are only named, never locked out: they can be forged.
 * Loop-confined, except for {@link #counts}.
 */
final class Refusals {
    private static final long LINES = Duration.ofMinutes(1).toMillis();
    private static final int ATTEMPTS = 3;
    private static final long ATTENTION = Duration.ofDays(1).toMillis();

    private final AtomicLongArray counts = new AtomicLongArray(Reason.values().length);
    private final Loop loop;
    private final Consumer<String> log;
    private RefusedRequests logged = new RefusedRequests(0, 0, 0, 0, 0);
    private InetAddress last;
    private boolean scheduled; // the next line
    private int attempts; // to change or join requests, a day apart at most
    private long lastAttempt;

    /** Why a datagram is refused. */
    enum Reason {
        UNDECIPHERABLE,
        NOT_ALLOWED,
        COPY,
        CHANGED,
        BUSY
    }

    Refusals(Loop loop, Consumer<String> log) {
        this.loop = loop;
        this.log = log;
    }

    /** Counts a datagram. */
    void add(Reason reason, InetAddress from) {
        counts.incrementAndGet(reason.ordinal());
        last = from;
        if (reason == Reason.CHANGED) {
            attempts = loop.now() - lastAttempt > ATTENTION ? 1 : Math.min(attempts + 1, ATTEMPTS);
            lastAttempt = loop.now();
        }
        if (!scheduled) {
            write();
        }
    }

    /**
     * Returns whether somebody has tried to change or join requests, three times within days. About
     * 1 of 300,000 such requests looks genuine.
     */
    boolean areSuspicious() {
        return attempts == ATTEMPTS && loop.now() - lastAttempt <= ATTENTION;
    }

    /** Returns the sums since the start. Any thread. */
    RefusedRequests counts() {
        return new RefusedRequests(
                count(Reason.UNDECIPHERABLE),
                count(Reason.NOT_ALLOWED),
                count(Reason.COPY),
                count(Reason.CHANGED),
                count(Reason.BUSY));
    }

    private long count(Reason reason) {
        return counts.get(reason.ordinal());
    }

    private void write() {
        RefusedRequests now = counts();
        scheduled = now.total() != logged.total();
        if (!scheduled) {
            return;
        }
        log.accept(
                ("refused requests: %d under no key of this controller, %d not allowed, %d copies of"
                                + " earlier ones, %d changed or joined, %d too many at once; the"
                                + " last from %s, if that is not forged")
                        .formatted(
                                now.undecipherable() - logged.undecipherable(),
                                now.notAllowed() - logged.notAllowed(),
                                now.copies() - logged.copies(),
                                now.changed() - logged.changed(),
                                now.busy() - logged.busy(),
                                last.getHostAddress()));
        logged = now;
        loop.schedule(LINES, this::write);
    }
}
