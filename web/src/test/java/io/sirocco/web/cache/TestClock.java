// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it. Any thread. */
final class TestClock implements Clock {
    /** Tue, 14 Nov 2023 22:13:20 GMT. */
    static final long START = 1_700_000_000_000L;

    private final AtomicLong millis = new AtomicLong();

    @Override
    public long nanos() {
        return 1 + millis.get() * 1_000_000;
    }

    @Override
    public long wallMillis() {
        return START + millis.get();
    }

    void advance(long seconds) {
        millis.addAndGet(Duration.ofSeconds(seconds).toMillis());
    }
}
