// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Sends files for a loop with rings. No operation of a ring does that without a thread of the
 * kernel's, so sendfile(2) does, and it wants an ordinary descriptor: a connection that sends a
 * file is lent one, and keeps it while there are enough of them. Loop-confined.
 */
final class UringFiles implements AutoCloseable {
    /** Of the process's descriptors, this part may be lent by one loop. */
    private static final int SHARE = 8;

    /**
     * Bytes that the kernel may take over from us and not send yet, instead of {@link
     * Connection#KERNEL_HOLDS}: of a file they are the pages that are in memory anyway, and the
     * more it may take at once, the more seldom we are woken.
     */
    private static final int KERNEL_HOLDS = 8 << 20;

    private final MemorySegment state;
    private final MemorySegment position;
    private final int most;
    private int kept;
    private Connection last; // that was lent one beyond those
    private int lastDescriptor;
    private boolean refused; // by the kernel: it is older than 6.8

    UringFiles(Arena arena, int openFiles) {
        state = Linux.state(arena);
        position = arena.allocate(8, 8);
        most = openFiles / SHARE;
    }

    /** An ordinary descriptor of the connection's socket, or a negative number. */
    int descriptor(Connection connection) {
        int[] descriptors = ((Ring) connection.place).descriptors();
        int known = descriptors[connection.slot] - 1;
        if (known >= 0 || refused) {
            return known;
        }
        if (last == connection) {
            return lastDescriptor;
        }
        int descriptor = Uring.lend(connection);
        if (descriptor < 0) {
            refused = descriptor == -LinuxFiles.EINVAL;
            return descriptor;
        }
        Linux.setOption(descriptor, Linux.IPPROTO_TCP, Linux.TCP_NOTSENT_LOWAT, KERNEL_HOLDS);
        if (kept < most) {
            kept++;
            descriptors[connection.slot] = descriptor + 1;
        } else {
            forgetLast();
            last = connection;
            lastDescriptor = descriptor;
        }
        return descriptor;
    }

    /** The connection is about to be closed: the descriptor would keep it open. */
    void forget(Connection connection) {
        int[] descriptors = ((Ring) connection.place).descriptorsIfAny();
        if (descriptors != null && descriptors[connection.slot] != 0) {
            Linux.close(descriptors[connection.slot] - 1);
            descriptors[connection.slot] = 0;
            kept--;
        } else if (last == connection) {
            forgetLast();
        }
    }

    private void forgetLast() {
        if (last != null) {
            last = null;
            Linux.close(lastDescriptor);
        }
    }

    /**
     * Sends a chunk of a file, or one that a file follows. Answers how many bytes were taken, 0
     * when the file has ended, or {@code -errno}.
     */
    int send(Connection connection, Chunk chunk, int length) {
        int socket = descriptor(connection);
        if (socket < 0) {
            return -Linux.EAGAIN; // there was one just now: try again
        }
        if (chunk.file == null) {
            long from = chunk.address + chunk.start;
            return (int) LinuxFiles.sendBefore(state, socket, from, length);
        }
        position.set(JAVA_LONG, 0, chunk.position);
        LinuxFiles.blocking(state, socket, false); // the call knows no other way to be told
        try {
            int file = chunk.file.descriptor();
            return (int) LinuxFiles.sendFile(state, socket, file, position, length);
        } finally {
            LinuxFiles.blocking(state, socket, true);
        }
    }

    @Override
    public void close() {
        forgetLast();
    }
}
