// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/**
 * Notices that the wall clock was set, or the time zone, by comparing it with a clock that cannot
 * be set. Used by one thread, that of the scripts.
 */
final class ClockWatch {
    private static final Duration JUMP = Duration.ofSeconds(60);

    private final ObjectContext context;
    private Instant wall;
    private long nanos;
    private ZoneId zone;

    /**
     * A change.
     *
     * @param jump how far the clock was set, zero for less than 60 s
     * @param zone whether there is another time zone
     */
    record Change(Duration jump, boolean zone) {
        boolean any() {
            return zone || !jump.isZero();
        }
    }

    ClockWatch(ObjectContext context) {
        this.context = context;
        look();
    }

    private void look() {
        wall = context.scripts().clock().instant();
        nanos = context.scripts().nanoTime();
        zone = context.zone().get();
    }

    /** Returns what has changed since the last call. */
    Change change() {
        Instant expected = wall.plusNanos(context.scripts().nanoTime() - nanos);
        ZoneId before = zone;
        look();
        Duration jump = Duration.between(expected, wall);
        return new Change(
                jump.abs().compareTo(JUMP) < 0 ? Duration.ZERO : jump, !zone.equals(before));
    }
}
