// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import io.sirocco.net.log.LinkedErrors;
import java.util.Arrays;

/**
 * The connections of one loop that were written to since the last flush, and whether datagrams were
 * sent, which the transport keeps. Loop-confined.
 */
final class FlushQueue {
    static {
        LinkedErrors.link(Throwable.class);
    }

    /** How long a turn lasts before what is written is sent. */
    private static final long FLUSH_NANOS = Long.getLong("io.sirocco.net.flushNanos", 500_000);

    private Connection[] connections = new Connection[64];
    private int count;
    private boolean datagrams;
    private long flushed; // when the turn began, or was flushed last, as System.nanoTime

    boolean isEmpty() {
        return count == 0 && !datagrams;
    }

    void add(Connection connection) {
        if (count == connections.length) {
            connections = Arrays.copyOf(connections, count * 2);
        }
        connections[count++] = connection;
    }

    void addDatagram() {
        datagrams = true;
    }

    /** Measures from {@code now} on, as {@link System#nanoTime}. */
    void restart(long now) {
        flushed = now;
    }

    /** Returns whether the turn has lasted for so long that what is written is to be sent. */
    boolean isDue() {
        return System.nanoTime() - flushed >= FLUSH_NANOS;
    }

    void flush() {
        datagrams = false;
        int flushing = count;
        for (int i = 0; i < flushing; i++) {
            Connection connection = connections[i];
            connections[i] = null;
            try {
                OutputSide.flush(connection);
            } catch (Throwable e) {
                connection.fail(e);
            }
        }
        count -= flushing; // connections that write when they have drained wait for the next turn
        System.arraycopy(connections, flushing, connections, 0, count);
        Arrays.fill(connections, Math.max(flushing, count), flushing + count, null);
    }
}
