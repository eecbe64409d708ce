// SPDX-License-Identifier: Apache-2.0
package io.sirocco.net.datagram;

import static io.sirocco.net.linux.Linux.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sirocco.net.linux.DatagramHeaders;
import io.sirocco.net.linux.Linux;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The datagrams that the sockets of a loop have sent and the kernel has not got yet: {@link #flush}
 * passes it those of each socket with one call, after each batch of received datagrams and at the
 * end of a turn. Holds copies: at most 256, and 256 KiB. Loop-confined.
 */
final class DatagramQueue {
    static final int MAX_DATAGRAMS = 256;
    static final int MAX_BYTES = 256 << 10;

    private final DatagramHeaders headers;
    private final long bytes;
    private final LinuxDatagrams.Socket[] sockets = new LinuxDatagrams.Socket[MAX_DATAGRAMS];
    private final int[] nameLengths = new int[MAX_DATAGRAMS];
    private int count;
    private int used;

    /**
     * @param bytes the address of {@link #MAX_BYTES} bytes
     */
    DatagramQueue(Arena arena, long bytes) {
        this.headers = new DatagramHeaders(arena, MAX_DATAGRAMS);
        this.bytes = bytes;
    }

    /** Queues a datagram; sends those that wait if there is no room for another. */
    void add(LinuxDatagrams.Socket socket, byte[] from, int length, PeerAddresses.Peer to) {
        if (count == MAX_DATAGRAMS || length > MAX_BYTES - used) {
            flush();
        }
        MemorySegment.copy(from, 0, MEMORY, JAVA_BYTE, bytes + used, length);
        headers.setBytes(count, bytes + used, length);
        nameLengths[count] = to.write(headers.name(count));
        sockets[count] = socket;
        used += length;
        count++;
    }

    /** Sends those that wait. */
    void flush() {
        for (int i = 0; i < count; i++) {
            if (sockets[i] != null) {
                flush(sockets[i], i);
            }
        }
        count = 0;
        used = 0;
    }

    /** Sends those of {@code socket}, of which {@code first} is the first. */
    private void flush(LinuxDatagrams.Socket socket, int first) {
        int due = 0;
        for (int i = first; i < count; i++) {
            if (sockets[i] == socket) {
                sockets[i] = null;
                headers.refer(due++, i, nameLengths[i]);
            }
        }
        boolean again = false;
        for (int sent = 0; sent < due; ) {
            int result = headers.send(socket.descriptor(), sent, due - sent);
            if (result > 0) {
                sent += result;
                again = false;
            } else if (!again && result != -Linux.EAGAIN && result != -Linux.ENOBUFS) {
                again = true; // the error may be that of an earlier datagram, told late (ICMP)
            } else {
                socket.drop();
                sent++;
                again = false;
            }
        }
    }
}
