// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What is sent to one client, in order, although it may move from one loop to another. A stack that
 * the loop takes whole and turns around; whoever finds it empty hands the loop a task. Any thread.
 */
abstract sealed class Lane permits Client {
    private static final VarHandle NEWEST = field("newest", Task.class);
    private static final VarHandle RUNNING = field("running", boolean.class);

    private volatile Task newest;
    private volatile boolean running; // a task does, or waits for a lock: none may overtake it

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

    /** Has {@code what} run where it lives: at once, if that is here, and nothing waits or runs. */
    final void inOrder(Runnable what) {
        Shard here = shard();
        if (newest == null && runHere(here, what)) {
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

    private boolean runHere(Shard here, Runnable what) {
        if (!here.loop.enter()) {
            return false;
        }
        try {
            if (!RUNNING.compareAndSet(this, false, true)) {
                return false;
            }
            try {
                what.run();
            } finally {
                ran();
            }
            return true;
        } finally {
            here.loop.exit();
        }
    }

    private void runAll(Shard here) {
        Shard there = shard();
        if (there != here) {
            there.executeLater(() -> runAll(there));
            return;
        }
        if (!RUNNING.compareAndSet(this, false, true)) {
            return; // what runs has all the rest run
        }
        Task oldest = null;
        for (var each = (Task) NEWEST.getAndSet(this, (Task) null); each != null; ) {
            Task older = each.next;
            each.next = oldest;
            oldest = each;
            each = older;
        }
        try {
            for (Task each = oldest; each != null; each = each.next) {
                Tasks.run(each.what, "a task of a client failed");
            }
        } finally {
            ran();
        }
    }

    private void ran() {
        running = false;
        if (newest != null) { // it came meanwhile, and its turn may have found us running
            Shard here = shard();
            here.executeLater(() -> runAll(here));
        }
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(Lane.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}
