// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.net.log.LazyLogger;
import java.lang.System.Logger.Level;

/**
 * Runs the handlers of one client, in order, and looks whether one takes too long. Confined to
 * where the client lives.
 */
final class Handlers {
    private static final LazyLogger LOG = LazyLogger.of(Live.class);

    private final Client client;
    private final Inbox inbox = new Inbox();
    private boolean watched;

    Handlers(Client client) {
        this.client = client;
    }

    /**
     * Has a virtual thread do {@code work} behind what waits.
     *
     * @param from what has brought it, and reads no more while too much waits; null for nothing
     * @param answer that it owes; null for none
     */
    void submit(Link from, int size, Answer answer, Runnable work) {
        if (from != null) {
            from.intake.waits(size);
        }
        Shard here = client.shard();
        boolean idle = inbox.add(new Inbox.Job(() -> run(from, size, work), answer));
        if (idle) {
            here.handlers(1);
            here.loop.startVirtual(() -> runAll(here));
            if (!watched && inbox.isRunning()) {
                watch(client.namespace().hub.settings.handlerDeadline.toNanos());
            }
        }
    }

    private static void run(Link from, int size, Runnable work) {
        try {
            work.run();
        } catch (Throwable e) { // this thread must not end: what waits would never be run
            LOG.get().log(Level.ERROR, "an event could not be handled", e);
        } finally {
            if (from != null) {
                from.run(() -> from.intake.done(size));
            }
        }
    }

    private void runAll(Shard here) {
        try {
            inbox.run();
        } finally {
            here.handlers(-1);
        }
    }

    /** Looks later whether a handler takes too long: most never come to that. */
    private void watch(long nanos) {
        watched = true;
        long millis = Math.max(1, nanos / 1_000_000);
        client.shard().loop.after(millis, () -> client.inOrder(this::look));
    }

    private void look() {
        watched = false;
        long most = client.namespace().hub.settings.handlerDeadline.toNanos();
        Answer late = inbox.interruptAfter(most);
        if (late != null) {
            late.fail("timeout", "the handler has taken too long");
        }
        if (inbox.isRunning()) {
            long left = most - inbox.nanos();
            watch(left > 0 ? left : most);
        }
    }
}
