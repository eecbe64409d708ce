// SPDX-License-Identifier: Apache-2.0
package io.sirocco.live.client;

import io.sirocco.net.Loop;
import java.util.ArrayDeque;

/**
 * Runs the handlers of a client one after the other, on a virtual thread that is there while there
 * is something to run. Any thread, unless a method says otherwise.
 */
final class Turns implements Runnable {
    /** Bytes of messages that wait, from which on no more should come. */
    static final int FULL = 64 << 10;

    private record Turn(Runnable task, long size) {}

    private final Loop loop;
    private final Runnable drained;
    private final ArrayDeque<Turn> queue = new ArrayDeque<>();
    private long size;
    private Thread thread; // null while there is nothing to run
    private boolean starting;
    private Runnable last; // null until the end
    private boolean over;

    /**
     * @param drained run on the loop when what waited comes to less than half of {@link #FULL}
     */
    Turns(Loop loop, Runnable drained) {
        this.loop = loop;
        this.drained = drained;
    }

    /** Runs {@code task} when all before it have run. On the loop. */
    void add(Runnable task, long size) {
        synchronized (this) {
            if (last != null) {
                return;
            }
            queue.add(new Turn(task, size));
            this.size += size;
            if (thread != null || starting) {
                return;
            }
            starting = true;
        }
        loop.startVirtual(this);
    }

    /** Bytes of what waits. */
    synchronized long size() {
        return size;
    }

    /** Whether the caller is a handler. */
    synchronized boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Takes no more, and has the loop run {@code last} when all have run. On the loop. */
    void end(Runnable last) {
        boolean idle;
        synchronized (this) {
            this.last = last;
            idle = thread == null && !starting;
            over = idle;
        }
        if (idle) {
            last.run();
        }
    }

    /** They have had their time: what waits is forgotten, what runs is interrupted. */
    synchronized void cutOff() {
        queue.clear();
        size = 0;
        if (thread != null) {
            thread.interrupt();
        }
    }

    @Override
    public void run() {
        synchronized (this) {
            thread = Thread.currentThread();
            starting = false;
        }
        for (Turn turn = next(null); turn != null; turn = next(turn)) {
            turn.task().run();
        }
    }

    private Turn next(Turn done) {
        boolean tell;
        Turn turn;
        synchronized (this) {
            long before = size;
            size -= done == null ? 0 : Math.min(size, done.size());
            tell = before >= FULL / 2 && size < FULL / 2;
            turn = queue.poll();
            if (turn == null) {
                thread = null;
            }
        }
        if (tell) {
            loop.execute(drained);
        }
        if (turn == null) {
            ended();
        }
        return turn;
    }

    private void ended() {
        Runnable end;
        synchronized (this) {
            end = over || thread != null || starting ? null : last;
            over |= end != null;
        }
        if (end != null) {
            loop.execute(end);
        }
    }
}
