// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Looks at the loops four times per threshold and reports, once per turn, one that is held for
 * longer: with the stack of what holds it, to the log, to the observer and as the JFR event {@code
 * sirocco.LoopHeld}. Goes by the real time, not by the loops' clock.
 */
final class Watchdog implements AutoCloseable {
    private static final LazyLogger LOG = LazyLogger.of(Watchdog.class);

    private final List<Loop> loops;
    private final Settings settings;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final long[] reported; // the turn of each loop that was reported last, by its begin

    Watchdog(List<Loop> loops, Settings settings) {
        this.loops = loops;
        this.settings = settings;
        this.reported = new long[loops.size()];
    }

    void start() {
        if (settings.heldMillis > 0) {
            Thread.ofPlatform().daemon().name(settings.name + "-watchdog").start(this::watch);
        }
    }

    private void watch() {
        try {
            while (!closed.await(Math.max(1, settings.heldMillis / 4), TimeUnit.MILLISECONDS)) {
                for (Loop loop : loops) {
                    look(loop);
                }
            }
        } catch (InterruptedException e) {
            // that is an end, too
        }
    }

    private void look(Loop loop) {
        long since = loop.heldSince();
        long held = (System.nanoTime() - since) / 1_000_000;
        if (since == 0 || held < settings.heldMillis || reported[loop.index()] == since) {
            return;
        }
        StackTraceElement[] stack = loop.stack();
        if (loop.heldSince() != since) {
            return; // it has let go meanwhile
        }
        reported[loop.index()] = since;
        LOG.get().log(Level.WARNING, "{0} has been held for {1} ms by{2}", loop, held, show(stack));
        LoopHeldEvent.commit(loop, held, stack);
        try {
            settings.observer.held(loop, held, stack);
        } catch (Throwable e) {
            LOG.get().log(Level.WARNING, "the observer threw", e);
        }
    }

    private static String show(StackTraceElement[] stack) {
        var text = new StringBuilder();
        for (StackTraceElement frame : stack) {
            text.append("\n    at ").append(frame);
        }
        return text.toString();
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
