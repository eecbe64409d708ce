// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench;

import io.sirocco.net.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it. Any thread. */
public final class ManualClock implements Clock {
    private final AtomicLong nanos = new AtomicLong();
    private final List<Runnable> sleepers = new CopyOnWriteArrayList<>();

    @Override
    public long nanos() {
        return nanos.get();
    }

    /** Begins at Tue, 14 Nov 2023 22:13:20 GMT. */
    @Override
    public long wallMillis() {
        return 1_700_000_000_000L + nanos.get() / 1_000_000;
    }

    @Override
    public void onLeap(Runnable wake) {
        sleepers.add(wake);
    }

    /** Moves it, and has the loops look. */
    public void advance(long millis) {
        nanos.addAndGet(millis * 1_000_000);
        sleepers.forEach(Runnable::run);
    }
}
