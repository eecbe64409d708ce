// SPDX-License-Identifier: Apache-2.0
package io.sirocco.bench.hold;

/**
 * Limits how many connections are opened per second. A caller that was delayed may catch up a tenth
 * of a second, no more (GCRA, ITU-T I.371). Times are of {@link System#nanoTime}'s kind.
 * Loop-confined.
 */
final class Ramp {
    private static final long LEEWAY = 100_000_000;

    private final long gap;
    private long next;

    Ramp(double perSecond, long now) {
        this.gap = Math.max(1, Math.round(1e9 / perSecond));
        this.next = now;
    }

    /** Whether one more may be opened now; if so, it counts. */
    boolean take(long now) {
        if (now - next < 0) {
            return false;
        }
        next = (now - LEEWAY - next > 0 ? now - LEEWAY : next) + gap;
        return true;
    }

    /** When the next one may be opened. */
    long next() {
        return next;
    }
}
