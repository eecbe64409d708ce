// SPDX-License-Identifier: Apache-2.0
package io.sirocco.testkit;

import io.sirocco.net.Clock;
import io.sirocco.net.Loop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it. Any thread. */
public final class ManualClock implements Clock {
    private static final long WALL_MILLIS_AT_ZERO = 1_700_000_000_000L; // 2023-11-14T22:13:20Z

    private final AtomicLong nanos;
    private final List<Runnable> sleepers = new CopyOnWriteArrayList<>();

    /** A clock whose {@link #nanos()} is 0. */
    public ManualClock() {
        this(0);
    }

    private ManualClock(long nanos) {
        this.nanos = new AtomicLong(nanos);
    }

    /** A clock whose {@link #nanos()} is negative at first, as that of a JVM may be. */
    public static ManualClock belowZero() {
        return new ManualClock(-7_000_000_000L);
    }

    @Override
    public long nanos() {
        return nanos.get();
    }

    /** 2023-11-14T22:13:20Z when {@link #nanos()} is 0. */
    @Override
    public long wallMillis() {
        return WALL_MILLIS_AT_ZERO + nanos.get() / 1_000_000;
    }

    @Override
    public void onLeap(Runnable wake) {
        sleepers.add(wake);
    }

    /** Moves the clock and wakes the loops, which fire what is due. */
    public void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
        sleepers.forEach(Runnable::run);
    }

    /** The same, in milliseconds. */
    public void advance(long millis) {
        advance(Duration.ofMillis(millis));
    }

    /**
     * Moves the clock; returns when {@code loop} has fired what is due, and has sent its output.
     */
    public void advance(Loop loop, long millis) {
        advance(millis);
        for (int turn = 0; turn < 3; turn++) { // the one that is running, and the next
            CompletableFuture.runAsync(() -> {}, loop::execute)
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join();
        }
    }
}
