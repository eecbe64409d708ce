// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What is sent to one client, in order, although it may move from one loop to another. A stack that
 * the loop takes whole and turns around; whoever finds it empty hands the loop a task. Any thread.
 */
abstract sealed class Lane permits Client {
    private static final VarHandle NEWEST = newest();

    private volatile Task newest;
    private volatile boolean running; // queued tasks run: none may overtake the rest of them

    private static final class Task {
        final Runnable what;
        Task next;

        Task(Runnable what, Task next) {
            this.what = what;
            this.next = next;
        }
    }

    /** Where it lives. */
    abstract Shard shard();

    /** Has {@code what} run where it lives: at once, if that is here and nothing waits. */
    final void inOrder(Runnable what) {
        Shard here = shard();
        if (newest == null && !running && here.loop.runInLoop(what)) {
            return;
        }
        Task top;
        Task mine;
        do {
            top = newest;
            mine = new Task(what, top);
        } while (!NEWEST.compareAndSet(this, top, mine));
        if (top == null) {
            here.executeLater(() -> runAll(here));
        }
    }

    private void runAll(Shard here) {
        Shard there = shard();
        if (there != here) {
            there.executeLater(() -> runAll(there));
            return;
        }
        Task oldest = null;
        for (var each = (Task) NEWEST.getAndSet(this, (Task) null); each != null; ) {
            Task older = each.next;
            each.next = oldest;
            oldest = each;
            each = older;
        }
        running = true;
        try {
            for (Task each = oldest; each != null; each = each.next) {
                Tasks.run(each.what, "a task of a client failed");
            }
        } finally {
            running = false;
        }
    }

    private static VarHandle newest() {
        try {
            return MethodHandles.lookup().findVarHandle(Lane.class, "newest", Task.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
