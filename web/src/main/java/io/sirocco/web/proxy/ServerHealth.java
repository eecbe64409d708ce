// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

/**
 * The state of one server, from what its requests (passive) and its health checks (active) show.
 *
 * <pre>
 *          maxFailures in a row                      ejection passes
 *   UP ───────────────────────────▶ EJECTED ─────────────────────────▶ UP, slow start
 *    │                                 │
 *    │ unhealthyAfter checks fail      │ unhealthyAfter checks fail
 *    ▼                                 ▼
 *   DOWN ────────────────────────────────────────────────────────────▶ UP, slow start
 *                        healthyAfter checks succeed
 * </pre>
 *
 * <p>An ejection lasts twice as long as the one before, up to ten times the first, if it begins
 * before the server has been up for the length of that one. Times are milliseconds of a loop's
 * clock. Any thread; a request that succeeds on a server without failures takes no lock.
 */
final class ServerHealth {
    /** What metrics call the state. */
    enum State {
        UP,
        EJECTED,
        DOWN
    }

    private static final long LONGEST = 10; // times the first ejection
    private static final double LEAST_SHARE = 0.1;

    private final int maxFailures;
    private final long window;
    private final long ejection;
    private final int unhealthyAfter;
    private final int healthyAfter;
    private final long slowStart;

    private volatile int failures; // in a row
    private volatile long ejectedUntil = Long.MIN_VALUE;
    private volatile boolean down;
    private volatile long upSince = Long.MIN_VALUE; // of a slow start; MIN_VALUE for none
    private long firstFailure;
    private long lastEjection; // its length
    private int checks; // of the same result in a row
    private boolean lastCheck = true;

    ServerHealth(
            int maxFailures,
            long window,
            long ejection,
            int unhealthyAfter,
            int healthyAfter,
            long slowStart) {
        this.maxFailures = maxFailures;
        this.window = window;
        this.ejection = ejection;
        this.unhealthyAfter = unhealthyAfter;
        this.healthyAfter = healthyAfter;
        this.slowStart = slowStart;
    }

    State state(long now) {
        return down ? State.DOWN : now < ejectedUntil ? State.EJECTED : State.UP;
    }

    boolean isAvailable(long now) {
        return !down && now >= ejectedUntil;
    }

    /**
     * Returns whether no health check has failed too often; that it is ejected for the failures of
     * its requests is a guess.
     */
    boolean isUsable() {
        return !down;
    }

    /** Returns the share of its weight that it gets now, from 0.1 to 1. */
    double share(long now) {
        long since = upSince;
        if (since == Long.MIN_VALUE) {
            return 1;
        }
        if (now - since >= slowStart) {
            upSince = Long.MIN_VALUE;
            return 1;
        }
        return Math.max(LEAST_SHARE, (double) (now - since) / slowStart);
    }

    /** A request has succeeded. */
    void succeeded() {
        if (failures > 0) {
            failures = 0;
        }
    }

    /** A request has failed; returns whether the server is ejected for it. */
    synchronized boolean failed(long now) {
        if (maxFailures == 0 || now < ejectedUntil) {
            return false; // requests that were in progress, or go to it for want of another
        }
        if (failures == 0 || now - firstFailure > window) {
            failures = 0;
            firstFailure = now;
        }
        failures = failures + 1;
        if (failures < maxFailures) {
            return false;
        }
        failures = 0;
        boolean soon = lastEjection > 0 && now - ejectedUntil < lastEjection;
        lastEjection = soon ? Math.min(2 * lastEjection, LONGEST * ejection) : ejection;
        ejectedUntil = now + lastEjection;
        begin(ejectedUntil);
        return true;
    }

    /** A health check has ended; returns whether the server is taken out or comes back. */
    synchronized boolean checked(boolean success, long now) {
        checks = success == lastCheck ? Math.min(checks + 1, 1_000_000) : 1;
        lastCheck = success;
        if (success && down && checks >= healthyAfter) {
            down = false;
            failures = 0;
            begin(now);
            return true;
        }
        if (!success && !down && checks >= unhealthyAfter) {
            down = true;
            return true;
        }
        return false;
    }

    private void begin(long from) {
        upSince = slowStart > 0 ? from : Long.MIN_VALUE;
    }
}
