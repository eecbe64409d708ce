// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import java.util.Arrays;

/**
 * Bounds the retries of one loop to a share of its requests, both of the last ten seconds, so that
 * an upstream that fails is not overrun by retries. Ten retries are always allowed, or a quiet
 * upstream would have none. Loop-confined.
 */
final class RetryBudget {
    private static final int SECONDS = 10;
    static final int ALWAYS = 10;

    private final int percent;
    private final int[] requests = new int[SECONDS];
    private final int[] retries = new int[SECONDS];
    private long second = Long.MIN_VALUE;
    private long allRequests;
    private long allRetries;

    RetryBudget(int percent) {
        this.percent = percent;
    }

    /** Counts a request that is not a retry. */
    void request(long millis) {
        move(millis);
        requests[slot()]++;
        allRequests++;
    }

    /** Returns whether one more retry is allowed, and counts it. */
    boolean retry(long millis) {
        move(millis);
        if (percent == 0 || allRetries >= Math.max(ALWAYS, allRequests * percent / 100)) {
            return false;
        }
        retries[slot()]++;
        allRetries++;
        return true;
    }

    private int slot() {
        return (int) Math.floorMod(second, (long) SECONDS);
    }

    private void move(long millis) {
        long now = Math.floorDiv(millis, 1000L);
        if (now - second >= SECONDS || second == Long.MIN_VALUE) {
            Arrays.fill(requests, 0);
            Arrays.fill(retries, 0);
            allRequests = allRetries = 0;
            second = now;
        }
        while (second < now) {
            second++;
            allRequests -= requests[slot()];
            allRetries -= retries[slot()];
            requests[slot()] = retries[slot()] = 0;
        }
    }
}
