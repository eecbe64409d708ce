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

    /** Pieces of work that are not measured one by one, as long as they are short. */
    private static final int SHORT_PIECES = 4;

    /** How long a turn lasts before what is written is sent. */
    private static final long FLUSH_NANOS = Long.getLong("io.sirocco.net.flushNanos", 500_000);

    private Connection[] connections = new Connection[64];
    private int count;
    private boolean datagrams;
    private long flushed; // when the turn began, or was flushed last, as System.nanoTime
    private long measured; // when the clock was read last
    private int pieces; // of work since then
    private int measureAfter; // so many pieces

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
        measured = now;
        pieces = 0;
        measureAfter = 1;
    }

    /**
     * Returns whether the turn has lasted for so long that what is written is to be sent. Called
     * between two pieces of work. Not every call reads the clock: the next few return false if as
     * many pieces, each as long as those before, would take less than a quarter of the time left.
     */
    boolean isDue() {
        if (++pieces < measureAfter) {
            return false;
        }
        long now = System.nanoTime();
        long left = FLUSH_NANOS - (now - flushed);
        boolean areShort = (now - measured) * SHORT_PIECES < left / 4 * pieces;
        measureAfter = areShort ? SHORT_PIECES : 1;
        measured = now;
        pieces = 0;
        return left <= 0;
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
