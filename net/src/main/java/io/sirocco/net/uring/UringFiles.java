// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.uring;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sirocco.net.linux.Linux;
import io.sirocco.net.linux.LinuxFiles;
import io.sirocco.net.linux.LinuxSockets;
import io.sirocco.net.output.OutputChunk;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Sends files for a loop with rings. No operation of a ring does that without a thread of the
 * kernel's, so sendfile(2) does, and it wants an ordinary descriptor: a connection that sends a
 * file borrows one, and keeps it until it closes, or until another one needs it more.
 * Loop-confined.
 *
 * <pre>
 *   none ── reserve ──▶ on its way (INSTALLING) ── keep ──▶ kept ── forget, or taken by another ──▶ none
 *                                └── forget ──▶ none
 * </pre>
 */
final class UringFiles {
    /** All loops may lend half of the process's descriptors, and each of them an eighth at most. */
    private static final int SHARE = 8;

    /**
     * How many of the connections that keep a descriptor are examined for one that can do without.
     */
    private static final int LOOKED_AT = 16;

    private static final int DO_WITHOUT =
            UringConnection.INSTALLING | UringConnection.LENT | UringConnection.FULL;

    private final MemorySegment state;
    private final MemorySegment position;
    private final UringConnection[] keepers; // those that have a descriptor, or one on its way
    private int kept;
    private int hand; // of a clock: whom to look at next

    UringFiles(Arena arena, int openFiles, int loops) {
        state = Linux.state(arena);
        position = arena.allocate(8, 8);
        keepers = new UringConnection[Math.max(1, openFiles / Math.max(SHARE, 2 * loops))];
    }

    // Of each slot: the descriptor plus one, which is 0 while it is on its way, and above it the
    // place among the keepers plus one

    private static int descriptor(UringConnection connection) {
        long[] lent = connection.table.lentIfAny();
        return lent == null ? -1 : (int) lent[connection.slot] - 1;
    }

    /** Returns whether the connection's socket has an ordinary descriptor. */
    boolean has(UringConnection connection) {
        return descriptor(connection) >= 0;
    }

    /**
     * Adds {@code connection} to those that may have a descriptor; returns false when all need
     * theirs.
     */
    boolean reserve(UringConnection connection) {
        for (int i = 0; kept == keepers.length; i++) {
            if (i == LOOKED_AT) {
                return false;
            }
            hand = (hand + 1) % kept;
            if (!keepers[hand].has(DO_WITHOUT)) {
                forget(keepers[hand]);
            }
        }
        keepers[kept++] = connection;
        connection.table.lent()[connection.slot] = (long) kept << 32;
        return true;
    }

    /** Keeps a descriptor that has come, until {@link #forget}. */
    void keep(UringConnection connection, int descriptor) {
        Linux.setOption(
                descriptor,
                Linux.IPPROTO_TCP,
                Linux.TCP_NOTSENT_LOWAT,
                LinuxSockets.FILE_NOTSENT_LOW_WATER);
        connection.table.lent()[connection.slot] += descriptor + 1;
    }

    /** Closes the descriptor, if there is one: it would keep the socket open. */
    void forget(UringConnection connection) {
        long[] lent = connection.table.lentIfAny();
        if (lent == null || lent[connection.slot] == 0) {
            return;
        }
        int descriptor = descriptor(connection);
        int place = (int) (lent[connection.slot] >>> 32) - 1;
        lent[connection.slot] = 0;
        UringConnection last = keepers[--kept];
        keepers[kept] = null;
        if (last != connection) {
            keepers[place] = last;
            long[] its = last.table.lent();
            its[last.slot] = (long) (place + 1) << 32 | its[last.slot] & 0xffff_ffffL;
        }
        if (descriptor >= 0) {
            Linux.close(descriptor);
        }
    }

    /**
     * Sends a chunk of a file, or one that a file follows.
     *
     * @return how many bytes were taken, 0 when the file has ended, or {@code -errno}
     */
    int send(UringConnection connection, OutputChunk chunk, int length) {
        int socket = descriptor(connection);
        if (chunk.file() == null) {
            long from = chunk.address();
            return (int) LinuxFiles.sendBefore(state, socket, from, length);
        }
        position.set(JAVA_LONG, 0, chunk.position());
        int file = chunk.file().descriptor();
        return (int) LinuxFiles.sendFile(state, socket, file, position, length);
    }

    /** Closes those of the sockets in {@code table}. */
    void close(UringTable table) {
        for (UringConnection connection : Arrays.copyOf(keepers, kept)) {
            if (connection.table == table) {
                forget(connection);
            }
        }
    }
}
