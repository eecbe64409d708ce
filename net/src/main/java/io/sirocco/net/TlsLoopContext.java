// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * What the TLS layers of one loop share: room for one record each way, and the queue of handshakes
 * that have to reckon (sign, agree on keys), each for a good part of a millisecond. A turn gives
 * them {@link #BUDGET} at most, so that connections which are open do not wait for a crowd of new
 * ones. Loop-confined.
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
    private final ArrayDeque<TlsLayer> reckoning = new ArrayDeque<>();
    private boolean scheduled; // true exactly while the loop has it to run

    TlsLoopContext(Loop loop) {
        this.loop = loop;
    }

    /** Has {@code layer} do its tasks when its turn comes. */
    void later(TlsLayer layer) {
        reckoning.add(layer);
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
                reckonOne(reckoning.remove());
            } while (!reckoning.isEmpty() && System.nanoTime() < end);
        } finally {
            scheduled = false;
            if (!reckoning.isEmpty()) {
                schedule();
            }
        }
    }

    /** Whatever an engine throws is the end of its own connection only. */
    private static void reckonOne(TlsLayer layer) {
        try {
            layer.runTasks();
        } catch (Throwable e) {
            layer.broken(e);
        }
    }
}
