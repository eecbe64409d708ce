// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LinkedErrors;

/**
 * Gives write memory of one loop back after a peak and, while output is beyond the memory of the
 * loop, closes connections whose peers take none of it. Loop-confined.
 */
final class MemoryRelief {
    static {
        LinkedErrors.link(Throwable.class);
    }

    private static final long SHRINK_MILLIS = 2_000; // for write memory that was not needed so long
    private static final long RELIEF_MILLIS = 250;

    private final Loop loop;
    private final LoopConnections connections;
    private boolean shrinking; // a look at the write memory is due
    private boolean relieving; // a look at connections that take no output is due

    MemoryRelief(Loop loop, LoopConnections connections) {
        this.loop = loop;
        this.connections = connections;
    }

    /** Schedules a look at write memory, which gives back what was not needed meanwhile. */
    void shrinkLater() {
        if (!shrinking) {
            shrinking = true;
            loop.schedule(SHRINK_MILLIS, this::shrink);
        }
    }

    private void shrink() {
        shrinking = false;
        if (loop.chunks.shrink()) {
            shrinkLater();
        }
    }

    /** Makes room if more memory is in use than may be. */
    void relieveIfExceeded() {
        if (loop.memory().exceeded() && !relieving) {
            relieve();
        }
    }

    private void relieve() {
        relieving = false;
        try {
            loop.chunks.reclaim();
            if (loop.memory().exceeded()) {
                loop.schedule(RELIEF_MILLIS, this::relieve);
                relieving = true;
                connections.closeStalled(loop.memory().used() - loop.memory().limit());
            }
        } catch (Throwable e) { // out of heap, above all: it looks again
            loop.failed(e);
        }
    }
}
