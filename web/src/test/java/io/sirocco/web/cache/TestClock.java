// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.cache;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it. Any thread. */
final class TestClock implements Clock {
    /** Tue, 14 Nov 2023 22:13:20 GMT. */
    static final long START = 1_700_000_000_000L;

    private final AtomicLong millis = new AtomicLong();
    private final List<Runnable> loops = new CopyOnWriteArrayList<>();

    @Override
    public long nanos() {
        return 1 + millis.get() * 1_000_000;
    }

    @Override
    public long wallMillis() {
        return START + millis.get();
    }

    @Override
    public void onLeap(Runnable wake) {
        loops.add(wake);
    }

    void advance(long seconds) {
        millis.addAndGet(Duration.ofSeconds(seconds).toMillis());
        loops.forEach(Runnable::run);
    }
}
