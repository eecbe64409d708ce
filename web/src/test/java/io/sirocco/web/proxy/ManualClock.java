// SPDX-License-Identifier: Apache-2.0
package io.sirocco.web.proxy;

import io.sirocco.net.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it, and begins below zero. Any thread. */
final class ManualClock implements Clock {
    private final AtomicLong nanos = new AtomicLong(-7_000_000_000L);
    private final List<Runnable> sleepers = new CopyOnWriteArrayList<>();

    @Override
    public long nanos() {
        return nanos.get();
    }

    @Override
    public long wallMillis() {
        return 1_700_000_000_000L + nanos.get() / 1_000_000;
    }

    @Override
    public void onLeap(Runnable wake) {
        sleepers.add(wake);
    }

    void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
        sleepers.forEach(Runnable::run);
    }
}
