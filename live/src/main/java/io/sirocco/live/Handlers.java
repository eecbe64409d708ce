// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.net.ScheduledTask;
import io.sirocco.net.TaskKind;

/**
 * Runs the handlers of one client, in order, and looks whether one takes too long. Confined to
 * where the client lives.
 */
final class Handlers {
    private final Client client;
    private final Inbox inbox = new Inbox();
    private ScheduledTask watch; // null when nobody looks
    private Shard watcher; // where that is set
    private SideBySide others; // null before the first that runs beside others

    Handlers(Client client) {
        this.client = client;
    }

    /**
     * Has a virtual thread do {@code work} behind what waits.
     *
     * @param from what has brought it, and reads no more while too much waits; null for nothing
     * @param answer that it owes; null for none
     * @param kind of the work: one that has blocked a loop is done elsewhere
     */
    void submit(Link from, int size, Answer answer, TaskKind kind, Runnable work) {
        submit(from, size, new Inbox.Job(() -> run(from, size, work), answer, kind));
    }

    /** The same for a request that may run beside others, when what came before has begun. */
    void submitBeside(Link from, int size, Answer answer, TaskKind kind, Runnable work, int most) {
        if (others == null) {
            others = new SideBySide(client, most);
        }
        SideBySide all = others;
        Runnable task =
                () -> {
                    try {
                        all.start(kind, () -> run(from, size, work), answer);
                    } catch (Throwable e) {
                        Tasks.failed("a request could not be started", e);
                        done(from, size);
                        answer.fail("failed", "it failed");
                    }
                };
        submit(from, size, new Inbox.Job(task, null, null));
    }

    /** The same for what comes when all before it have ended. */
    void submitLast(TaskKind kind, Runnable work) {
        SideBySide all = others;
        submit(
                null,
                0,
                null,
                kind,
                () -> {
                    if (all != null) {
                        all.awaitAll();
                    }
                    work.run();
                });
    }

    private void submit(Link from, int size, Inbox.Job job) {
        if (from != null) {
            from.intake().waits(size);
        }
        if (inbox.add(job)) {
            start(job.kind());
            if (watch == null && inbox.isRunning()) {
                watch(client.namespace().hub.settings.handlerTimeout.toNanos());
            }
        }
    }

    private void start(TaskKind kind) {
        Shard here = client.shard();
        here.handlers(1);
        try {
            here.loop.startVirtualInTurn(kind, () -> runAll(here));
        } catch (Throwable e) {
            inbox.notStarted(null);
            here.handlers(-1);
            throw e;
        }
    }

    private void run(Link from, int size, Runnable work) {
        try {
            work.run();
        } catch (Throwable e) { // this thread must not end: what waits would never be run
            client.namespace().hub.failures.log("event", "an event could not be handled", e);
        } finally {
            done(from, size);
        }
    }

    private static void done(Link from, int size) {
        if (from != null) {
            from.run(() -> from.done(size));
        }
    }

    private void runAll(Shard here) {
        Inbox.Job left = null;
        try {
            left = inbox.run(here.loop);
        } finally {
            if (left == null) {
                quiet(here);
            }
        }
        if (left != null) {
            startElsewhere(here, left);
        }
    }

    private void startElsewhere(Shard here, Inbox.Job first) {
        try {
            first.kind()
                    .startElsewhere(
                            () -> {
                                inbox.runFirst(first);
                                runAll(here);
                            });
        } catch (Throwable e) {
            inbox.notStarted(first);
            quiet(here);
            throw e;
        }
    }

    private void quiet(Shard here) {
        here.handlers(-1);
        if (!client.life.lasts()) {
            client.inOrder(this::forget);
        }
    }

    /** The client has gone: an alarm would hold it in memory for as long as handlers may take. */
    private void forget() {
        if (watch != null && watcher == client.shard() && !inbox.isRunning()) {
            watch.cancel();
            watch = null;
        }
    }

    /** Looks later whether a handler takes too long: most never come to that. */
    private void watch(long nanos) {
        long millis = Math.max(1, nanos / 1_000_000);
        watcher = client.shard();
        watch = watcher.loop.schedule(millis, () -> client.inOrder(this::look));
    }

    private void look() {
        watch = null;
        long most = client.namespace().hub.settings.handlerTimeout.toNanos();
        Answer late = inbox.interruptAfter(most);
        if (late != null) {
            late.fail("timeout", "the handler has taken too long");
        }
        if (inbox.isRunning()) {
            long left = most - inbox.nanos();
            watch(left > 0 ? left : most);
        } else if (others == null) {
            client.quiet();
        }
    }
}
