// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live;

import io.sirocco.net.Loop;
import io.sirocco.net.ScheduledTask;
import io.sirocco.net.TaskKind;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/**
 * Requests of one client that run beside each other, each on a virtual thread of its own. Any
 * thread, but for {@link #start} and {@link #awaitAll}: the one of the client's handlers.
 */
final class SideBySide {
    private final Client client;
    private final int most;
    private final Semaphore room;

    SideBySide(Client client, int most) {
        this.client = client;
        this.most = most;
        this.room = new Semaphore(most);
    }

    /** One that runs; its deadline interrupts it and answers. */
    private final class Running implements Runnable {
        private final Shard shard;
        private final Runnable work;
        private final Answer answer;
        private Thread thread; // with the lock of this; null when it does not run
        private ScheduledTask alarm; // on the loop; null before it is set
        private volatile boolean over;

        Running(Shard shard, Runnable work, Answer answer) {
            this.shard = shard;
            this.work = work;
            this.answer = answer;
        }

        @Override
        public void run() {
            thread(Thread.currentThread());
            try {
                work.run();
            } finally {
                thread(null);
                over = true;
                shard.handlers(-1);
                room.release();
                execute(shard.loop, this::cancel);
            }
        }

        private synchronized void thread(Thread current) {
            thread = current;
        }

        private synchronized void interrupt() {
            if (thread != null) {
                thread.interrupt();
            }
        }

        void watch() {
            long millis = client.namespace().hub.settings.handlerTimeout.toMillis();
            if (!over) {
                alarm = shard.loop.schedule(Math.max(1, millis), this::late);
            }
        }

        private void late() {
            if (!over) {
                answer.fail("timeout", "the handler has taken too long");
                interrupt();
            }
        }

        private void cancel() {
            if (alarm != null) {
                alarm.cancel();
            }
        }
    }

    /**
     * Has a thread do {@code work}, of this kind; waits while as many run as may. What it throws
     * says that none could be started, and then nothing is held.
     */
    void start(TaskKind kind, Runnable work, Answer answer) {
        room.acquireUninterruptibly();
        Shard here = client.shard();
        here.handlers(1);
        Running running;
        try {
            running = new Running(here, work, answer);
            here.loop.startVirtual(kind, running);
        } catch (Throwable e) {
            here.handlers(-1);
            room.release();
            throw e;
        }
        if (!running.over) {
            Tasks.run(() -> execute(here.loop, running::watch), "a deadline could not be set");
        }
    }

    /** Waits until none runs any more. */
    void awaitAll() {
        room.acquireUninterruptibly(most);
        room.release(most);
    }

    private static void execute(Loop loop, Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // the loop has ended, and its alarms with it
        }
    }
}
