// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.access;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until a test moves it, and begins below zero, as it may. Any thread.
 */
final class ManualClock implements Clock {
    private final AtomicLong nanos = new AtomicLong(-7_000_000_000L);

    @Override
    public long nanos() {
        return nanos.get();
    }

    @Override
    public long wallMillis() {
        return 1_700_000_000_000L + nanos.get() / 1_000_000;
    }

    void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }
}
