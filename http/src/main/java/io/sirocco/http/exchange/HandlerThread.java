// SPDX-License-Identifier: Apache-2.0
package io.sirocco.http.exchange;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The thread that runs a handler, while it does, and the interrupt that may be on its way to it.
 *
 * <pre>
 *   none ── begins ──▶ running ── cancel ──▶ being interrupted ──┐
 *    ▲                  │   ▲                                    │
 *    └───── ends ───────┘   └────────────────────────────────────┘
 * </pre>
 *
 * <p>Any thread may cancel; everything else is called by the handler's thread.
 */
abstract class HandlerThread {
    private static final VarHandle THREAD = threadField();

    /** Takes the place of a handler's thread while that is being interrupted. */
    private static final Thread INTERRUPTING = Thread.ofVirtual().unstarted(() -> {});

    private volatile Thread thread; // null while no thread runs the handler

    /** Returns whether {@code other} runs the handler. */
    public boolean isServedBy(Thread other) {
        return thread == other;
    }

    /** Forgets the handler's thread, which has returned. */
    void threadReturned() {
        thread = null;
    }

    /** Interrupts the handler, whose response is no longer needed. Takes no lock. */
    void cancel() {
        Thread handling = thread;
        if (handling != null
                && handling != INTERRUPTING
                && THREAD.compareAndSet(this, handling, INTERRUPTING)) {
            try {
                handling.interrupt();
            } finally {
                THREAD.compareAndSet(this, INTERRUPTING, handling);
            }
        }
    }

    /** Called when the calling thread starts to run the handler, until {@link #threadEnds}. */
    void threadBegins() {
        thread = Thread.currentThread();
    }

    /**
     * Called when the calling thread continues with something else. Waits for an interrupt that is
     * on its way to this exchange, so that the thread does not keep it. By now another thread may
     * run the exchange.
     */
    void threadEnds() {
        Thread mine = Thread.currentThread();
        for (Thread now = thread; now == mine || now == INTERRUPTING; now = thread) {
            if (now == mine && THREAD.compareAndSet(this, mine, null)) {
                break;
            }
            Thread.yield();
        }
        Thread.interrupted();
    }

    private static VarHandle threadField() {
        try {
            return MethodHandles.lookup()
                    .findVarHandle(HandlerThread.class, "thread", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
