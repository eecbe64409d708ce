// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * The context that the TLS layers of one loop share: room for one record each way, and the queue of
 * handshakes with tasks of their engine to run (sign, agree on keys), each of which takes a good
 * part of a millisecond. A turn spends {@link #BUDGET} on them at most, so that open connections do
 * not wait for many new ones. Loop-confined.
 */
final class TlsLoopContext implements Runnable {
    /** Nanoseconds of a turn after which no other handshake is begun. */
    private static final long BUDGET = 2_000_000;

    /** More than a record with all that surrounds its plain text (RFC 8446 5.2). */
    private static final int ROOM = 17 << 10;

    final ByteBuffer opened = ByteBuffer.allocate(ROOM);
    final MemorySegment openedMemory = MemorySegment.ofArray(opened.array());
    final ByteBuffer sealed = ByteBuffer.allocate(ROOM);
    final ByteBuffer[] sources = new ByteBuffer[16];

    private final Loop loop;
    private final ArrayDeque<TlsLayer> withTasks = new ArrayDeque<>();
    private boolean scheduled; // true exactly while the loop has it to run

    TlsLoopContext(Loop loop) {
        this.loop = loop;
    }

    /** Queues {@code layer}, to run its tasks when its turn comes. */
    void later(TlsLayer layer) {
        withTasks.add(layer);
        schedule();
    }

    private void schedule() {
        if (!scheduled) {
            loop.execute(this);
            scheduled = true;
        }
    }

    @Override
    public void run() {
        long end = System.nanoTime() + BUDGET;
        try {
            do {
                runTasksOf(withTasks.remove());
            } while (!withTasks.isEmpty() && System.nanoTime() < end);
        } finally {
            scheduled = false;
            if (!withTasks.isEmpty()) {
                schedule();
            }
        }
    }

    /** Runs the tasks of one engine. What it throws ends its own connection only. */
    private static void runTasksOf(TlsLayer layer) {
        try {
            layer.runTasks();
        } catch (Throwable e) {
            layer.broken(e);
        }
    }
}
