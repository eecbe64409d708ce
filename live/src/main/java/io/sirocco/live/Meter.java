// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.live.broker.Limit;

/** Counts what one client does against a {@link Limit}. Used by one thread at a time. */
final class Meter {
    private final Limit limit;
    private double tokens;
    private long at;
    private int refused; // since something was allowed

    Meter(Limit limit, long millis) {
        this.limit = limit;
        this.at = millis;
        this.tokens = count();
    }

    private int count() {
        return switch (limit) {
            case Limit.Bucket bucket -> bucket.count();
            case Limit.UntilSilence silence -> silence.count();
        };
    }

    /** Counts one more; false when that is too many. */
    boolean take(long millis) {
        switch (limit) {
            case Limit.Bucket bucket -> {
                double more = (millis - at) * bucket.count() / (double) bucket.per().toMillis();
                tokens = Math.min(bucket.count(), tokens + more);
            }
            case Limit.UntilSilence silence -> {
                if (millis - at >= silence.silence().toMillis()) {
                    tokens = silence.count();
                }
            }
        }
        at = millis;
        if (tokens >= 1) {
            tokens--;
            refused = 0;
            return true;
        }
        refused++;
        return false;
    }

    /** Whether it was tried twice as often again as it was allowed. */
    boolean isAbused() {
        return refused > 2 * count();
    }
}
